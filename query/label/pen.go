package label

import (
	"slices"
	"time"
)

// Pen writes lines with an author, a time and new ids.
type Pen struct {
	By  string
	Now time.Time
	ID  func() string
}

// Write returns the lines that annotate a place. here has its existing annotations: Write skips
// duplicates, and undoes annotations of the same author that a new one replaces.
func (p *Pen) Write(run Run, scope Scope, at *Place, here []*Placed, typed Typed) []Line {
	var out []Line
	for _, m := range typed.Add {
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
		if o.Kind == Label && o.Scope == scope && slices.Contains(typed.Drop, o.Name) {
			out = append(out, p.Undo(o.Line.ID))
		}
	}
	return out
}

// Undo returns the line that undoes another.
func (p *Pen) Undo(id string) Line { return Line{ID: p.ID(), Time: p.Now, By: p.By, Undo: id} }
