// Package filter matches a conversation against a filter of package lang. A Matcher decides by
// heads first, then by recorded bytes if a literal can rule a message out, and reads bodies last.
// naive_test.go has a simple implementation, which must agree. Find and related functions return
// the positions of a pattern in a message.
package filter
