package many

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/label"
	"turns/query/session"
)

// Failure is a failed call or a failed session.
type Failure struct {
	Tool    string // as recorded: the name in turns tools
	Outcome string // failure, denied, timeout …
	Line    string // the explanation, as recorded
	Path    string
	Index   int   // position of the message; -1: none
	Time    int64 // Unix ms; 0: unknown

	Group string // of a label: its counted name; of others the kind, if known
}

// group holds the common properties of the failures in a group.
type group [3]string

func (f *Failure) group() group { return group{f.Tool, f.Outcome, key(f.Kind())} }

// Failures returns the failed calls of a selection of a conversation, and its own failure.
func Failures(ctx context.Context, sel query.Selection, s *session.Session) ([]Failure, error) {
	if sel.Len() == 0 {
		return nil, nil
	}
	snap := sel.Snap
	pairs, picked := query.NewPairs(snap), query.NewRowSet(snap, sel.IDs)
	words, at := describe.NewDescriber(snap.Session(sel.IDs[0])), places(sel)
	words.Whole = true // otherwise quotations cut at different lengths would be different kinds
	var list []Failure
	for i := range snap.CallCount() {
		c := snap.Call(model.CallID(i))
		if !c.Outcome.Failed() || !snap.Counted(c) || !picked.Has(c.Place()) {
			continue
		}
		read, err := pairs.Read(ctx, model.CallID(i))
		if err != nil {
			return list, err
		}
		line := words.Row(&read)
		f := Failure{model.CleanLine(query.ToolName(snap, c)), c.Outcome.String(), line.Outcome, s.Path, at(c.Place()), snap.HeadRow(c.Place()).Time, ""}
		f.Group = f.Kind()
		list = append(list, f)
	}
	if s.Ending.State == model.RunFailed {
		last := sel.IDs[sel.Len()-1]
		list = append(list, Failure{"(run)", "failed", s.State().Words(), s.Path, at(last), snap.HeadRow(last).Time, ""})
	}
	return list, nil
}

// Labels returns the labels of the messages of a selection, their calls and their session.
func Labels(sel query.Selection, s *session.Session, labels *label.Here) (list []Failure) {
	if sel.Len() == 0 {
		return nil
	}
	snap, at, picked := sel.Snap, places(sel), query.NewRowSet(sel.Snap, sel.IDs)
	this := snap.Threads()[snap.HeadRow(sel.IDs[0]).Thread].Session
	all := labels.All()
	for i := range all {
		p := &all[i]
		f := Failure{Outcome: string(p.Kind), Line: p.Words(), Path: s.Path, Index: -1, Time: p.Time.UnixMilli(), Group: p.CountedAs()}
		if p.ID != model.NoID {
			f.Index = at(p.ID)
		}
		if p.ID == model.NoID && p.Session == this || p.ID != model.NoID && picked.Has(p.ID) {
			list = append(list, f)
		}
	}
	return list
}

// places returns a function for the positions of messages in their conversation, as if opened by
// itself; -1 for messages without one.
func places(sel query.Selection) func(model.ID) int {
	snap := sel.Snap
	if len(snap.Sessions()) == 1 {
		return snap.Pos
	}
	at := map[model.ID]int{}
	threads := snap.Threads()
	this := threads[snap.HeadRow(sel.IDs[0]).Thread].Session
	for _, id := range snap.LiveIDs() {
		if threads[snap.HeadRow(id).Thread].Session == this {
			at[id] = len(at)
		}
	}
	return func(id model.ID) int {
		if n, ok := at[id]; ok {
			return n
		}
		return -1
	}
}

// part is a part of an explanation that differs between failures of one kind, and its replacement.
// A line is only searched if it has one of the letters.
type part struct {
	letters string
	what    *regexp.Regexp
	stead   string
}

// differing returns the parts that differ, compiled at the first failure.
var differing = sync.OnceValue(func() []part {
	return []part{
		{"·", regexp.MustCompile(`^(?:exit -?\d+|error) · `), ""},
		{"x", regexp.MustCompile(`^(?:Command |Process )?exited with (?:exit )?(?:code|status) (-?\d+)\.?$`), "exit $1"},
		{":", regexp.MustCompile(`https?://\S+`), "URL"},
		{"\"`'‘“", regexp.MustCompile("\"[^\"]*\"|`[^`]*(?:`|$)|'[^' ]*'|‘[^’]*’|“[^”]*”"), "…"},
		{`/\`, regexp.MustCompile(`(?:[A-Za-z]:)?(?:~|\.{1,2}|[\w.@-]+)?(?:[/\\][\w.@+~-]+)+[/\\]?`), "PATH"},
		{".", regexp.MustCompile(`\b[\w-]+\.(?:go|py|js|ts|tsx|jsx|rs|java|c|h|cc|cpp|rb|sh|md|json|jsonl|toml|yaml|yml|txt|html|css|sql|lock|log)\b`), "PATH"},
		{"0123456789abcdef", regexp.MustCompile(`\b[0-9a-f]{8,}(?:-[0-9a-f]+)*\b`), "ID"},
		{"_", regexp.MustCompile(`\b\w*_[0-9A-Za-z]{10,}\b`), "ID"},
		{"0123456789", regexp.MustCompile(`\d+(?:[.,:]\d+)*`), "N"},
		{":", regexp.MustCompile(`PATH(?::N)+`), "PATH"},
		{":", regexp.MustCompile(`^[\w.-]+: (PATH: )`), "$1"},
		{"-_@", regexp.MustCompile(`\b(branch|package|module|table|image|target) \pL[\pL\pN]*(?:[-_@][\pL\pN.]+)+`), "$1 NAME"},
	}
})

var plural = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bn (\pL+[^s\PL])s\b`) })

// key returns the form of a kind that is equal for similar kinds, regardless of case and number.
func key(kind string) string { return plural().ReplaceAllString(strings.ToLower(kind), "n $1") }

// kindMost is the maximum length of a kind.
const kindMost = 160

// Kind returns the common part of similar failures: the explanation without numbers, file names and
// ids.
func (f *Failure) Kind() string {
	if f.Group != "" {
		return f.Group
	}
	line := human.CutBytes(strings.TrimSpace(f.Line), describe.WholeMax)
	for _, s := range differing() {
		if strings.ContainsAny(line, s.letters) {
			line = s.what.ReplaceAllString(line, s.stead)
		}
	}
	return human.CutBytes(strings.Join(strings.Fields(line), " "), kindMost)
}

// FailureGroup is failures of one kind.
type FailureGroup struct {
	Tool     string      `json:"tool_name"`
	Outcome  string      `json:"outcome"`
	Kind     string      `json:"kind"`
	Count    int         `json:"count"`
	Share    float64     `json:"share"` // of all failures
	Runs     int         `json:"sessions"`
	First    human.Stamp `json:"first_time"`
	Last     human.Stamp `json:"last_time"`
	Examples []Example   `json:"examples"`
	Before   *int        `json:"before"` // count in the baseline
	lastRun  string
}

// Example is the place of one of the failures.
type Example struct {
	Path  string      `json:"path"`
	Index human.Index `json:"index"`
	Line  string      `json:"line"`
}

// String returns the arguments that open the example.
func (e *Example) String() string {
	if e.Index < 0 {
		return model.CleanLine(e.Path)
	}
	return fmt.Sprintf("%s --at %d", model.CleanLine(e.Path), e.Index)
}

// examplesMost is the maximum number of examples of a group.
const examplesMost = 3

// Groups collects failures of one kind.
type Groups struct {
	Of   string // subject of the groups: failure, label
	List []*FailureGroup
	All  int
	at   map[group]*FailureGroup
}

// NewGroups returns empty groups.
func NewGroups(of string) *Groups {
	return &Groups{Of: of, at: map[group]*FailureGroup{}}
}

// Add adds a failure.
func (g *Groups) Add(f *Failure) {
	id := f.group()
	group := g.at[id]
	if group == nil {
		group = &FailureGroup{Tool: f.Tool, Outcome: f.Outcome, Kind: f.Kind()}
		g.at[id], g.List = group, append(g.List, group)
	}
	g.All++
	group.Count++
	if group.lastRun != f.Path || group.Runs == 0 { // runs are in sequence
		group.lastRun = f.Path
		group.Runs++
	}
	if at := human.Stamp(f.Time); at != 0 {
		if group.First == 0 || at < group.First {
			group.First = at
		}
		group.Last = max(group.Last, at)
	}
	if len(group.Examples) < examplesMost {
		group.Examples = append(group.Examples, Example{f.Path, human.Index(f.Index), human.CutBytes(f.Line, 400)})
	}
}

// Holds reports whether a failure belongs to a group.
func (g *FailureGroup) Holds(f *Failure) bool {
	return f.Tool == g.Tool && f.Outcome == g.Outcome && key(f.Kind()) == key(g.Kind)
}

// Finish sorts the groups by size and sets their shares. before is the baseline, nil for none;
// fresh is the number of groups that the baseline lacks.
func (g *Groups) Finish(before *Groups) (fresh int) {
	for id, group := range g.at {
		group.Share = float64(group.Count) / float64(g.All)
		if before != nil {
			group.Before = new(int)
			if was := before.at[id]; was != nil {
				*group.Before = was.Count
			} else {
				fresh++
			}
		}
	}
	slices.SortFunc(g.List, func(x, y *FailureGroup) int {
		return cmp.Or(cmp.Compare(one(y.isNew()), one(x.isNew())), cmp.Compare(y.Count, x.Count), cmp.Compare(x.Tool, y.Tool), cmp.Compare(x.Outcome, y.Outcome), cmp.Compare(x.Kind, y.Kind))
	})
	return fresh
}

// Sum counts the failures and the groups.
func (g *Groups) Sum() string {
	return human.Plural(g.All, g.Of) + " in " + human.Plural(len(g.at), "group")
}

func (g *FailureGroup) isNew() bool { return g.Before != nil && *g.Before == 0 }

// Columns returns the columns of a table of groups.
func (g *Groups) Columns(zone *time.Location) []answer.Column[*FailureGroup] {
	type column = answer.Column[*FailureGroup]
	day := func(c column, of func(*FailureGroup) human.Stamp) column {
		c.Width, c.Gap, c.Order = 10, 2, answer.By(of)
		c.Cell = func(f *FailureGroup) answer.Cell {
			return answer.Cell{Text: human.StampIn(int64(of(f)), zone, time.DateOnly)}
		}
		return c
	}
	count := func(f *FailureGroup) int { return f.Count }
	list := []column{
		answer.Counts(column{Name: "count", Head: "count", Width: 6}, answer.Plain, count),
		{Name: "share", Head: "share", Kind: answer.Number, Width: 7, Gap: 2, Drop: 4, Order: answer.By(count), Cell: func(f *FailureGroup) answer.Cell {
			return answer.Cell{Text: human.Percent(f.Count, g.All)}
		}},
		answer.Counts(column{Name: "sessions", Head: "sessions", Width: 8, Gap: 2, Drop: 2}, answer.Plain, func(f *FailureGroup) int { return f.Runs }),
	}
	why := "why"
	if g.Of == "failure" {
		list = append(list,
			answer.Texts(column{Name: "tool", Head: "tool", Room: 24, Width: 12, Gap: 2}, func(f *FailureGroup) string { return f.Tool }),
			answer.Texts(column{Name: "outcome", Head: "outcome", Width: 9, Gap: 2, Drop: 3}, func(f *FailureGroup) string { return f.Outcome }))
	} else {
		why = g.Of
	}
	return append(list,
		answer.Texts(column{Name: "why", Head: why, Room: 70, Width: 36, Gap: 2, Flex: 1}, func(f *FailureGroup) string { return cmp.Or(f.Kind, human.NotSaid) }),
		day(column{Name: "first", Head: "first", Drop: 6}, func(f *FailureGroup) human.Stamp { return f.First }),
		day(column{Name: "last", Head: "last", Drop: 5}, func(f *FailureGroup) human.Stamp { return f.Last }))
}

// compared are the columns before the others if there is a baseline.
var compared = []answer.Column[*FailureGroup]{
	{Cell: func(f *FailureGroup) answer.Cell {
		if f.isNew() {
			return answer.Cell{Text: "new"}
		}
		return answer.Cell{}
	}},
	{Head: "before", Kind: answer.Number, Cell: func(f *FailureGroup) answer.Cell { return answer.Count(*f.Before, answer.Plain) }},
}

// Doc describes the groups.
func (g *Groups) Doc(zone *time.Location) *answer.Doc {
	columns := g.Columns(zone)
	columns[2].Head, columns[2].Stays = "runs", true // scripts read this head
	columns = append(columns, answer.Column[*FailureGroup]{
		Head: "example", Kind: answer.Path, Drop: 1, Cell: func(f *FailureGroup) answer.Cell { return answer.Cell{Text: f.Examples[0].String()} },
	})
	if len(g.List) > 0 && g.List[0].Before != nil {
		columns = append(slices.Clone(compared), columns...)
	}
	return &answer.Doc{Sections: []answer.Section{{
		Table: answer.Of(columns, g.List...), Notes: []string{g.Sum()},
	}}}
}

// FailureColumns returns the columns of a table of single failures; name returns the name of a
// session.
func FailureColumns(zone *time.Location, name func(path string) string) []answer.Column[*Failure] {
	type column = answer.Column[*Failure]
	index := func(f *Failure) int { return f.Index }
	return []column{
		answer.Texts(column{Name: "session", Head: "session", Width: 20, Flex: 1}, func(f *Failure) string { return name(f.Path) }),
		answer.Counts(column{Name: "at", Head: "at", Width: 6, Gap: 2, Drop: 1, Asc: true}, answer.Plain, index),
		{Name: "day", Head: "day", Width: 10, Gap: 2, Drop: 2, Order: answer.By(func(f *Failure) int64 { return f.Time }), Cell: func(f *Failure) answer.Cell {
			return answer.Cell{Text: human.StampIn(f.Time, zone, time.DateOnly)}
		}},
		answer.Texts(column{Name: "message", Head: "message", Width: 20, Gap: 2, Flex: 2}, func(f *Failure) string { return f.Line }),
	}
}
