package library_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"turns/export/parquet"
	"turns/query"
	"turns/query/many"
	"turns/query/session"
	"turns/ui/library"
)

// TestTablesReadBackSumTheSame: what a folder is exported to as tables answers the same
// sums as the folder.
func TestTablesReadBackSumTheSame(t *testing.T) {
	ctx, in, out := t.Context(), t.TempDir(), t.TempDir()
	for i, sample := range []string{
		"demo.jsonl", "formats/codex/bare-2025.jsonl", "formats/gemini-cli/log.jsonl", "formats/pi/first-version.jsonl",
	} {
		data, err := os.ReadFile(filepath.Join("../../testdata", sample))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(in, fmt.Sprintf("%d%s", i, filepath.Ext(sample))), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lib := library.New(library.Options{Dirs: []string{in}})
	defer lib.Close()
	set, err := parquet.Create(out, parquet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	paths, err := lib.Transcripts(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for a := range library.Ask(ctx, lib, paths, library.Question[int]{Ask: func(ctx context.Context, l *library.Loaded) (int, error) {
		return 0, lib.Each(ctx, l, nil, func(sel query.Selection, s *session.Session) error {
			run, err := many.NewRun(ctx, sel, *s, many.Options{})
			if err != nil {
				return err
			}
			return set.Run(ctx, &parquet.Run{Run: run, Selection: sel, File: l.File()})
		})
	}}) {
		if a.Err != nil {
			t.Fatal(a.Path, a.Err)
		}
	}
	if _, err := set.Commit(); err != nil {
		t.Fatal(err)
	}
	want, got := sums(t, in), sums(t, out)
	for _, n := range []many.Number{
		many.Messages, many.Calls, many.Errors, many.Pending, many.Input, many.CacheRead, many.CacheWrite, many.Output, many.Reasoning,
	} {
		if want[n] != got[n] {
			t.Errorf("%v: %d in the tables, %d in the folder", n, got[n], want[n])
		}
	}
	if want[many.Messages] < 40 || want[many.Output] == 0 || want[many.CacheWrite] == 0 || want[many.Errors] == 0 {
		t.Errorf("the folder has little to be kept: %v", want)
	}
}

func sums(t *testing.T, dir string) map[many.Number]int64 {
	lib := library.New(library.Options{Dirs: []string{dir}})
	defer lib.Close()
	paths, err := lib.Transcripts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := map[many.Number]int64{}
	for a := range lib.Sum(t.Context(), paths, library.SumOptions{}) {
		if a.Err != nil {
			t.Fatal(a.Path, a.Err)
		}
		for _, r := range a.Answer {
			for n, v := range r.N {
				all[many.Number(n)] += v
			}
		}
	}
	return all
}
