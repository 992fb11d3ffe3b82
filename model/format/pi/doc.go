// Package pi reads the transcripts of Pi.
package pi
