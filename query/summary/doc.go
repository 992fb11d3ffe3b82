// Package summary answers questions about one session: stats, tools, the timeline of its turns,
// the work log, and its cost. Each answer is a struct with JSON names, a String for people and a
// WriteJSON that streams the texts it refers to.
package summary
