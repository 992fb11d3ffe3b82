// Package agentc reads the transcripts of Agent C: its messages, and the log of its events.
package agentc
