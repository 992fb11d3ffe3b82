// Package cli is the command line of turns: its commands, flags, output files and exit codes. A
// command opens a transcript (package load), selects messages (package query) and prints an answer
// (query) or writes an export (export); it contains no other logic. On a terminal and without a
// subcommand it starts the screen (package ui).
package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"turns/model"
)

// Exit codes, as in fzf and grep.
const (
	exitOK          = 0
	exitNoMatch     = 1
	exitError       = 2
	exitInterrupted = 130
)

// no is the error for a negative answer, with exit code 1. The text is printed on a terminal only.
type no string

func (n no) Error() string { return string(n) }

const errNoMatch = no("no message matches")

func isNo(err error) bool {
	var n no
	return errors.As(err, &n)
}

// nothing is an answer without rows, with exit code 0. Its text is printed on a terminal only.
type nothing string

func (n nothing) Error() string { return string(n) }

func isNothing(err error) bool {
	var n nothing
	return errors.As(err, &n)
}

var errNoTranscript = errors.New("no transcript named")

// hinted is an error with a hint how to fix it.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// Hint returns how to fix the error.
func (h hinted) Hint() string { return h.hint }

// printError prints an error and its hint, if any.
func printError(w io.Writer, err error) {
	fmt.Fprintf(w, "turns: error: %s\n", model.Clean(errorText(err)))
	var h interface{ Hint() string }
	if errors.As(err, &h) && h.Hint() != "" {
		fmt.Fprintf(w, "turns: hint: %s\n", model.Clean(h.Hint()))
	}
}

// errorText returns the text of an error; file errors always read "open", whatever the system call.
func errorText(err error) string {
	text := err.Error()
	var file *fs.PathError
	if errors.As(err, &file) && strings.HasSuffix(file.Op, "stat") || file != nil && file.Op == "open" {
		text = strings.Replace(text, file.Error(), fmt.Sprintf("open %q: %v", file.Path, file.Err), 1)
	}
	return text
}
