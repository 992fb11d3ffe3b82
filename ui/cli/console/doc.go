// Package console is what stands between the program and who started it: signals that
// end it in order, a heap that stays small beside other programs, and what a terminal
// that is given data must not be told.
package console
