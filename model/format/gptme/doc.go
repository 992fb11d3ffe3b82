// Package gptme reads the transcripts of gptme.
package gptme
