// Package dexto reads the transcripts of Dexto.
package dexto
