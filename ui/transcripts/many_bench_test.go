package transcripts

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"turns/query/filter"
)

// benchFolder contains n copies of the sample, as sessions of many projects.
func benchFolder(b *testing.B, n int) (dir string, size int64) {
	demo, err := os.ReadFile("../../testdata/demo.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	dir = b.TempDir()
	for i := range n {
		sub := filepath.Join(dir, fmt.Sprintf("p%03d", i%100))
		text := bytes.ReplaceAll(demo, []byte(`"sessionId":"`), fmt.Appendf(nil, `"sessionId":"%05d`, i))
		if os.MkdirAll(sub, 0o700) != nil || os.WriteFile(filepath.Join(sub, fmt.Sprintf("s%05d.jsonl", i)), text, 0o600) != nil {
			b.Fatal("the folder cannot be written")
		}
		size += int64(len(text))
	}
	return dir, size
}

// BenchmarkSearchMany searches for a missing text; the limit is three times grep -rliF.
func BenchmarkSearchMany(b *testing.B) {
	dir, size := benchFolder(b, 2000)
	p, err := filter.NewPattern("zzz not there", false)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	for b.Loop() {
		lib := New(Options{Dirs: []string{dir}})
		paths, err := lib.Transcripts(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for got := range Map(b.Context(), lib, paths, Query[int]{
			Holding: p.Literals(), Ask: func(context.Context, *Loaded) (int, error) { return 0, nil },
		}) {
			if !got.None {
				b.Fatal(got.Path, got.Err)
			}
		}
	}
}

// BenchmarkSumMany sums every session of a folder, first without and then with a cache; the limit
// with a cache is twice the time that cat needs.
func BenchmarkSumMany(b *testing.B) {
	dir, size := benchFolder(b, 500)
	b.Run("first", func(b *testing.B) { benchSums(b, Options{Dirs: []string{dir}}, size) })
	b.Run("known", func(b *testing.B) { benchSums(b, Options{Dirs: []string{dir}, Cache: b.TempDir()}, size) })
}

func benchSums(b *testing.B, o Options, size int64) {
	b.SetBytes(size)
	if o.Cache != "" {
		lib := New(o)
		paths, _ := lib.Transcripts(b.Context())
		for range lib.Totals(b.Context(), paths, TotalsOptions{}) {
		}
	}
	for b.Loop() {
		lib := New(o)
		paths, err := lib.Transcripts(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for got := range lib.Totals(b.Context(), paths, TotalsOptions{}) {
			if len(got.Answer) != 1 {
				b.Fatal(got.Path, got.Err)
			}
		}
	}
}
