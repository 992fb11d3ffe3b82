package ui

import (
	"turns/query/human"
	"turns/ui/paint"
	"turns/ui/screen"
)

// problemsNote lists the mistakes in the configuration in full before the first screen.
func problemsNote(h *screen.Host) *screen.Note {
	n := &screen.Note{H: h, Title: human.Plural(len(h.Opts.Problems), "mistake") + " in the configuration"}
	for _, p := range h.Opts.Problems {
		n.Text = append(n.Text, paint.Tilde(p, h.Opts.Home))
	}
	n.Text = append(n.Text, "", "The rest of the file applies. turns config prints every setting.")
	return n
}
