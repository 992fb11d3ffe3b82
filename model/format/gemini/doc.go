// Package gemini reads the transcripts of Gemini: its command line, stream and API, and the agents
// that write as it does.
package gemini
