package changes

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/patch"
)

// Answer is the net change that the selected calls made to files.
type Answer struct {
	Version int `json:"version"`
	// Files are sorted by path.
	Files   []Change `json:"files"`
	Added   int      `json:"added"` // lines
	Removed int      `json:"removed"`
	Created int      `json:"created"` // files
	Deleted int      `json:"deleted"`
	Renamed int      `json:"renamed"`
	Breaks  int      `json:"breaks"`

	sel     query.Selection
	history *History
}

// Status is the net effect on a file.
type Status string

// The statuses of a file. A Written file was written completely, and the transcript lacks its
// previous content.
const (
	Created   Status = "created"
	Modified  Status = "modified"
	Deleted   Status = "deleted"
	Renamed   Status = "renamed"
	Written   Status = "written"
	Unchanged Status = "unchanged"
)

// Change is the net change of one file.
type Change struct {
	Path    string           `json:"path"`
	From    human.TextOrNull `json:"from"` // the path before a rename
	Status  Status           `json:"status"`
	State   State            `json:"state"`
	Added   int              `json:"added"` // lines, net
	Removed int              `json:"removed"`
	Edits   int              `json:"edits"`
	// First and Last are positions of messages.
	First  human.Index `json:"first_index"`
	Last   human.Index `json:"last_index"`
	Breaks []Break     `json:"breaks"`
	// Versions are set in an answer about one file.
	Versions []VersionRow `json:"versions,omitempty"`

	File     *File     `json:"-"`
	Segments []Segment `json:"-"`
}

// Break is a point of a chain between two messages, where something else changed the file.
type Break struct {
	After  human.Index `json:"after_index"`
	Before human.Index `json:"before_index"`
}

// VersionRow is a version of a file in an answer.
type VersionRow struct {
	Index   human.Index      `json:"index"` // of the message
	Turn    human.Index      `json:"turn"`
	Op      string           `json:"op"`
	State   State            `json:"state"`
	Added   int              `json:"added"`
	Removed int              `json:"removed"`
	Agent   human.TextOrNull `json:"agent"` // subagent
	Known   bool             `json:"known"` // the complete content is known
}

// Segment is a part of a chain without changes from outside. It leads from the version Base to End.
type Segment struct {
	Base, End int
	Known     bool // the contents of both are known
}

// MarshalText writes the state by its name.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name of a state; an unknown name becomes Exact.
func (s *State) UnmarshalText(text []byte) error {
	*s = State(max(slices.Index(stateNames[:], string(text)), 0))
	return nil
}

// Answer sums up the selected calls.
func (h *History) Answer(ctx context.Context, sel query.Selection) (*Answer, error) {
	a := &Answer{Version: human.AnswerVersion, Files: []Change{}, sel: sel, history: h}
	picked := newPicker(sel)
	for _, f := range h.Files {
		c, err := h.change(ctx, f, picked)
		if err != nil {
			return nil, err
		}
		if c == nil {
			continue
		}
		a.Files = append(a.Files, *c)
		a.Added, a.Removed, a.Breaks = a.Added+c.Added, a.Removed+c.Removed, a.Breaks+len(c.Breaks)
		switch c.Status {
		case Created:
			a.Created++
		case Deleted:
			a.Deleted++
		case Renamed:
			a.Renamed++
		}
	}
	slices.SortStableFunc(a.Files, func(x, y Change) int {
		return cmp.Or(cmp.Compare(path.Dir(x.Path), path.Dir(y.Path)), cmp.Compare(x.Path, y.Path))
	})
	return a, nil
}

// picker reports which versions are in a selection.
type picker struct {
	sel query.Selection
	set query.RowSet // nil: all
}

func newPicker(sel query.Selection) picker {
	if sel.Everything() && sel.Of == 0 {
		return picker{sel: sel}
	}
	return picker{sel, query.NewRowSet(sel.Snap, sel.IDs)}
}

func (p *picker) has(v *Version) bool {
	if v.Op == Start || v.Op == Outside || v.Inherited {
		return false
	}
	if p.sel.Calls != nil && !p.sel.Calls.Has(v.Call) {
		return false
	}
	if p.set == nil || p.set.Has(v.Message) {
		return true
	}
	return v.Pos >= 0 && p.sel.Snap.Pos(v.Message) < 0 && p.set.Has(p.sel.Snap.At(v.Pos))
}

// change sums up the selected versions of a file; nil if there is none.
func (h *History) change(ctx context.Context, f *File, picked picker) (*Change, error) {
	c := &Change{Path: f.Path, File: f, First: -1, Last: -1, Breaks: []Break{}}
	for i := 1; i < len(f.Versions); i++ {
		v := &f.Versions[i]
		if v.Op == Outside || v.State == Broken {
			if c.Edits > 0 || len(c.Segments) > 0 {
				c.Breaks = append(c.Breaks, Break{human.Index(f.Versions[i-1].Pos), human.Index(v.Pos)})
			}
		}
		if !picked.has(v) {
			continue
		}
		c.Edits++
		c.State = max(c.State, v.worst())
		pos := human.Index(v.Pos)
		if pos >= 0 && (c.First < 0 || pos < c.First) {
			c.First = pos
		}
		c.Last = max(c.Last, pos)
		if n := len(c.Segments); n > 0 && c.Segments[n-1].End == i-1 && v.State != Broken {
			c.Segments[n-1].End = i
		} else {
			c.Segments = append(c.Segments, Segment{Base: i - 1, End: i})
		}
	}
	if c.Edits == 0 {
		return nil, nil
	}
	first, last := c.Segments[0].Base, c.Segments[len(c.Segments)-1].End
	c.Breaks = slices.DeleteFunc(c.Breaks, func(b Break) bool { return b.Before > c.Last && c.Last >= 0 && !f.endsBroken(last) })
	if len(c.Breaks) > 0 {
		c.State = Broken
	}
	for i := range c.Segments {
		if err := h.count(ctx, c, &c.Segments[i]); err != nil {
			return nil, err
		}
	}
	c.name(h, f, first, last)
	return c, nil
}

// endsBroken reports whether something else changed the file after a version.
func (f *File) endsBroken(version int) bool {
	return version+1 < len(f.Versions) && f.Versions[version+1].Op == Outside
}

// worst returns the state of a version in a chain.
func (v *Version) worst() State {
	if v.Op == Touch && v.Known {
		return Exact // a later call showed the file
	}
	return v.State
}

// count adds the lines of a segment: from its two ends if they are known, otherwise from its
// versions.
func (h *History) count(ctx context.Context, c *Change, s *Segment) error {
	n, known, err := h.net(ctx, c.File, *s)
	s.Known = known
	c.Added, c.Removed = c.Added+n.Added, c.Removed+n.Removed
	return err
}

// End is a file at one end of a segment.
type End struct {
	Path, Text string
	Absent     bool
}

// Ends returns the file at both ends of a segment. If a call wrote the whole file and its previous
// content is unknown, the file counts as new. The error is ErrUnknown if a content is unknown.
func (h *History) Ends(ctx context.Context, f *File, s Segment) (before, after End, err error) {
	base, end := &f.Versions[s.Base], &f.Versions[s.End]
	before.Path, after.Path = h.Shown(f, base.Path), h.Shown(f, end.Path)
	if first := &f.Versions[s.Base+1]; !base.Known && base.Op == Start && first.Op == Write {
		before.Absent = true
	} else if before.Text, before.Absent, err = h.Content(ctx, f, s.Base); err != nil {
		return before, after, err
	}
	after.Text, after.Absent, err = h.Content(ctx, f, s.End)
	return before, after, err
}

// name finds the status of the file between two versions.
func (c *Change) name(h *History, f *File, first, last int) {
	before, after := &f.Versions[first], &f.Versions[last]
	from := h.Shown(f, before.Path)
	c.Path = h.Shown(f, after.Path)
	switch {
	case before.Absent && after.Absent:
		c.Status = Unchanged
	case before.Absent:
		c.Status = Created
	case after.Absent:
		c.Status = Deleted
	case from != c.Path:
		c.Status, c.From = Renamed, human.TextOrNull(from)
	case !before.Known && f.Versions[first+1].Op == Write, !before.Known && f.Versions[first+1].Op == Copy:
		c.Status = Written
	case before.Known && after.Known && before.sum.exact == after.sum.exact:
		c.Status = Unchanged
	default:
		c.Status = Modified
	}
}

// Of returns the change of the file with a path as in the answer, nil for none.
func (a *Answer) Of(name string) *Change {
	for i := range a.Files {
		if c := &a.Files[i]; c.Path == path.Clean(name) || c.File.key == name {
			return c
		}
	}
	return nil
}

// Find returns the changes whose path is, or ends with, a name.
func (a *Answer) Find(name string) (found []*Change) {
	name = strings.TrimPrefix(path.Clean(strings.ReplaceAll(name, `\`, "/")), "./")
	for i := range a.Files {
		c := &a.Files[i]
		if c.Path == name || c.File.key == name || string(c.From) == name {
			return []*Change{c}
		}
		if strings.HasSuffix(c.Path, "/"+name) || strings.HasSuffix(c.File.key, "/"+name) {
			found = append(found, c)
		}
	}
	return found
}

// Patch returns the net change of a file as a patch for git apply, with one part for each
// segment. left is the number of segments without known contents; the patch lacks them.
func (a *Answer) Patch(ctx context.Context, c *Change) (text string, left int, err error) {
	var b strings.Builder
	for _, s := range c.Segments {
		f, err := a.history.Diff(ctx, c.File, s)
		if errors.Is(err, ErrUnknown) {
			left++
			continue
		} else if err != nil {
			return "", 0, err
		}
		if f != nil {
			b.WriteString(f.Unified())
		}
	}
	return b.String(), left, nil
}

// Show returns the net change of a file for people: the patch, and the lines of each edit if
// the full file is unknown.
func (a *Answer) Show(ctx context.Context, c *Change) (string, error) {
	var b strings.Builder
	for _, s := range c.Segments {
		f, err := a.history.Diff(ctx, c.File, s)
		switch {
		case errors.Is(err, ErrUnknown):
			for i := s.Base + 1; i <= s.End; i++ {
				if err := a.history.showEdits(ctx, &b, &c.File.Versions[i]); err != nil {
					return "", err
				}
			}
		case err != nil:
			return "", err
		case f != nil:
			b.WriteString(f.Unified())
		}
	}
	return b.String(), nil
}

// showEdits writes the lines of the edits that made a version.
func (h *History) showEdits(ctx context.Context, b *strings.Builder, v *Version) error {
	acts, err := h.acts(ctx, v.Call)
	if err != nil {
		return err
	}
	for i := range acts {
		a := &acts[i]
		if a.path != v.Path {
			continue
		}
		for _, hunk := range a.changed() {
			b.WriteString("@@ " + place(human.Index(v.Pos)) + " " + v.Op.String() + " @@\n" + strings.Join(hunk.Lines, "\n") + "\n")
		}
	}
	return nil
}

// Diff returns the changes of a segment to a file; nil if there are none.
func (h *History) Diff(ctx context.Context, f *File, s Segment) (*patch.File, error) {
	before, after, err := h.Ends(ctx, f, s)
	if err != nil {
		return nil, err
	}
	p := &patch.File{Path: patchPath(before.Path), Hunks: patch.Diff(before.Text, after.Text)}
	switch to := patchPath(after.Path); {
	case before.Absent && after.Absent:
		return nil, nil
	case before.Absent:
		p.Op, p.Path = patch.Add, to
	case after.Absent:
		p.Op = patch.Delete
	case p.Path != to:
		p.To = to
	case len(p.Hunks) == 0:
		return nil, nil
	}
	return p, nil
}

// patchPath returns a path that git accepts: relative, and inside the folder to which the patch
// applies.
func patchPath(p string) string {
	p = strings.TrimPrefix(p, "~/")
	p = path.Clean("/" + p)
	return strings.TrimLeft(p, "/")
}

// Describe adds the versions to a change.
func (a *Answer) Describe(c *Change) {
	c.Versions = []VersionRow{}
	threads := a.sel.Snap.Threads()
	picked := newPicker(a.sel)
	for i := range c.File.Versions {
		v := &c.File.Versions[i]
		if v.Op != Start && v.Op != Outside && !picked.has(v) {
			continue
		}
		row := VersionRow{Index: human.Index(v.Pos), Turn: query.NoTurn, Op: v.Op.String(), State: v.State, Added: v.Added, Removed: v.Removed, Known: v.Known}
		if v.Message != model.NoID && v.Op != Start {
			row.Turn = human.Index(a.history.Turns.Turn(v.Message))
			if t := &threads[a.sel.Snap.HeadRow(v.Message).Thread]; !t.Main {
				row.Agent = human.TextOrNull(t.Name)
			}
		}
		c.Versions = append(c.Versions, row)
	}
}

// At returns the version of a file after a message: the last one made up to the position pos.
// It returns -1 if the chain begins later and the content before it is unknown.
func (f *File) At(pos int) int {
	at := -1
	for i := range f.Versions {
		v := &f.Versions[i]
		if v.Op == Start && v.Known || v.Op != Start && v.Pos <= pos {
			at = i
		}
	}
	return at
}

// WriteJSON writes the answer as JSON.
func (a *Answer) WriteJSON(w io.Writer) error { return query.WriteJSON(w, a) }
