// Package agents reads the transcripts of coding agents whose transcripts one file reads each.
package agents
