package changes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"turns/query/answer"
	"turns/query/human"
)

// The results of comparing the changes of two sessions to a file.
const (
	OnlyA     = "only_a"
	OnlyB     = "only_b"
	BothSame  = "same"      // same file or, if the content is unknown, same lines
	Different = "different" // both changed the file, in different ways
)

// PairedFile compares the changes of two sessions to one file.
type PairedFile struct {
	Path string      `json:"path"`
	How  string      `json:"how"` // only_a, only_b, same or different
	A    *PairedSide `json:"a"`   // null: the session did not change the file
	B    *PairedSide `json:"b"`
}

// PairedSide is the change that one of two sessions made to a file.
type PairedSide struct {
	Status  Status `json:"status"`
	State   State  `json:"state"`
	Added   int    `json:"added"` // lines, net
	Removed int    `json:"removed"`
	Edits   int    `json:"edits"`
}

// Compare pairs the files that two sessions changed: by their path in the folder of their session,
// so that two worktrees have the same files. The result is sorted by path.
func Compare(ctx context.Context, a, b *Answer) ([]PairedFile, error) {
	pairs := make([]PairedFile, 0, max(len(a.Files), len(b.Files)))
	taken := make([]bool, len(b.Files))
	for i := range a.Files {
		left := &a.Files[i]
		p := PairedFile{Path: left.Path, How: OnlyA, A: left.side()}
		if j := slices.IndexFunc(b.Files, func(c Change) bool { return c.Path == left.Path }); j >= 0 {
			right := &b.Files[j]
			taken[j], p.B, p.How = true, right.side(), Different
			same, err := sameResult(ctx, a.history, b.history, left, right)
			if err != nil {
				return nil, err
			}
			if same {
				p.How = BothSame
			}
		}
		pairs = append(pairs, p)
	}
	for j := range b.Files {
		if right := &b.Files[j]; !taken[j] {
			pairs = append(pairs, PairedFile{Path: right.Path, How: OnlyB, B: right.side()})
		}
	}
	slices.SortStableFunc(pairs, func(x, y PairedFile) int { return cmp.Compare(x.Path, y.Path) })
	return pairs, nil
}

func (c *Change) side() *PairedSide {
	return &PairedSide{Status: c.Status, State: c.State, Added: c.Added, Removed: c.Removed, Edits: c.Edits}
}

// sameResult reports whether two sessions left the same file, or changed the same lines of it.
func sameResult(ctx context.Context, a, b *History, left, right *Change) (bool, error) {
	x, known, err := a.result(ctx, left)
	if err != nil {
		return false, err
	}
	y, also, err := b.result(ctx, right)
	if err != nil {
		return false, err
	}
	if known && also {
		return x.Absent == y.Absent && x.Text == y.Text, nil
	}
	if left.Added != right.Added || left.Removed != right.Removed {
		return false, nil
	}
	edits, err := a.editedLines(ctx, left)
	if err != nil {
		return false, err
	}
	others, err := b.editedLines(ctx, right)
	return edits == others, err
}

// result returns the file as a session left it; known is false if the transcript does not have it.
func (h *History) result(ctx context.Context, c *Change) (end End, known bool, err error) {
	end.Text, end.Absent, err = h.Content(ctx, c.File, c.Segments[len(c.Segments)-1].End)
	if errors.Is(err, ErrUnknown) {
		return end, false, nil
	}
	return end, err == nil, err
}

// editedLines returns the lines that the edits of a change add and remove, in order.
func (h *History) editedLines(ctx context.Context, c *Change) (string, error) {
	var b strings.Builder
	for _, s := range c.Segments {
		for i := s.Base + 1; i <= s.End; i++ {
			v := &c.File.Versions[i]
			acts, err := h.acts(ctx, v.Call)
			if err != nil {
				return "", err
			}
			for n := range acts {
				if acts[n].path != v.Path {
					continue
				}
				for _, hunk := range acts[n].changed() {
					for _, line := range hunk.Lines {
						if line != "" && line[0] != ' ' {
							b.WriteString(line + "\n")
						}
					}
				}
			}
		}
	}
	return b.String(), nil
}

// PairedHeadline counts the files of a comparison: "files: 2 only in a, 1 only in b, 3 the same, 1
// different". It is "" without files.
func PairedHeadline(pairs []PairedFile) string {
	if len(pairs) == 0 {
		return ""
	}
	count := map[string]int{}
	for i := range pairs {
		count[pairs[i].How]++
	}
	return fmt.Sprintf("files: %s only in a, %s only in b, %s the same, %s different", human.Count(count[OnlyA]), human.Count(count[OnlyB]),
		human.Count(count[BothSame]), human.Count(count[Different]))
}

// PairedTable returns a table of the first most files that two sessions changed in different ways,
// of all if most is 0, and the number of the others.
func PairedTable(pairs []PairedFile, most int) (t *answer.Table, left int) {
	t = answer.NewTable("file", "how", ">a", ">b").Cut(72, 0)
	for i := range pairs {
		p := &pairs[i]
		switch {
		case p.How == BothSame:
		case most > 0 && len(t.Rows) == most:
			left++
		default:
			t.Add(p.Path, strings.ReplaceAll(p.How, "_", " "), p.A.lines(), p.B.lines())
		}
	}
	return t, left
}

// Lines returns the net lines of both sides: "+3 −1 → +2 −0".
func (f *PairedFile) Lines() string { return f.A.lines() + " → " + f.B.lines() }

func (s *PairedSide) lines() string {
	if s == nil {
		return human.NotSaid
	}
	return s.Status.Letter() + " " + PlusMinus(s.Added, s.Removed)
}
