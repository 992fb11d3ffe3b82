package transcripts

import (
	"slices"
	"testing"
)

func TestBelow(t *testing.T) {
	for _, c := range []struct {
		root, name, rest string
		ok               bool
	}{
		{"runs", "runs/a/1.jsonl", "a/1.jsonl", true},
		{"runs/", "runs/1.jsonl", "1.jsonl", true},
		{"runs", "runs2/1.jsonl", "", false},
		{"runs/1.jsonl", "runs/1.jsonl", "1.jsonl", true},
		{"runs/*/x.json", "runs/a/x.json", "a/x.json", true},
		{"*.json", "x.json", "x.json", true},
		{".", "a/1.jsonl", "a/1.jsonl", true},
		{"s3://bucket/runs", "s3://bucket/runs/a/1.jsonl", "a/1.jsonl", true},
	} {
		if rest, ok := below(c.root, c.name); rest != c.rest && c.ok || ok != c.ok {
			t.Errorf("%s below %s is %q, %v", c.name, c.root, rest, ok)
		}
	}
}

func TestRootNames(t *testing.T) {
	for _, c := range []struct{ roots, names []string }{
		{[]string{"/x/old", "/x/new/"}, []string{"old", "new"}},
		{[]string{"a/runs", "b/runs"}, []string{"a/runs", "b/runs"}},
		{[]string{"a", "a"}, []string{"a", "a"}},
		{nil, nil},
	} {
		if got := rootNames(c.roots); !slices.Equal(got, c.names) {
			t.Errorf("%q are called %q, want %q", c.roots, got, c.names)
		}
	}
}
