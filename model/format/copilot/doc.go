// Package copilot reads the transcripts of Copilot: its command line and its chat in VS Code.
package copilot
