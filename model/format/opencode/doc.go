// Package opencode reads the transcripts of OpenCode.
package opencode
