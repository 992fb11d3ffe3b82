package runs

import (
	"cmp"

	"turns/query/answer"
	"turns/query/human"
)

// Divergence returns the row where two sessions first differ in substance: a call that only one of
// them makes, a call to another file or with another purpose, or the same call with another
// outcome. Different words count only if no call differs. -1: no difference.
func (d *DiffAnswer) Divergence() int {
	for i := range d.Rows {
		if r := &d.Rows[i]; cmp.Or(r.A, r.B).Kind == DiffCall && r.substantial() {
			return i
		}
	}
	return int(d.Part)
}

// substantial reports whether the two sides of a row of calls do different things.
func (r *DiffRow) substantial() bool {
	switch r.How {
	case DiffSame:
		return false
	case DiffArgs:
		other := r.A.Text != r.B.Text
		if r.A.file != "" && r.B.file != "" {
			other = r.A.file != r.B.file // other lines of the same file do not count
		}
		return other || r.A.Tool != r.B.Tool || r.A.Outcome != r.B.Outcome
	}
	return true
}

// DivergenceText describes the first difference in substance on one line, such as "#6 Read main.go
// / #6 Bash go test"; "" if there is none.
func (d *DiffAnswer) DivergenceText() string {
	i := d.Divergence()
	if i < 0 {
		return ""
	}
	a, b := d.Rows[i].A, d.Rows[i].B
	switch { // the next item of the other side is more informative than a dash
	case a == nil:
		a = d.nextSide(i, func(r *DiffRow) *DiffSide { return r.A })
	case b == nil:
		b = d.nextSide(i, func(r *DiffRow) *DiffSide { return r.B })
	}
	return a.short() + " / " + b.short()
}

func (d *DiffAnswer) nextSide(from int, side func(*DiffRow) *DiffSide) *DiffSide {
	for i := from; i < len(d.Rows); i++ {
		if s := side(&d.Rows[i]); s != nil {
			return s
		}
	}
	return nil
}

// shortMost is the number of columns for an item.
const shortMost = 40

// short returns an item with its number, and the outcome of an unsuccessful call; "the end" without
// an item.
func (s *DiffSide) short() string {
	if s == nil {
		return "the end"
	}
	text := answer.At(s.Index).Text + " " + human.OneLine(s.Text, shortMost)
	if s.Outcome != "" && s.Outcome != "success" {
		text += " (" + string(s.Outcome) + ")"
	}
	return text
}
