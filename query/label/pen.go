package label

import (
	"slices"
	"time"
)

// Pen writes lines: who says it, when, and how a line is called.
type Pen struct {
	By  string
	Now time.Time
	ID  func() string
}

// Write gives the lines that say something of a place. Here is what is said there already:
// nothing is said twice, and what one replaces is taken back, if the same person said it.
func (p *Pen) Write(run Run, scope Scope, at *Place, here []*Placed, said Said) []Line {
	var out []Line
	for _, m := range said.Add {
		has := func(o *Placed) bool { return o.Scope == scope && o.By == p.By && o.Mark == m }
		if slices.ContainsFunc(here, has) {
			continue
		}
		for _, o := range here {
			if o.Scope == scope && o.By == p.By && m.replaces(&o.Mark) {
				out = append(out, p.Undo(o.Line.ID))
			}
		}
		out = append(out, Line{ID: p.ID(), Time: p.Now, By: p.By, Run: run, Scope: scope, At: at, Mark: m})
	}
	for _, o := range here {
		if o.Kind == Label && o.Scope == scope && slices.Contains(said.Drop, o.Name) {
			out = append(out, p.Undo(o.Line.ID))
		}
	}
	return out
}

// Undo is the line that takes another back.
func (p *Pen) Undo(id string) Line { return Line{ID: p.ID(), Time: p.Now, By: p.By, Undo: id} }
