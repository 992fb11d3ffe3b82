// Package cline reads the transcripts of Cline and its relatives.
package cline
