// Package sessions is the list of sessions: its rows, filter and search, marks and news. Package
// query/session has the data of a session, its filter and the columns; package transcripts lists
// the sessions.
package sessions
