package format

import (
	"fmt"
	"slices"

	"turns/model"
	"turns/model/format/infer"
)

// Reading is a way to read a sample, with the number of messages and calls in it.
type Reading struct {
	Format *model.Format
	Match  model.Match
	Finds  string // "12 messages, 3 calls"
}

// Rival returns the reading that competes with the one of a format: it understands nearly as much
// of the sample, or more, and other parts of it. It returns nil if there is none, and for formats
// with distinctive marks. It reads the sample again, so lists do not call it.
func Rival(f *model.Format, m model.Match, s *model.Sample) *Reading {
	if m.Score <= 1 || m.Score > familyScore || s.Shape != model.Lines && s.Shape != model.Document || !f.AsIs(m) {
		return nil
	}
	counts := infer.Read(f, m, s)
	var best *Reading
	var most *infer.Counts
	for _, r := range rivals(f, s) {
		t := infer.Read(r.Format, r.Match, s)
		if !t.Conversation() || !t.Contests(counts) || most != nil && !t.Surpasses(most) {
			continue
		}
		r.Finds = t.String()
		best, most = &r, t
	}
	return best
}

// rivals returns the other readings of a sample: those of formats that recognise it, and the
// inferred one.
func rivals(f *model.Format, s *model.Sample) (all []Reading) {
	for _, g := range slices.Concat(formats[:len(formats)-fallbacks], written()) {
		if n := g.Detect(s); n.Score > genericScore && g.Name != f.Name && g.AsIs(n) {
			all = append(all, Reading{Format: g, Match: n})
		}
	}
	if f.Name != infer.Name {
		if g, n := formatOf(Inferred(s), s); g != nil {
			all = append(all, Reading{Format: g, Match: n})
		}
	}
	return all
}

// Words returns the competing reading and how to choose it, in one line.
func (r *Reading) Words() string {
	return fmt.Sprintf("%s reads %s; turns --from %s FILE takes that reading", r.Format.Name, r.Finds, r.Format.Name)
}
