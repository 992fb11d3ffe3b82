package ui

import "turns/ui/screen"

// Options say how the screen begins and where it may write; see package screen.
type Options = screen.Options

// Parsers is how many parsers of a transcript may run beside a screen.
func Parsers() int { return screen.Parsers() }
