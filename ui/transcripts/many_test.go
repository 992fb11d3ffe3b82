package transcripts

import (
	"context"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/lang"
	"turns/query/many"
	"turns/query/summary"
)

// single returns the answers about one transcript, in the numbers of many.
func single(t *testing.T, path string) (s many.Sums, ok bool) {
	ctx := t.Context()
	c, err := load.Open(ctx, path, load.Options{Workers: 1})
	if err != nil {
		return s, false
	}
	defer c.Close()
	snap, _ := c.Load(ctx)
	if f, _ := c.Format(); snap == nil || f.Name == "records" {
		return s, false
	}
	sel := query.Everything(snap)
	stats, err := summary.Stats(ctx, sel, nil)
	if err != nil {
		t.Fatal(err)
	}
	costs := summary.Costs(sel, query.NewTurnIndex(snap), summary.CostOptions{})
	for n, count := range map[many.Number]int{
		many.Messages: stats.TotalMessages, many.Turns: stats.Turns, many.Steps: stats.Steps, many.Calls: stats.ToolCalls, many.Errors: stats.ToolErrors,
		many.Pending: stats.PendingCalls, many.Orphans: stats.OrphanResults, many.Responses: costs.Total.Responses, many.Unpriced: costs.Total.Unknown,
	} {
		s.Add(n, int64(count))
	}
	for n, tokens := range map[many.Number]*int64{many.Input: stats.Usage.Input, many.CacheRead: stats.Usage.CacheRead, many.Output: stats.Usage.Output} {
		if tokens != nil {
			s.Add(n, *tokens)
		}
	}
	s.Dollars = costs.Total.Dollars
	if costs.Session != nil {
		s.Dollars = *costs.Session
	}
	return s, true
}

var compared = []many.Number{
	many.Messages, many.Turns, many.Steps, many.Calls, many.Errors, many.Pending, many.Orphans, many.Responses, many.Unpriced, many.Input, many.CacheRead, many.Output,
}

// TestSumsAreOfTheSingleAnswers sums every sample separately, and all together; for files with many
// conversations, also each of these.
func TestSumsAreOfTheSingleAnswers(t *testing.T) {
	modeltest.Long(t, "every sample is opened twice")
	lib := New(Options{Dirs: []string{"../../testdata"}})
	paths, err := lib.Transcripts(t.Context())
	if err != nil || len(paths) < 100 {
		t.Fatal(len(paths), err)
	}
	answers := map[string]*many.Answer{}
	for _, name := range many.Names() {
		by, _ := many.Find(name)
		answers[name] = many.NewAnswer(by, time.UTC)
	}
	var all many.Sums
	parts := map[string]*many.Run{}
	for got := range lib.Totals(t.Context(), paths, TotalsOptions{}) {
		want, ok := single(t, got.Path)
		if ok == (got.Err != nil || got.None) {
			t.Errorf("%s: %v, alone it is read: %v", got.Path, got.Err, ok)
		}
		var sum many.Sums
		for _, run := range got.Answer {
			sum.Join(&run.Sums)
			for _, a := range answers {
				a.Add(run)
			}
			if run.Path != got.Path {
				parts[run.Path] = run
			}
		}
		same(t, got.Path, &sum, &want)
		all.Join(&want)
	}
	sameParts(t, lib, parts)
	for name, a := range answers {
		same(t, "all by "+name, &a.All.Sums, &all)
		var groups many.Sums
		for _, g := range a.Groups {
			groups.Join(&g.Sums)
		}
		switch name {
		case "tool", "model":
			if groups.N[many.Calls] != all.N[many.Calls] || groups.N[many.Errors] != all.N[many.Errors] {
				t.Errorf("by %s there are %d calls, %d errors of %d, %d", name, groups.N[many.Calls], groups.N[many.Errors], all.N[many.Calls], all.N[many.Errors])
			}
		// some calls have no server, some sessions no label, and causes cover only misses
		case "mcp-server", "label", "cause":
		default:
			same(t, "groups by "+name, &groups, &all)
		}
	}
}

func same(t *testing.T, what string, got, want *many.Sums) {
	t.Helper()
	for _, n := range compared {
		if got.N[n] != want.N[n] {
			t.Errorf("%s: number %d is %d, alone %d", what, n, got.N[n], want.N[n])
		}
	}
	if math.Abs(got.Dollars-want.Dollars) > 1e-9 {
		t.Errorf("%s: cost %v, alone %v", what, got.Dollars, want.Dollars)
	}
}

// sameParts compares the sessions of files with several with those of their own paths, as lists of
// sessions name them.
func sameParts(t *testing.T, lib *Store, whole map[string]*many.Run) {
	t.Helper()
	for got := range lib.Totals(t.Context(), slices.Sorted(maps.Keys(whole)), TotalsOptions{}) {
		if len(got.Answer) != 1 || got.Answer[0].Path != got.Path {
			t.Errorf("%s: %d runs, %v", got.Path, len(got.Answer), got.Err)
			continue
		}
		same(t, got.Path, &got.Answer[0].Sums, &whole[got.Path].Sums)
	}
}

// TestAskedIsToldInOrder: answers are in order however the workers run, damaged files are reported,
// and other files are skipped unless they are named.
func TestAskedIsToldInOrder(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var want []string
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		want = append(want, put(name+".jsonl", `{"role":"user","content":"`+name+`"}`+"\n"))
	}
	other := put("package.json", `{"name":"x"}`)
	lib := New(Options{Dirs: []string{dir, filepath.Join(dir, "missing.jsonl")}})
	paths, err := lib.Transcripts(t.Context())
	if !errors.Is(err, os.ErrNotExist) || !slices.Contains(paths, other) {
		t.Errorf("found %q, %v", paths, err)
	}
	lengths := func(lib *Store, paths []string) (told []string, none int) {
		for got := range Map(t.Context(), lib, paths, Query[int]{Ask: func(_ context.Context, l *Loaded) (int, error) { return l.Chosen.Len(), nil }}) {
			if got.None {
				none++
			} else if got.Err == nil && got.Answer == 1 {
				told = append(told, got.Path)
			}
		}
		return told, none
	}
	if told, none := lengths(lib, paths); !slices.Equal(told, want) || none != 1 {
		t.Errorf("told %q, and %d were none", told, none)
	}
	if _, none := lengths(New(Options{Dirs: []string{other}}), []string{other}); none != 0 {
		t.Error("what was named was passed over")
	}
}

// TestSumsOfSomeSessions: the filter of lists selects sessions, and one about messages searches
// these.
func TestSumsOfSomeSessions(t *testing.T) {
	lib := New(Options{Dirs: []string{"../../testdata/demo.jsonl", "../../testdata/formats/codex"}})
	paths, _ := lib.Transcripts(t.Context())
	count := func(q string) (n int64) {
		f, err := lang.Parse(q)
		if err != nil {
			t.Fatal(err)
		}
		for got := range lib.Totals(t.Context(), paths, TotalsOptions{Sessions: f}) {
			n += int64(len(got.Answer))
		}
		return n
	}
	for q, want := range map[string]int64{"agent:claude": 1, "tool:TodoWrite": 1, "-tool:TodoWrite agent:claude": 0, "agent:codex": 7, "after:2100-01-01": 0} {
		if n := count(q); n != want {
			t.Errorf("%s lets %d runs through, want %d", q, n, want)
		}
	}
}

// TestSumsAreKept: sums are cached until the file or the prices change, under every name of the
// file; sessions outside the filter are also cached.
func TestSumsAreKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	write := func(lines string) {
		if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const line = `{"role":"user","content":"hello"}` + "\n"
	write(line)
	cache := t.TempDir()
	sum := func(name, sessions string, prices summary.PriceTable) (messages int64, known bool) {
		f, err := lang.Parse(sessions)
		if err != nil {
			t.Fatal(err)
		}
		lib := New(Options{Dirs: []string{dir}, Cache: cache})
		sums := lib.summer(TotalsOptions{Sessions: f, Prices: prices}).sums()
		c := openAnswers(lib, &sums)
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		_, known = c.known(name, info)
		for got := range lib.Totals(t.Context(), []string{name}, TotalsOptions{Sessions: f, Prices: prices}) {
			for _, r := range got.Answer {
				messages += r.N[many.Messages]
				if r.Path != name {
					t.Errorf("a run of %s is called %s", name, r.Path)
				}
			}
		}
		return messages, known
	}
	other := summary.PriceTable{"m": {Input: 1}}
	for i, step := range []struct {
		before   func()
		sessions string
		prices   summary.PriceTable
		messages int64
		known    bool
	}{
		{nil, "agent:nobody", nil, 0, false},
		{nil, "", nil, 1, true},
		{nil, "agent:nobody", nil, 0, true},
		{nil, "", other, 1, false},
		{nil, "", other, 1, true},
		{func() { write(line + line) }, "", other, 2, false},
		{nil, "", other, 2, true},
	} {
		if step.before != nil {
			step.before()
		}
		if messages, known := sum(path, step.sessions, step.prices); messages != step.messages || known != step.known {
			t.Errorf("step %d: %d messages, known: %v", i, messages, known)
		}
	}
	t.Chdir(dir)
	if messages, known := sum("a.jsonl", "", other); messages != 2 || !known {
		t.Errorf("by another name: %d messages, known: %v", messages, known)
	}
	if openAnswers(New(Options{Dirs: []string{dir}, Cache: cache, Choose: chooseAll}), &Kept[int]{}) != nil {
		t.Error("a part of the messages is kept as all of them")
	}
}

// TestOtherProgramsAreNotBelieved: the cache of another build is not used.
func TestOtherProgramsAreNotBelieved(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	if err := os.WriteFile(path, []byte(`{"role":"user","content":"hello"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	lib := New(Options{Dirs: []string{dir}, Cache: cache})
	for _, test := range []struct {
		name  string
		known bool
	}{{"older", false}, {"this", true}} {
		question := Kept[string]{Name: "words"}
		kept := openAnswers(lib, &question)
		list := lib.openCache()
		if test.name == "older" {
			kept.key, list.key = test.name, test.name
		}
		kept.keep(&Loaded{Path: path, Chosen: query.Selection{Snap: &model.Snapshot{}}, before: info}, "as it was counted")
		kept.close()
		list.keep(&load.Listed{Summary: model.Summary{Path: path, Bytes: info.Size(), Written: info.ModTime().UnixMilli()}, Info: info})
		list.save()
		if _, known := openAnswers(lib, &question).known(path, info); known != test.known {
			t.Errorf("answers of %s program are known: %v", test.name, known)
		}
		if _, known := lib.openCache().known(path, info); known != test.known {
			t.Errorf("a list of %s program is known: %v", test.name, known)
		}
	}
}

func chooseAll(_ context.Context, s *model.Snapshot) (query.Selection, error) {
	return query.Everything(s), nil
}
