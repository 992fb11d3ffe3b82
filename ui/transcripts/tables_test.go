package transcripts_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"turns/export/parquet"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/many"
	"turns/query/session"
	"turns/ui/transcripts"
)

// TestTablesReadBackSayTheSame: exported tables have the same data about every session as the
// folder.
func TestTablesReadBackSayTheSame(t *testing.T) {
	modeltest.Long(t, "every sample is read, written and read again")
	for _, dir := range []string{"../../testdata", os.Getenv("TURNS_CORPUS")} {
		if dir == "" {
			t.Log("TURNS_CORPUS names no folder of transcripts")
			continue
		}
		if testing.Short() && dir != "../../testdata" {
			continue
		}
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			want := tellings(t, dir, func(lib *transcripts.Store, paths []string) { writeTables(t, lib, paths, out) })
			got := tellings(t, out, nil)
			if len(want) < 100 {
				t.Errorf("the folder has little to be kept: %d runs", len(want))
			}
			lost, made := without(want, got), without(got, want)
			if len(lost) > 0 {
				t.Errorf("of %d runs %d differ:\n%s\n… by the tables:\n%s", len(want), len(lost),
					strings.Join(lost[:min(len(lost), 5)], "\n"), strings.Join(made[:min(len(made), 5)], "\n"))
			}
		})
	}
}

// without returns the lines of a sorted list that are not in another.
func without(list, other []string) (rest []string) {
	for _, line := range list {
		if i, ok := slices.BinarySearch(other, line); ok {
			other = slices.Delete(slices.Clone(other), i, i+1)
			continue
		}
		rest = append(rest, line)
	}
	return rest
}

// tellings returns the data about the sessions of a folder, one per line, sorted.
func tellings(t *testing.T, dir string, also func(*transcripts.Store, []string)) (lines []string) {
	lib := transcripts.New(transcripts.Options{Dirs: []string{dir}})
	defer lib.Close()
	paths, err := lib.Transcripts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for a := range lib.Totals(t.Context(), paths, transcripts.TotalsOptions{}) {
		for _, r := range a.Answer {
			if !slices.Contains(takenBack, r.Session.Session) {
				lines = append(lines, telling(r))
			}
		}
	}
	slices.Sort(lines)
	if also != nil {
		also(lib, paths)
	}
	return lines
}

// takenBack are sessions with rewound answers: tables lack these, and their usage counts for the
// session, but for no model.
var takenBack = []string{"0197-child", "ca28c1ad-71ff-409f-bd58-7f61ce1fc818"}

func telling(r *many.Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q %q %s %s %s %v", r.Session.Session, r.Name(), r.Project, r.Session.Model, r.Task, r.Ending.State, r.Score)
	numbers(&b, &r.Part)
	for _, p := range slices.Concat(r.Tools, r.Models) {
		if r.N[many.Messages] == 0 {
			break // rewound parts of a session without any others
		}
		fmt.Fprintf(&b, " | %s", p.Key)
		numbers(&b, &p)
	}
	return b.String()
}

// untold are numbers that need more than a row per message: sizes in the records, times of the
// records of a message, and the number of rewound answers.
var untold = []many.Number{
	many.ArgsSize, many.ResultSize, many.ModelTime, many.UserTime, many.IdleTime, many.Responses, many.Unpriced,
}

// numbers writes the numbers of a session or of a part of it.
func numbers(b *strings.Builder, p *many.Part) {
	for n := many.Runs; int(n) < len(p.N); n++ {
		if p.Has(n) && !slices.Contains(untold, n) && p.N[n] != 0 {
			fmt.Fprintf(b, " %d:%d", n, p.N[n])
		}
	}
	fmt.Fprintf(b, " $%.5f", p.Dollars)
}

func writeTables(t *testing.T, lib *transcripts.Store, paths []string, out string) {
	set, err := parquet.Create(out, parquet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Abort()
	for range transcripts.Map(t.Context(), lib, paths, transcripts.Query[int]{Ask: func(ctx context.Context, l *transcripts.Loaded) (int, error) {
		return 0, lib.Each(ctx, l, nil, func(sel query.Selection, s *session.Session) error {
			run, err := many.NewRun(ctx, sel, *s, many.Options{})
			if err != nil {
				return err
			}
			return set.Run(ctx, &parquet.Run{Run: run, Selection: sel, File: l.File()})
		})
	}}) {
	}
	if _, err := set.Commit(); err != nil {
		t.Fatal(err)
	}
}
