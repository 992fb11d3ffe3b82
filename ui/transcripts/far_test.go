package transcripts

import (
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"sync"
	"testing"
	"time"

	"turns/model/source"
	"turns/model/source/bucket/buckettest"
)

// TestFirstRowsBeforeTheLastPage lists a bucket in pages: rows appear before the second page
// arrives, and those that turn out to be part of a transcript folder are removed at the end.
func TestFirstRowsBeforeTheLastPage(t *testing.T) {
	line := `{"role":"user","content":"hello"}` + "\n"
	objects := map[string]string{
		"a/task/base_state.json": `{"id":"x","agent":{"kind":"Agent"}}`, "a/task/events/event-00000-a.json": `{"id":"e"}`,
	}
	for i := range 1000 {
		objects[fmt.Sprintf("a/text/%04d.txt", i)] = ""
	}
	for _, name := range []string{"b", "c", "z"} {
		objects["a/"+name+".jsonl"] = line
	}
	s := buckettest.New(objects)
	defer s.Close()
	s.Open = true
	told := make(chan struct{})
	s.Instead = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("continuation-token") != "" {
			select {
			case <-told:
			case <-time.After(10 * time.Second): // it failed
			}
		}
		return false
	}
	env := map[string]string{"AWS_ENDPOINT_URL": s.URL}
	ctx, end := source.WithPlaces(t.Context(), func(name string) string { return env[name] })
	defer end()
	if requests, _ := s.Seen(); isTranscript(ctx, "s3://runs/a") || !isTranscript(ctx, "s3://runs/a/task") || len(requests) > 0 {
		t.Errorf("a folder is taken for a transcript, or a transcript for a folder; before, %d requests", len(requests))
	}
	if requests, _ := s.Seen(); len(requests) > 2 {
		t.Errorf("%d requests tell what folders are: %q", len(requests), requests)
	}
	rows, early := map[string]bool{}, 0
	l, err := New(Options{Dirs: []string{"s3://runs/a"}, Cache: t.TempDir()}).newLister(ctx, func(n Update) {
		if len(rows) == 0 && len(n.Sessions) > 0 {
			close(told)
			early = len(n.Sessions)
		}
		for i := range n.Sessions {
			rows[path.Base(n.Sessions[i].Path)] = true
		}
		for _, gone := range n.Gone {
			delete(rows, path.Base(gone))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.list(ctx); err != nil {
		t.Fatal(err)
	}
	if want := []string{"b.jsonl", "c.jsonl", "task", "z.jsonl"}; !slices.Equal(slices.Sorted(maps.Keys(rows)), want) || early == len(want) {
		t.Errorf("%d rows came first; in the end there are %q", early, slices.Sorted(maps.Keys(rows)))
	}
	if asked, _ := s.Seen(); len(asked) > 20 {
		t.Errorf("%d requests: %q", len(asked), asked)
	}
}

// TestRequestsUntilTheFirstRow lists a bucket with more objects than a page: one request asks for
// the folder, one for the object with its name, and one for each page.
func TestRequestsUntilTheFirstRow(t *testing.T) {
	objects := map[string]string{"a/0.jsonl": `{"role":"user","content":"hello"}` + "\n"}
	for i := range 1000 {
		objects[fmt.Sprintf("a/text/%04d.txt", i)] = ""
	}
	s := buckettest.New(objects)
	defer s.Close()
	s.Open = true
	var mu sync.Mutex
	asked := map[string]int{}
	below, told := make(chan struct{}), make(chan struct{})
	s.Instead = func(_ http.ResponseWriter, r *http.Request) bool {
		what, wait := r.Method, (chan struct{})(nil)
		switch q := r.URL.Query(); {
		case q.Get("continuation-token") != "":
			what, wait = "next page", told
		case q.Get("max-keys") == "1":
			what = "any below"
			close(below)
		case q.Has("max-keys"):
			what = "first page"
		case r.Method == http.MethodHead:
			wait = below
		}
		mu.Lock()
		asked[what]++
		mu.Unlock()
		if wait != nil {
			select {
			case <-wait:
			case <-time.After(10 * time.Second):
				t.Errorf("%s was asked for too early", what)
			}
		}
		return false
	}
	env := map[string]string{"AWS_ENDPOINT_URL": s.URL}
	ctx, end := source.WithPlaces(t.Context(), func(name string) string { return env[name] })
	defer end()
	if !IsFolder(ctx, "s3://runs/a") {
		t.Error("it is not a folder")
	}
	once, rows := sync.OnceFunc(func() { close(told) }), 0
	l, err := New(Options{Dirs: []string{"s3://runs/a"}, Cache: t.TempDir()}).newLister(ctx, func(n Update) {
		if rows += len(n.Sessions); rows > 0 {
			once()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.list(ctx); err != nil {
		t.Fatal(err)
	}
	delete(asked, http.MethodGet)
	if want := map[string]int{"HEAD": 1, "any below": 1, "first page": 1, "next page": 1}; !maps.Equal(asked, want) || rows == 0 {
		t.Errorf("%d rows after %v", rows, asked)
	}
}
