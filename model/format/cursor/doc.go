// Package cursor reads the transcripts of Cursor.
package cursor
