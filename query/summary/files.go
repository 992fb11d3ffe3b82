package summary

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/human"
)

// FilesAnswer lists the files that the calls of a selection read and edited, sorted by tokens.
type FilesAnswer struct {
	Version int         `json:"version"`
	Files   []FileStats `json:"files"`
	sel     query.Selection
}

// FileStats is one file. Its path is relative to the folder of its session if it is inside it.
type FileStats struct {
	Path    string         `json:"path"`
	Reads   int            `json:"reads"`
	Edits   int            `json:"edits"`
	Added   int            `json:"lines_added"` // of edits that did not fail
	Removed int            `json:"lines_removed"`
	Errors  int            `json:"tool_errors"`
	Tokens  *int64         `json:"total_tokens"` // of the calls; null: not counted
	First   human.Index    `json:"first_index"`  // of messages; null: in subagents only
	Last    human.Index    `json:"last_index"`
	Rows    []model.CallID `json:"-"`
}

// Files finds the files that the calls of a selection read and wrote. It reads the arguments of
// tools that may name files. tokens may be nil.
func Files(ctx context.Context, sel query.Selection, tokens *query.TokenColumn) (*FilesAnswer, error) {
	w := fileWalk{Coverage: query.NewCoverage(sel), pairs: query.NewPairs(sel.Snap), tokens: tokens, files: []FileStats{}, place: map[string]int{}, sayers: map[*model.Session]describe.Describer{}}
	for i := range sel.Snap.CallCount() {
		if err := w.call(ctx, model.CallID(i)); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(w.files, func(a, b FileStats) int {
		if a.Tokens != nil && b.Tokens != nil && *a.Tokens != *b.Tokens {
			return int(*b.Tokens - *a.Tokens)
		}
		return len(b.Rows) - len(a.Rows)
	})
	return &FilesAnswer{human.AnswerVersion, w.files, sel}, nil
}

type fileWalk struct {
	query.Coverage
	pairs  *query.Pairs
	tokens *query.TokenColumn
	place  map[string]int
	files  []FileStats
	sayers map[*model.Session]describe.Describer
}

func (w *fileWalk) call(ctx context.Context, id model.CallID) error {
	part, at := w.Part(id)
	if part != query.Own && part != query.Apart {
		return nil
	}
	c := w.Snap.Call(id)
	if f, _, _ := describe.FamilyOf(w.Snap.Name(c.Tool)); !describe.NamesFiles(f) || c.Msg == model.NoID {
		return nil
	}
	_, call, err := w.pairs.Call(ctx, id)
	if err != nil || call == nil {
		return err
	}
	d := w.describerAt(at)
	seen := map[string]bool{}
	for _, t := range describe.Touched(call) {
		path := d.PathOf(strings.TrimSpace(t.Path))
		w.add(path, &t, id, c, w.Snap.Pos(at), !seen[path])
		seen[path] = true
	}
	return nil
}

// describerAt returns the describer for paths of a message's session.
func (w *fileWalk) describerAt(at model.ID) describe.Describer {
	se := w.Snap.Session(at)
	d, ok := w.sayers[se]
	if !ok {
		d = describe.NewDescriber(se)
		w.sayers[se] = d
	}
	return d
}

// add counts a touch; first marks the first touch of the file by its call.
func (w *fileWalk) add(path string, t *describe.Touch, id model.CallID, c *model.Call, pos int, first bool) {
	i, ok := w.place[path]
	if !ok {
		i = len(w.files)
		w.place[path] = i
		w.files = append(w.files, FileStats{Path: path, First: human.Index(pos), Last: human.Index(pos)})
	}
	f := &w.files[i]
	if !c.Outcome.Failed() {
		f.Added, f.Removed = f.Added+t.Added, f.Removed+t.Removed
	}
	if !first {
		return
	}
	f.Rows = append(f.Rows, id)
	if pos >= 0 && (f.First < 0 || human.Index(pos) < f.First) {
		f.First = human.Index(pos)
	}
	f.Last = max(f.Last, human.Index(pos))
	if t.Edit {
		f.Edits++
	} else {
		f.Reads++
	}
	if c.Outcome.Failed() {
		f.Errors++
	}
	if n, ok := w.tokens.Call(id); ok {
		if f.Tokens == nil {
			f.Tokens = new(int64)
		}
		*f.Tokens += int64(n.Args) + int64(n.Result)
	}
}

// Lines returns the numbers of added and removed lines, "" without an edit.
func (f *FileStats) Lines() string {
	switch {
	case f.Edits == 0:
		return ""
	case f.Added+f.Removed == 0:
		return human.NotSaid // a program wrote it
	}
	return "+" + human.Count(f.Added) + " −" + human.Count(f.Removed)
}

// Headline returns the number of files and of edited files.
func (a *FilesAnswer) Headline() string {
	edited := 0
	for i := range a.Files {
		if a.Files[i].Edits > 0 {
			edited++
		}
	}
	return human.Plural(len(a.Files), "file") + ", " + human.Count(edited) + " of them edited"
}

// Doc describes the answer.
func (a *FilesAnswer) Doc() *answer.Doc {
	d := &answer.Doc{}
	if len(a.Files) == 0 {
		d.AddText("No call names a file that it reads or writes")
		return d
	}
	d.AddText(a.Headline() + over(a.sel))
	t := answer.NewTable("<file", ">reads", ">edits", ">lines", ">err", ">tokens", ">first??", ">last?").Cut(72, 0)
	place := func(n human.Index) string {
		if n < 0 {
			return "agent"
		}
		return "#" + strconv.Itoa(int(n))
	}
	none := func(n int) string { return human.OrDot(n, human.Count) }
	for i := range a.Files {
		f := &a.Files[i]
		t.Add(f.Path, none(f.Reads), none(f.Edits), cmp.Or(f.Lines(), human.Zero), none(f.Errors), human.OrNotSaid(f.Tokens, human.Short), place(f.First), place(f.Last))
	}
	d.AddTable("", t)
	return d
}

// WriteJSON writes the answer as JSON.
func (a *FilesAnswer) WriteJSON(w io.Writer) error {
	return query.WriteJSON(w, a)
}
