// Package pi reads sessions of Pi and its family (OpenClaw, OMP), trees since version 2 (Format),
// and the output of pi --mode json (StreamFormat). message.go reads a message of both.
package pi
