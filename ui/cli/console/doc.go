// Package console connects the program to its terminal and its caller: signals that end it cleanly,
// a small heap that leaves memory to other programs, and the filtering of control codes in output
// to a terminal.
package console
