package changes

import (
	"cmp"
	"path"
	"strconv"
	"strings"

	"turns/model"
	"turns/query/answer"
	"turns/query/human"
)

// Headline returns the sum in one line: "26 files  +1,871 −24   1 break".
func (a *Answer) Headline() string {
	s := human.Plural(len(a.Files), "file") + "  " + PlusMinus(a.Added, a.Removed)
	if a.Breaks > 0 {
		s += "   " + human.Plural(a.Breaks, "break")
	}
	return s
}

// PlusMinus formats numbers of lines: "+12 −3".
func PlusMinus(added, removed int) string { return answer.Delta(added, removed).Text }

// linesCell formats numbers of lines. The transcript may lack those of a command.
func linesCell(added, removed int, state State) answer.Cell {
	if added+removed == 0 && state == Uncertain {
		return answer.Unknown
	}
	return answer.Delta(added, removed)
}

// statusLetters are the letters for a status in version control.
var statusLetters = map[Status]string{Created: "A", Modified: "M", Deleted: "D", Renamed: "R", Written: "W", Unchanged: "="}

// Letter returns the status as a letter.
func (s Status) Letter() string { return statusLetters[s] }

// Words describes the state of a change.
func (c *Change) Words() string {
	if len(c.Breaks) == 0 {
		return c.State.String()
	}
	b := c.Breaks[len(c.Breaks)-1]
	text := "changed outside between " + place(b.After) + " and " + place(b.Before)
	if n := len(c.Breaks) - 1; n > 0 {
		text += ", " + human.Count(n) + " more"
	}
	return text
}

func place(pos human.Index) string {
	if pos < 0 {
		return "start"
	}
	return answer.At(pos).Text
}

// Places returns the first and the last message that changed the file.
func (c *Change) Places() string {
	switch {
	case c.First < 0:
		return ""
	case c.First == c.Last:
		return place(c.First)
	}
	return place(c.First) + " … " + place(c.Last)
}

// PathWord returns a path for a line of text. It quotes paths with tabs, line breaks or several
// blanks in a row, which would look like another path.
func PathWord(p string) string {
	if model.CleanLine(p) != p || strings.Join(strings.Fields(p), " ") != p {
		return strconv.Quote(p)
	}
	return p
}

// Folder has the net change of the files of a folder.
type Folder struct {
	Path           string
	Added, Removed int
	Files          []*Change
}

// Folders groups the files by their folder, in order.
func (a *Answer) Folders() (folders []Folder) {
	for i := range a.Files {
		c := &a.Files[i]
		dir := path.Dir(c.Path)
		if n := len(folders); n == 0 || folders[n-1].Path != dir {
			folders = append(folders, Folder{Path: dir})
		}
		f := &folders[len(folders)-1]
		f.Added, f.Removed, f.Files = f.Added+c.Added, f.Removed+c.Removed, append(f.Files, c)
	}
	return folders
}

// Doc describes the tree of files.
func (a *Answer) Doc() *answer.Doc {
	d := &answer.Doc{}
	if len(a.Files) == 0 {
		d.AddText("No call changes a file")
		return d
	}
	head := a.Headline()
	if !a.sel.Whole() {
		head += "   of " + a.sel.Scope()
	}
	d.AddText(head)
	columns := answer.Pick(Columns(), "file", "status", "lines", "edits", "messages", "state")
	t := answer.Of(columns)
	for _, f := range a.Folders() {
		indent := 0
		if f.Path != "." {
			indent = 2
			t.Add(PathWord(f.Path), "", PlusMinus(f.Added, f.Removed)).Cells[0].More = "/"
		}
		first := len(t.Rows)
		answer.Add(t, columns, f.Files...)
		for i := range t.Rows[first:] {
			t.Rows[first+i].Indent = indent
		}
	}
	d.AddTable("", t)
	return d
}

// Columns returns the columns of changed files, whose folders are shown apart.
func Columns() []answer.Column[*Change] {
	type column = answer.Column[*Change]
	return []column{
		{Name: "file", Head: "file", Kind: answer.Path, Room: 72, Width: 20, Flex: 3, Asc: true, Order: func(a, b *Change) int { return strings.Compare(a.Path, b.Path) },
			Cell: func(c *Change) answer.Cell {
				cell := answer.Cell{Text: PathWord(path.Base(c.Path))}
				if c.From != "" {
					cell.More = " ← " + human.OneLine(PathWord(string(c.From)), 60)
				}
				return cell
			}},
		{Name: "status", Kind: answer.Word, Width: 1, Gap: 1, Cell: func(c *Change) answer.Cell { return answer.Cell{Text: c.Status.Letter(), Tone: answer.Dim} }},
		{Name: "state", Head: "state", Width: 6, Flex: 2, Gap: 1, Asc: true, Cell: (*Change).stateCell, Order: func(a, b *Change) int { return cmp.Compare(b.State, a.State) }},
		{Name: "lines", Head: "lines", Kind: answer.Number, Width: 9, Gap: 1, Cell: func(c *Change) answer.Cell { return linesCell(c.Added, c.Removed, c.State) },
			Order: answer.By(func(c *Change) int { return c.Added + c.Removed })},
		answer.Counts(column{Name: "edits", Head: "edits"}, answer.Plain, func(c *Change) int { return c.Edits }),
		{Name: "messages", Head: "messages", Kind: answer.Word, Drop: 2, Cell: func(c *Change) answer.Cell { return answer.Cell{Text: c.Places()} }},
	}
}

// stateCell describes the state. In less room it leaves out how often, and then when.
func (c *Change) stateCell() answer.Cell {
	cell := answer.Cell{Text: c.Words(), Tone: answer.Dim, Short: func(room int) string {
		if n := len(c.Breaks); n > 0 {
			b := &c.Breaks[n-1]
			if s := c.State.String() + " " + place(b.After) + " … " + place(b.Before); human.Width(s) <= room {
				return s
			}
		}
		return c.State.String()
	}}
	if c.State == Broken {
		cell.Tone = answer.Bad
	}
	return cell
}

// Doc describes the versions of a file.
func (c *Change) Doc() *answer.Doc {
	d := &answer.Doc{}
	d.AddText(PathWord(c.Path) + "   " + string(c.Status) + "  " + linesCell(c.Added, c.Removed, c.State).Text + "  " + human.Plural(c.Edits, "edit") + "   " + c.Words())
	t := answer.NewTable("=message", ">turn", "op", ">lines", "state", "agent?").Cut(24, 5)
	for i := range c.Versions {
		v := &c.Versions[i]
		turn, lines := human.NotSaid, linesCell(v.Added, v.Removed, v.State).Text
		if v.Turn >= 0 {
			turn = strconv.Itoa(int(v.Turn))
		}
		if v.Op == Start.String() || v.Op == Outside.String() {
			turn, lines = "", ""
		}
		t.Add(place(v.Index), turn, v.Op, lines, stateWord(v), string(v.Agent))
	}
	d.AddTable("", t)
	return d
}

// stateWord describes the state of a version; for the start, whether it is known.
func stateWord(v *VersionRow) string {
	switch {
	case v.Op == Start.String() && !v.Known:
		return "not recorded"
	case v.Op == Start.String():
		return "known"
	case v.Op == Outside.String():
		return "changed outside"
	}
	return v.State.String()
}
