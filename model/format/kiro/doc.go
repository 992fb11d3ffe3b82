// Package kiro reads the transcripts of Kiro.
package kiro
