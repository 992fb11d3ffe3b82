package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"turns/model"
	"turns/query"
	"turns/query/cache"
	"turns/query/many"
	"turns/query/session"
)

// aRun returns a run of n exchanges with a call each.
func aRun(t testing.TB, path string, n int) *Run {
	t.Helper()
	var msgs []model.Message
	for i := range n {
		id := fmt.Sprintf("call_%d", i)
		at := 1_772_000_000_000 + int64(i)*1000
		outcome := model.Success
		if i%2 == 1 {
			outcome = model.Failure
		}
		msgs = append(msgs,
			model.Message{Role: model.User, Time: at, Blocks: []model.Content{{Kind: model.Words, Text: fmt.Sprintf("prompt %d", i)}}},
			model.Message{Role: model.Assistant, Time: at + 100, Model: "m-1", Usage: &model.Usage{Scope: model.Each, Input: -1, CacheRead: -1, CacheWrite: -1, Reasoning: -1, Output: 7}, Blocks: []model.Content{
				{Kind: model.Reasoning, Text: "hm"}, {Kind: model.Words, Text: "first"}, {Kind: model.Words, Text: "second"},
				{Kind: model.ToolCall, ID: id, Name: "Bash", Text: `{"command":"ls"}`, JSON: true},
			}},
			model.Message{Role: model.Tool, Time: at + 200, Blocks: []model.Content{{Kind: model.ToolResult, ID: id, Name: "Bash", Text: "AKIAIOSFODNN7EXAMPLQ", Outcome: outcome}}})
	}
	return runOf(t, path, msgs)
}

// runOf returns the run of a session.
func runOf(t testing.TB, path string, msgs []model.Message) *Run {
	t.Helper()
	snap := model.FromMessages(msgs)
	sel := query.Everything(snap)
	s := session.Session{Summary: model.Summary{Path: path, Agent: "Some Agent session", Format: "some", Started: int64(1_772_000_000_000), Last: 1_772_000_000_000}}
	run, err := many.NewRun(context.Background(), sel, s, many.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &Run{Run: run, Selection: sel}
}

// put writes runs into a set and commits it.
func put(t testing.TB, dir string, o Options, runs ...*Run) Totals {
	t.Helper()
	s, err := Create(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if err := s.Run(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	total, err := s.Commit()
	if err != nil {
		t.Fatal(err)
	}
	return total
}

// get reads the rows of a table.
func get[T any](t testing.TB, dir, table string) (rows []T) {
	t.Helper()
	for _, path := range parts(t, filepath.Join(dir, table)) {
		some, err := pq.ReadFile[T](path)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, some...)
	}
	return rows
}

// parts returns the paths of the files below a folder.
func parts(t testing.TB, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return paths
}

func TestTablesHoldWhatRunsSay(t *testing.T) {
	dir := t.TempDir()
	total := put(t, dir, Options{}, aRun(t, "a.jsonl", 2), aRun(t, "b.jsonl", 1))
	if total.Runs != 2 || total.Messages != 9 || total.Calls != 3 {
		t.Fatalf("written: %+v", total)
	}
	if got := parts(t, dir); !slices.ContainsFunc(got, func(p string) bool {
		return strings.Contains(filepath.ToSlash(p), "/runs/day=2026-02-25/agent=Some Agent/part-")
	}) {
		t.Errorf("parts are %q", got)
	}
	runs := get[runRow](t, dir, "runs")
	slices.SortFunc(runs, func(a, b runRow) int { return strings.Compare(a.SourceURI, b.SourceURI) })
	r := runs[0]
	if len(runs) != 2 || r.MessageCount != 6 || r.CallCount != 2 || r.ErrorCount != 1 || r.TurnCount != 2 || r.Agent != "Some Agent" || r.SourceURI != "a.jsonl" {
		t.Errorf("runs: %+v", runs)
	}
	if r.OutputTokens == nil || *r.OutputTokens != 14 || *r.TotalTokens != 14 || r.InputTokens != nil {
		t.Errorf("tokens: %+v", r)
	}
	messages := get[messageRow](t, dir, "messages")
	m := messages[1]
	if m.Role != "assistant" || *m.Content != "first\nsecond" || *m.Reasoning != "hm" || m.ToolCalls != `[{"id":"call_0","type":"function","function":{"name":"Bash","arguments":"{\"command\":\"ls\"}"}}]` || m.Model != "m-1" || m.Source != "generate" || m.Turn != 0 {
		t.Errorf("answer: %+v", m)
	}
	if m := messages[5]; m.Role != "tool" || m.ToolCallID != "call_1" || m.ToolCallFunction != "Bash" || m.ToolCallError != "AKIAIOSFODNN7EXAMPLQ" || m.MessageIndex != 5 {
		t.Errorf("result: %+v", m)
	}
	calls := get[callRow](t, dir, "calls")
	if c := calls[1]; c.TranscriptID != r.TranscriptID || c.MessageIndex != 4 || c.ResultIndex != 5 || *c.Arguments != `{"command":"ls"}` || !c.Failed || c.Pending || c.Function != "Bash" {
		t.Errorf("call: %+v", c)
	}
}

func TestAppendAddsWhatIsNew(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, Options{}, aRun(t, "a.jsonl", 2))
	if _, err := Create(dir, Options{}); !errors.Is(err, ErrExist) {
		t.Fatalf("over tables: %v", err)
	}
	total := put(t, dir, Options{Append: true}, aRun(t, "a.jsonl", 2), aRun(t, "b.jsonl", 1))
	if total.Known != 1 || total.Runs != 1 {
		t.Errorf("appended: %+v", total)
	}
	if runs, messages := get[runRow](t, dir, "runs"), get[messageRow](t, dir, "messages"); len(runs) != 2 || len(messages) != 9 {
		t.Errorf("%d runs and %d messages", len(runs), len(messages))
	}
	put(t, dir, Options{Force: true}, aRun(t, "c.jsonl", 1))
	if runs, calls := get[runRow](t, dir, "runs"), get[callRow](t, dir, "calls"); len(runs) != 1 || len(calls) != 1 {
		t.Errorf("replaced: %d runs and %d calls", len(runs), len(calls))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, stagePrefix+"*")); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

func TestOptionsLeaveOut(t *testing.T) {
	dir := t.TempDir()
	total := put(t, dir, Options{Redact: true}, aRun(t, "a.jsonl", 1))
	if calls := get[callRow](t, dir, "calls"); total.Secrets == 0 || strings.Contains(*calls[0].Result, "AKIA") {
		t.Errorf("%d secrets, %q", total.Secrets, *calls[0].Result)
	}
	put(t, dir, Options{Force: true, NoReasoning: true, NoResults: true}, aRun(t, "a.jsonl", 1))
	messages, calls := get[messageRow](t, dir, "messages"), get[callRow](t, dir, "calls")
	if messages[1].Reasoning != nil || messages[2].Content != nil || calls[0].Result != nil {
		t.Errorf("left in: %+v %+v", messages, calls)
	}
}

// After a killed export, the tables have all of its rows or none.
func TestKilledAtAnyPoint(t *testing.T) {
	for _, complete := range []bool{false, true} {
		dir := t.TempDir()
		put(t, dir, Options{}, aRun(t, "a.jsonl", 1))
		s, err := Create(dir, Options{Append: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Run(context.Background(), aRun(t, "b.jsonl", 1)); err != nil {
			t.Fatal(err)
		}
		want := 1
		if complete { // killed between the moves of two files
			want = 2
			for _, shelf := range s.shelves {
				if err := shelf.close(); err != nil {
					t.Fatal(err)
				}
			}
			list := `{"files":["` + strings.Join(s.files, `","`) + `"]}`
			if err := os.WriteFile(filepath.Join(s.stage, listName), []byte(list), 0o600); err != nil {
				t.Fatal(err)
			}
			to := filepath.Join(dir, s.files[0])
			if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(filepath.Join(s.stage, s.files[0]), to)); err != nil {
				t.Fatal(err)
			}
		}
		s.free()
		put(t, dir, Options{Append: true})
		if runs, calls := get[runRow](t, dir, "runs"), get[callRow](t, dir, "calls"); len(runs) != want || len(calls) != want {
			t.Errorf("complete %v: %d runs and %d calls, want %d", complete, len(runs), len(calls), want)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, stagePrefix+"*")); left != nil {
			t.Errorf("left behind: %q", left)
		}
	}
}

func TestFailedWriteLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	s, err := Create(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(s.stage); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.stage, nil, 0o600); err != nil { // prevents the creation of parts
		t.Fatal(err)
	}
	_ = s.Run(context.Background(), aRun(t, "a.jsonl", 1))
	if _, err := s.Commit(); err == nil {
		t.Error("nothing failed")
	}
	if got := parts(t, filepath.Join(dir, "runs")); len(got) > 0 {
		t.Errorf("there is %q", got)
	}
}

// An export of runs of many days is complete, although few files are open at a time.
func TestManyDays(t *testing.T) {
	dir := t.TempDir()
	var runs []*Run
	for i := range 40 {
		r := aRun(t, fmt.Sprintf("%d.jsonl", i), 1)
		r.Run.Last += int64(i%10) * 86_400_000
		runs = append(runs, r)
	}
	total := put(t, dir, Options{}, runs...)
	if got := get[messageRow](t, dir, "messages"); len(got) != int(total.Messages) || len(got) != 120 {
		t.Errorf("%d messages of %d", len(got), total.Messages)
	}
	if days, _ := os.ReadDir(filepath.Join(dir, "messages")); len(days) != 10 {
		t.Errorf("%d days", len(days))
	}
}

// An unknown value is null, not zero, in any row. The known ones are every third, from each of the
// first three.
func TestUnknownIsNull(t *testing.T) {
	for i := range 15 {
		n, first := []int{3, 4, 67, 68, 132}[i/3], i%3
		s, err := Create(filepath.Join(t.TempDir(), "out"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		rows := make([]callRow, n)
		want := 0
		for i := range rows {
			if rows[i].Function = "f"; i%3 != first {
				rows[i].Function = ""
				want++
			}
			rows[i].Timestamp = int64(len(rows[i].Function))
		}
		if err := errors.Join(s.calls.add("x", rows), s.calls.close()); err != nil {
			t.Fatal(err)
		}
		type row struct {
			Function  *string `parquet:"tool_call_function,optional"`
			Timestamp *int64  `parquet:"timestamp,optional,timestamp(millisecond)"`
		}
		functions, times := 0, 0
		for _, r := range get[row](t, s.stage, "calls") {
			if r.Function == nil {
				functions++
			}
			if r.Timestamp == nil {
				times++
			}
		}
		if s.Abort(); functions != want || times != want {
			t.Errorf("of %d rows %d functions and %d times are null, want %d", n, functions, times, want)
		}
	}
}

// Every file of a large export names its columns in the footer, because readers look columns up by
// these names.
func TestFootersNameTheirColumns(t *testing.T) {
	dir := t.TempDir()
	var runs []*Run
	for i := range 12 {
		r := aRun(t, fmt.Sprintf("%d.jsonl", i), 1)
		r.Run.Last += int64(i) * 86_400_000
		runs = append(runs, r)
	}
	put(t, dir, Options{}, runs...)
	files := slices.DeleteFunc(parts(t, dir), func(path string) bool { return filepath.Ext(path) != ".parquet" })
	if len(files) < 36 {
		t.Fatalf("%d files", len(files))
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range file.Metadata().RowGroups {
			for i, column := range group.Columns {
				if got, want := column.MetaData.PathInSchema, file.Schema().Columns()[i]; !slices.Equal(got, want) {
					t.Fatalf("%s: column %d is %q, want %q", path, i, got, want)
				}
			}
		}
	}
}

// An append reports as grown only a session with more messages: not one that shares its id or its
// file with another one.
func TestAppendReportsWhatHasGrown(t *testing.T) {
	dir, from := t.TempDir(), t.TempDir()
	file := func(name string, exchanges, bytes int) *Run {
		path := filepath.Join(from, name)
		if err := os.WriteFile(path, make([]byte, bytes), 0o600); err != nil {
			t.Fatal(err)
		}
		r := aRun(t, path, exchanges)
		r.Session.Session = "s1"
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		r.File = info
		return r
	}
	put(t, dir, Options{}, file("small.jsonl", 1, 10), file("large.jsonl", 2, 1000))
	for name, runs := range map[string][]*Run{
		"unchanged":         {file("large.jsonl", 2, 1000), file("small.jsonl", 1, 10)},
		"records, no words": {file("large.jsonl", 2, 1100), file("small.jsonl", 1, 110)},
	} {
		if total := put(t, dir, Options{Append: true}, runs...); total.Runs != 0 || total.Known != 2 || total.Grown != 0 {
			t.Errorf("%s: %+v", name, total)
		}
	}
	if total := put(t, dir, Options{Append: true}, file("large.jsonl", 3, 1000)); total.Known != 1 || total.Grown != 1 {
		t.Errorf("grown: %+v", total)
	}
	third := put(t, dir, Options{Append: true}, file("third.jsonl", 1, 10))
	if third.Runs != 1 {
		t.Errorf("a third file of the session: %+v", third)
	}
	if again := put(t, dir, Options{Append: true}, file("third.jsonl", 1, 10)); again.Runs != 0 || again.Known != 1 {
		t.Errorf("the third file again: %+v", again)
	}
}

// Results without a call are in a separate table, which exists even if it has no rows.
func TestOrphansAreApart(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, Options{}, aRun(t, "a.jsonl", 1))
	if files := parts(t, filepath.Join(dir, "orphans")); len(files) != 1 || len(get[callRow](t, dir, "orphans")) != 0 {
		t.Errorf("orphans of a run without any: %q", files)
	}
	lone := aRun(t, "b.jsonl", 1)
	lone.Selection = query.Everything(model.FromMessages([]model.Message{
		{Role: model.Assistant, Blocks: []model.Content{{Kind: model.ToolCall, ID: "open", Name: "Bash", Text: "{}", JSON: true}}},
		{Role: model.Tool, Blocks: []model.Content{{Kind: model.ToolResult, ID: "lone", Name: "Read", Text: "no such file", Outcome: model.Failure}}},
	}))
	total := put(t, dir, Options{Append: true}, lone)
	if total.Calls != 1 || total.Orphans != 1 {
		t.Errorf("written: %+v", total)
	}
	if rows := get[callRow](t, dir, "orphans"); len(rows) != 1 || !rows[0].Orphan || !rows[0].Failed || rows[0].Pending || rows[0].Function != "Read" {
		t.Errorf("orphans: %+v", rows)
	}
	for _, c := range get[callRow](t, dir, "calls") {
		if c.Orphan || c.Pending != (c.Outcome == "pending") || c.Pending != (c.ToolCallID == "open") {
			t.Errorf("call: %+v", c)
		}
	}
}

// Calls without a result are in the order of the session, so that one export has one content.
func TestOpenCallsAreInOrder(t *testing.T) {
	const calls = 20
	var blocks []model.Content
	for i := range calls {
		blocks = append(blocks, model.Content{Kind: model.ToolCall, ID: fmt.Sprintf("c%02d", i), Name: "Bash", Text: "{}", JSON: true})
	}
	dir := t.TempDir()
	put(t, dir, Options{}, runOf(t, "a.jsonl", []model.Message{{Role: model.Assistant, Blocks: blocks}}))
	rows := get[callRow](t, dir, "calls")
	if len(rows) != calls || !slices.IsSortedFunc(rows, func(a, b callRow) int { return strings.Compare(a.ToolCallID, b.ToolCallID) }) {
		t.Errorf("%d calls: %v", len(rows), rows)
	}
}

func TestHiveName(t *testing.T) {
	for name, want := range map[string]string{"": "__HIVE_DEFAULT_PARTITION__", "Claude Code": "Claude Code", "a/b=c": "a%2Fb%3Dc", "τ-bench": "τ-bench", "..": ".."} {
		if got := hiveName(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// BenchmarkTables measures how many messages become rows in a second.
func BenchmarkTables(b *testing.B) {
	r := aRun(b, "a.jsonl", 1000)
	s, err := Create(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		r.Path = fmt.Sprint(n)
		if err := s.Run(context.Background(), r); err != nil {
			b.Fatal(err)
		}
		n += r.Len()
	}
	if _, err := s.Commit(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "messages/s")
}

// Files have no minimum and maximum of columns with long texts, because these would repeat the
// texts.
func TestLongTextsHaveNoBounds(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, Options{}, aRun(t, "a.jsonl", 3))
	without := map[string]bool{}
	for _, path := range parts(t, dir) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := pq.OpenFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			continue // not Parquet: the list of the files
		}
		for _, group := range file.Metadata().RowGroups {
			for _, column := range group.Columns {
				m := &column.MetaData
				if some := m.NumValues > m.Statistics.NullCount; some && m.Statistics.MinValue == nil && m.Statistics.Min == nil {
					without[m.PathInSchema[0]] = true
				}
			}
		}
	}
	want := []string{"content", "reasoning", "title", "tool_call_arguments", "tool_call_error", "tool_call_result", "tool_calls", "turns_details"}
	if got := slices.Sorted(maps.Keys(without)); !slices.Equal(got, want) {
		t.Errorf("columns without bounds: %q, want %q", got, want)
	}
}

// brief is a context that ends after some calls of Err.
type brief struct {
	context.Context
	left int
}

func (b *brief) Err() error {
	if b.left--; b.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestBrokenCaches: tables have no rows for compactions, for cleared results and for the reason why
// a request missed the cache. The next message of the agent has them as details.
func TestBrokenCaches(t *testing.T) {
	ask := func(flags model.Flags) model.Message { return model.Message{Role: model.User, Flags: flags} }
	cleared := model.Message{Op: model.Note, Name: cache.Cleared}
	compact := model.Message{Op: model.Compact}
	dir := t.TempDir()
	put(t, dir, Options{}, runOf(t, "a.jsonl", []model.Message{
		ask(0), {Role: model.Assistant, Usage: &model.Usage{Input: 9, CacheRead: 1, Missed: "tools_changed"}},
		compact, cleared, compact, ask(0), ask(0), cleared,
		{Op: model.Note, Name: "other"}, ask(0),
	}))
	got := make(map[int64]string)
	for _, m := range get[messageRow](t, dir, "messages") {
		if details, _, _ := strings.Cut(m.Details, `"run"`); details != "" && details != "{" {
			got[m.MessageIndex] = strings.TrimSuffix(details, ",")
		}
	}
	want := map[int64]string{1: `{"missed":"tools_changed"}`, 2: `{"before":["compacted","edited"]}`, 4: `{"before":["edited"]`}
	if !maps.Equal(got, want) {
		t.Errorf("details of messages by their index: %v, want %v", got, want)
	}
}

// TestInterruptedSession: of a session up to 2 MB, an interruption writes no part.
func TestInterruptedSession(t *testing.T) {
	for size, want := range map[int]bool{2<<20 - 1000: true, 2 << 20: false} {
		s, err := Create(t.TempDir(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		text := model.Content{Kind: model.Words, Text: strings.Repeat("x", size)}
		err = s.Run(&brief{t.Context(), 2}, runOf(t, "a.jsonl", []model.Message{{Role: model.User, Blocks: []model.Content{text}}, {Role: model.User}}))
		if !errors.Is(err, context.Canceled) || s.Complete() != want {
			t.Errorf("a message of %d bytes and an interruption: complete %v, want %v (%v)", size, s.Complete(), want, err)
		}
		s.Abort()
	}
}
