// Package agentc reads what Agent C writes: its messages in both forms, saved sessions, exports of
// sessions with their interactions, and the event log of a session. Its messages carry more than
// those of others (a work log, the kind of each thought and how sure it was), and all of that is
// kept.
//
// Begin at Format in agent_c.go; blocks.go has the blocks of messages, log.go the event log.
package agentc
