// Package filter looks up in a conversation what a filter of package lang asks for. A Matcher
// answers from heads first, then from recorded bytes where a literal can rule a message out, and
// reads bodies last; naive_test.go holds the plain twin that it must equal. Find and its kin say
// where in a message a pattern stands.
package filter
