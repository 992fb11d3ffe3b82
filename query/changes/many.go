package changes

import (
	"cmp"
	"io"
	"path"
	"slices"

	"turns/query"
	"turns/query/answer"
	"turns/query/human"
)

// TotalsAnswer sums up the file changes of many sessions.
type TotalsAnswer struct {
	Version  int     `json:"version"`
	By       string  `json:"by"` // file, dir or session
	Sessions int     `json:"sessions"`
	Totals   []Total `json:"totals"` // most edits first

	place map[string]int
}

// Total sums up the changes of many sessions to one file or folder, or of one session to all files.
type Total struct {
	Key      string `json:"key"`
	Sessions int    `json:"sessions"`
	Files    int    `json:"files"`
	Edits    int    `json:"edits"`
	Added    int    `json:"added"` // lines, the net of each session
	Removed  int    `json:"removed"`
	Breaks   int    `json:"breaks"`

	seen  map[string]bool // files
	lastS int             // number of the last session
}

// totalKeys are the keys by which the changes of many sessions are grouped.
var totalKeys = []string{"file", "dir", "session"}

// TotalKeys returns the keys by which the changes of many sessions can be grouped.
func TotalKeys() []string { return slices.Clone(totalKeys) }

// NewTotals returns an answer without sessions. by is one of TotalKeys.
func NewTotals(by string) *TotalsAnswer {
	return &TotalsAnswer{Version: human.AnswerVersion, By: by, Totals: []Total{}, place: map[string]int{}}
}

// FileTotal sums up the changes of a session to one file, apart from its contents.
type FileTotal struct {
	Path                          string // absolute if known, with ~ for the home directory
	Edits, Added, Removed, Breaks int
}

// Totals returns the files of an answer for a sum over many sessions.
func (a *Answer) Totals() []FileTotal {
	var out []FileTotal
	for i := range a.Files {
		c := &a.Files[i]
		d := a.history.describer(c.File.Versions[len(c.File.Versions)-1].Message)
		d.Cwd = ""
		out = append(out, FileTotal{d.PathOf(c.File.key), c.Edits, c.Added, c.Removed, len(c.Breaks)})
	}
	return out
}

// Add adds the changes of one session.
func (t *TotalsAnswer) Add(session string, files []FileTotal) {
	t.Sessions++
	for _, f := range files {
		key := f.Path
		switch t.By {
		case "dir":
			key = path.Dir(f.Path)
		case "session":
			key = session
		}
		i, ok := t.place[key]
		if !ok {
			i = len(t.Totals)
			t.place[key] = i
			t.Totals = append(t.Totals, Total{Key: key, seen: map[string]bool{}})
		}
		s := &t.Totals[i]
		if s.lastS != t.Sessions {
			s.Sessions, s.lastS = s.Sessions+1, t.Sessions
		}
		if !s.seen[f.Path] {
			s.seen[f.Path] = true
			s.Files++
		}
		s.Edits, s.Added, s.Removed, s.Breaks = s.Edits+f.Edits, s.Added+f.Added, s.Removed+f.Removed, s.Breaks+f.Breaks
	}
}

// Finish sorts the totals and shortens the list to most of them; 0 means all. It returns how
// many it dropped.
func (t *TotalsAnswer) Finish(most int) (left int) {
	slices.SortStableFunc(t.Totals, func(x, y Total) int {
		return cmp.Or(cmp.Compare(y.Edits, x.Edits), cmp.Compare(y.Added+y.Removed, x.Added+x.Removed), cmp.Compare(x.Key, y.Key))
	})
	if most > 0 && most < len(t.Totals) {
		left = len(t.Totals) - most
		t.Totals = t.Totals[:most]
	}
	return left
}

// Doc describes the totals. left is the number of totals that Finish dropped.
func (t *TotalsAnswer) Doc(left int) *answer.Doc {
	d := &answer.Doc{}
	if len(t.Totals) == 0 {
		d.AddText("No call changes a file")
		return d
	}
	heads, files := []string{"<" + t.By, ">sessions", ">edits", ">lines", ">breaks"}, t.By != "file"
	if files {
		heads = slices.Insert(heads, 2, ">files")
	}
	table := answer.NewTable(heads...).Cut(72, 0)
	for i := range t.Totals {
		s := &t.Totals[i]
		cells := []string{s.Key, human.Count(s.Sessions), human.Count(s.Edits), PlusMinus(s.Added, s.Removed), human.OrDot(s.Breaks, human.Count)}
		if files {
			cells = slices.Insert(cells, 2, human.Count(s.Files))
		}
		table.Add(cells...)
	}
	d.AddTable("", table)
	d.Rest(left)
	return d
}

// WriteJSON writes the answer as JSON.
func (t *TotalsAnswer) WriteJSON(w io.Writer) error { return query.WriteJSON(w, t) }
