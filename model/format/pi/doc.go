// Package pi reads sessions of Pi and its family (OpenClaw, OMP), which are trees since version 2
// (Format), and what pi --mode json prints (StreamFormat). message.go reads a message of both.
package pi
