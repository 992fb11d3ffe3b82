package transcripts

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"turns/model/modeltest"
)

// told returns the answers about transcripts as text.
func told[T any](answers iter.Seq[Answer[T]]) []string {
	var list []string
	for a := range answers {
		text, err := json.Marshal(a.Answer)
		if err != nil {
			panic(err)
		}
		if string(text) == "null" { // a list without items
			text = []byte("[]")
		}
		list = append(list, fmt.Sprintf("%s %s %v %v %v %v", a.Path, text, a.Unread, a.Err, a.Failed, a.None))
	}
	return list
}

// keptQuestions are the questions with cached answers.
func keptQuestions(ctx context.Context, l *Store, paths []string) map[string]func() []string {
	return map[string]func() []string{
		"sums":     func() []string { return told(l.Totals(ctx, paths, TotalsOptions{})) },
		"failures": func() []string { return told(AskSessions(ctx, l, paths, nil, Failures())) },
		"loops":    func() []string { return told(AskSessions(ctx, l, paths, nil, Loops())) },
		"problems": func() []string { return told(l.Problems(ctx, paths)) },
		"recap":    func() []string { return told(l.Recap(ctx, paths, nil)) },
	}
}

// TestKeptAnswersAreThoseOfReading asks about samples without a cache, with an empty one and
// with a full one: the answers are equal.
func TestKeptAnswersAreThoseOfReading(t *testing.T) {
	modeltest.Long(t, "samples are read ten times")
	const dir = "../../testdata"
	read, kept := New(Options{Dirs: []string{dir}}), New(Options{Dirs: []string{dir}, Cache: t.TempDir()})
	paths, err := read.Transcripts(t.Context())
	if err != nil || len(paths) < 100 {
		t.Fatal(len(paths), err)
	}
	n := 0
	paths = slices.DeleteFunc(paths, func(string) bool { n++; return !modeltest.Some(n, 4) })
	first, second := keptQuestions(t.Context(), kept, paths), keptQuestions(t.Context(), kept, paths)
	for name, ask := range keptQuestions(t.Context(), read, paths) {
		want, cold, warm := ask(), first[name](), second[name]()
		for i := range want {
			if cold[i] != want[i] {
				t.Errorf("%s with an empty cache:\n%.1500s\nwithout:\n%.1500s", name, cold[i], want[i])
			}
			if warm[i] != want[i] {
				t.Errorf("%s with a full cache:\n%.1500s\nwithout:\n%.1500s", name, warm[i], want[i])
			}
		}
	}
}

// TestKeptAnswersAreNotRead asks again about a transcript whose contents changed, but neither its
// size nor its time: every answer is the one before. After its time has changed, none is.
func TestKeptAnswersAreNotRead(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	const call = `{"role":"assistant","content":"so","tool_calls":[{"id":"c%d","type":"function","function":{"name":"ls","arguments":"{}"}}]}` + "\n" +
		`{"role":"tool","tool_call_id":"c%d","content":"Error: no such file","is_error":true}` + "\n"
	var text bytes.Buffer
	text.WriteString(`{"role":"user","content":"hello"}` + "\n")
	for i := range 4 {
		fmt.Fprintf(&text, call, i, i)
	}
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	ask := func() map[string]string {
		answers := map[string]string{}
		for name, ask := range keptQuestions(t.Context(), New(Options{Dirs: []string{dir}, Cache: cache}), []string{path}) {
			answers[name] = fmt.Sprint(ask())
		}
		return answers
	}
	before := ask()
	if err := os.WriteFile(path, bytes.Repeat([]byte{'\n'}, text.Len()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	for name, answer := range ask() {
		if answer != before[name] {
			t.Errorf("%s of an unchanged file: %s, before %s", name, answer, before[name])
		}
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime().Add(1)); err != nil {
		t.Fatal(err)
	}
	for name, answer := range ask() {
		if answer == before[name] {
			t.Errorf("%s of a changed file is the kept one: %s", name, answer)
		}
	}
}
