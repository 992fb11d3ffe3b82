// Package sessions is the list of sessions: its rows, filter and search, marks, and what it learns
// while it is open. What is known of a session, which filter lets it through and the columns are
// package query/session's; where sessions come from is package transcripts'.
package sessions
