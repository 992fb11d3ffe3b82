// Package fork writes a new session from the beginning of another one: all messages up to one
// of them, in the format of its agent, with new ids. It is the only package that writes into
// an agent's folders, and it only creates files there.
package fork
