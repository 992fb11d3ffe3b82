// Package filter matches a conversation against a filter of package lang. A Matcher decides by
// heads first, then by recorded bytes if a literal can rule a message out, and reads bodies last.
// naive_test.go has the plain twin, which must agree. Find and its kin return the places of a
// pattern in a message.
package filter
