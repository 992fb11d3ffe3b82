package changes

import (
	"context"
	"errors"
	"slices"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/patch"
)

// HunkView is a hunk of a file, and the calls that made it.
type HunkView struct {
	Text string // "@@ -1,2 +1,3 @@" and the lines; "" for a place where something else changed the file
	By   []Maker
	Note string // above a hunk without makers
}

// Maker is a call that made a part of a hunk.
type Maker struct {
	Call    model.CallID
	Message model.ID
	Pos     int // of the message, or of the call that started its subagent; -1: none
	Turn    int
	Tool    string
	Agent   string // subagent, "" for the session itself
	Prompt  string // first line of the prompt of the turn
}

// View has the difference between two versions of a file.
type View struct {
	Hunks          []HunkView
	Added, Removed int
	Patch          string // for git apply; "" if a content is unknown
}

// Steps returns the versions that the selected calls made, in order.
func (c *Change) Steps() []int {
	var steps []int
	for _, s := range c.Segments {
		for i := s.Base + 1; i <= s.End; i++ {
			steps = append(steps, i)
		}
	}
	return steps
}

// Has reports whether a call made one of the versions.
func (c *Change) Has(id model.CallID) bool {
	return slices.ContainsFunc(c.Steps(), func(i int) bool { return c.File.Versions[i].Call == id })
}

// Start returns the version before the first selected call.
func (c *Change) Start() int { return c.Segments[0].Base }

// View returns the hunks that the selected calls made between two versions. A place where something
// else changed the file is a hunk without a text.
func (a *Answer) View(ctx context.Context, c *Change, base, end int) (*View, error) {
	v := &View{}
	whole := true
	for n, s := range c.Segments {
		s.Base, s.End = max(s.Base, base), min(s.End, end)
		if s.Base >= s.End {
			continue
		}
		if n > 0 && len(v.Hunks) > 0 {
			before, after := &c.File.Versions[c.Segments[n-1].End], &c.File.Versions[s.End]
			if next := s.Base + 1; next < len(c.File.Versions) {
				after = &c.File.Versions[next]
			}
			v.Hunks = append(v.Hunks, HunkView{Note: "other changes between " + place(human.Index(before.Pos)) + " and " + place(human.Index(after.Pos))})
		}
		known, err := a.viewSegment(ctx, v, c.File, s)
		if err != nil {
			return nil, err
		}
		whole = whole && known
	}
	if !whole {
		v.Patch = ""
	}
	return v, nil
}

// viewSegment adds the hunks of an unbroken segment. known is false if the transcript does not
// have the full file: the hunks are then those of the calls.
func (a *Answer) viewSegment(ctx context.Context, v *View, f *File, s Segment) (known bool, err error) {
	h := a.history
	p, err := h.Diff(ctx, f, s)
	if errors.Is(err, ErrUnknown) {
		for i := s.Base + 1; i <= s.End; i++ {
			if err := h.viewEdits(ctx, v, &f.Versions[i]); err != nil {
				return false, err
			}
		}
		return false, nil
	}
	if err != nil || p == nil {
		return err == nil, err
	}
	v.Patch += p.Unified()
	added, removed := patch.Counts(p.Hunks)
	v.Added, v.Removed = v.Added+added, v.Removed+removed
	makers, err := h.makers(ctx, f, s)
	if err != nil {
		return false, err
	}
	for i := range p.Hunks {
		hunk := HunkView{Text: hunkText(&p.Hunks[i])}
		for _, version := range makers.of(&p.Hunks[i]) {
			m, err := h.maker(ctx, &f.Versions[version])
			if err != nil {
				return false, err
			}
			hunk.By = append(hunk.By, m)
		}
		v.Hunks = append(v.Hunks, hunk)
	}
	return true, nil
}

func hunkText(hunk *patch.Hunk) string {
	var b strings.Builder
	hunk.Append(&b)
	return b.String()
}

// viewEdits adds the hunks of the call that made a version.
func (h *History) viewEdits(ctx context.Context, v *View, version *Version) error {
	acts, err := h.acts(ctx, version.Call)
	if err != nil {
		return err
	}
	var hunks []patch.Hunk
	for i := range acts {
		if acts[i].path == version.Path {
			hunks = append(hunks, acts[i].changed()...)
		}
	}
	by, err := h.maker(ctx, version)
	if err != nil {
		return err
	}
	for i := range hunks {
		added, removed := patch.Counts(hunks[i : i+1])
		v.Added, v.Removed = v.Added+added, v.Removed+removed
		v.Hunks = append(v.Hunks, HunkView{Text: strings.Join(hunks[i].Lines, "\n") + "\n", By: []Maker{by}})
	}
	return nil
}

// maker describes the call that made a version.
func (h *History) maker(ctx context.Context, v *Version) (Maker, error) {
	m := Maker{Call: v.Call, Message: v.Message, Pos: v.Pos, Turn: h.Turns.Turn(v.Message), Tool: query.ToolName(h.Snap, h.Snap.Call(v.Call))}
	if t := &h.Snap.Threads()[h.Snap.HeadRow(v.Message).Thread]; !t.Main {
		m.Agent = t.Name
	}
	var err error
	m.Prompt, err = h.prompt(ctx, m.Turn)
	return m, err
}

// lineMakers has the versions that added the lines of the last version of a segment, and those that
// removed the lines of its first.
type lineMakers struct{ added, removed []int }

// makersMax is the maximum number of versions that are followed line by line.
const makersMax = 2000

// makers follows the lines of a file through a segment.
func (h *History) makers(ctx context.Context, f *File, s Segment) (m lineMakers, err error) {
	from := s.Base
	if s.End-from > makersMax {
		from = s.End - makersMax
	}
	lines, err := h.linesOf(ctx, f, s.Base)
	if err != nil {
		return m, err
	}
	m.removed = make([]int, len(lines))
	at := make([]int, len(lines)) // by line: its line in the first version
	for i := range at {
		at[i] = i
	}
	m.added = make([]int, len(lines))
	for version := from + 1; version <= s.End; version++ {
		next, err := h.linesOf(ctx, f, version)
		if err != nil {
			return m, err
		}
		added, origin := make([]int, len(next)), make([]int, len(next))
		for i := range next {
			added[i], origin[i] = version, -1
		}
		old := 0
		gone := func(to int) {
			for ; old < to; old++ {
				if at[old] >= 0 {
					m.removed[at[old]] = version
				}
			}
		}
		for _, p := range patch.LinePairs(lines, next) {
			gone(int(p.A))
			old = int(p.A) + 1
			added[p.B], origin[p.B] = m.added[p.A], at[p.A]
		}
		gone(len(lines))
		lines, m.added, at = next, added, origin
	}
	return m, nil
}

// linesOf returns the lines of a version, nil if the file is absent or its content unknown:
// then every line of the next version counts as new.
func (h *History) linesOf(ctx context.Context, f *File, version int) ([]string, error) {
	text, absent, err := h.Content(ctx, f, version)
	if absent || errors.Is(err, ErrUnknown) || err == nil && text == "" {
		return nil, nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n"), err
}

// of returns the versions that made a hunk, in order, without repetition.
func (m *lineMakers) of(hunk *patch.Hunk) []int {
	var all []int
	note := func(of []int, line int) {
		if line >= 1 && line <= len(of) && of[line-1] > 0 && !slices.Contains(all, of[line-1]) {
			all = append(all, of[line-1])
		}
	}
	before, after := hunk.Old, hunk.New
	for _, line := range hunk.Lines {
		switch {
		case line == "" || line[0] == ' ':
			before, after = before+1, after+1
		case line[0] == '-':
			note(m.removed, before)
			before++
		case line[0] == '+':
			note(m.added, after)
			after++
		}
	}
	slices.Sort(all)
	return all
}
