package summary

import (
	"cmp"
	"context"
	"io"
	"slices"
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
	slices.SortStableFunc(w.files, func(a, b FileStats) int { return cmp.Or(byFileTokens(&b, &a), len(b.Rows)-len(a.Rows)) })
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
	call, err := w.pairs.Call(ctx, id)
	if err != nil || call == nil {
		return err
	}
	d := w.describerAt(at)
	seen := map[string]bool{}
	for _, t := range describe.Touched(call) {
		path := d.FileShown(t.Path)
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

// Lines returns the cell of the numbers of added and removed lines.
func (f *FileStats) Lines() answer.Cell {
	switch {
	case f.Edits == 0:
		return answer.Count(0, answer.Dim)
	case f.Added+f.Removed == 0:
		return answer.Unknown // a program wrote it
	}
	return answer.Delta(f.Added, f.Removed)
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
	d.AddTable("", answer.OfList(FileColumns(), a.Files))
	return d
}

// FileColumns returns the columns of files.
func FileColumns() []answer.Column[*FileStats] {
	type column = answer.Column[*FileStats]
	count := func(c column, tone answer.Tone, n func(*FileStats) int) column {
		c.Width, c.Gap, c.Stays = max(len(c.Head), 3), 1, true
		return answer.Counts(c, tone, n)
	}
	place := func(c column, at func(*FileStats) human.Index) column {
		c.Kind, c.Width, c.Asc, c.Order = answer.Number, 6, c.Name == "first", answer.By(at)
		c.Cell = func(f *FileStats) answer.Cell {
			if at(f) < 0 {
				return answer.Cell{Text: "agent", Tone: answer.Dim}
			}
			return answer.At(at(f))
		}
		return c
	}
	return []column{
		{Name: "file", Head: "file", Kind: answer.Path, Room: 72, Width: 20, Flex: 3, Asc: true,
			Cell: func(f *FileStats) answer.Cell { return answer.Cell{Text: f.Path} }, Order: func(a, b *FileStats) int { return strings.Compare(a.Path, b.Path) }},
		count(column{Name: "reads", Head: "reads", Drop: 4}, answer.Plain, func(f *FileStats) int { return f.Reads }),
		count(column{Name: "edits", Head: "edits", Drop: 1}, answer.Plain, func(f *FileStats) int { return f.Edits }),
		{Name: "lines", Head: "lines", Kind: answer.Number, Width: 9, Gap: 1, Cell: (*FileStats).Lines, Order: answer.By(func(f *FileStats) int { return f.Added + f.Removed })},
		count(column{Name: "errors", Head: "err", Drop: 3}, answer.Bad, func(f *FileStats) int { return f.Errors }),
		{Name: "tokens", Head: "tokens", Kind: answer.Number, Width: 6, Gap: 1, Drop: 2, Stays: true, Cell: fileTokens, Order: byFileTokens},
		place(column{Name: "first", Head: "first", Gap: 2, Drop: 5}, func(f *FileStats) human.Index { return f.First }),
		place(column{Name: "last", Head: "last", Gap: 1, Drop: 4}, func(f *FileStats) human.Index { return f.Last }),
	}
}

func fileTokens(f *FileStats) answer.Cell {
	if f.Tokens == nil {
		return answer.Unknown
	}
	return answer.Size(*f.Tokens)
}

// byFileTokens compares files by tokens, or by calls if they are not counted.
func byFileTokens(a, b *FileStats) int {
	if a.Tokens != nil && b.Tokens != nil {
		return cmp.Compare(*a.Tokens, *b.Tokens)
	}
	return cmp.Compare(len(a.Rows), len(b.Rows))
}

// WriteJSON writes the answer as JSON.
func (a *FilesAnswer) WriteJSON(w io.Writer) error {
	return query.WriteJSON(w, a)
}
