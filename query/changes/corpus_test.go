package changes

import (
	"fmt"
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model/load"
	"turns/model/modeltest"
)

// chainRow counts the kinds of versions in the chains of a format.
type chainRow struct{ files, exact, hunks, uncertain, broken int }

// TestCorpusChains reports, by format, how much is known about the files changed in the corpus.
// Every known version must rebuild to its original content, and git must accept the patches of all
// sessions.
func TestCorpusChains(t *testing.T) {
	root := modeltest.Corpus(t)
	modeltest.Long(t, "it reads the whole corpus")
	rows := map[string]*chainRow{}
	var breaks strings.Builder
	_, missing := exec.LookPath("git")
	git, applied := missing == nil, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "/broken/") {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() > 12<<20 {
			return err
		}
		c, err := load.Open(t.Context(), path, load.Options{})
		if err != nil {
			return nil // no transcript
		}
		defer c.Close()
		snap, err := c.Load(t.Context())
		if snap == nil || err != nil {
			return nil
		}
		h, err := Of(t.Context(), snap, nil)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		format := snap.Format()
		for _, f := range h.Files {
			if rows[format] == nil {
				rows[format] = &chainRow{}
			}
			rows[format].add(t, h, f, rel, &breaks)
		}
		if git && len(h.Files) > 0 {
			applied += applies(t, h)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("patches make %d files", applied); git && applied < 100 {
		t.Errorf("git applied the patches of %d files only", applied)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-22s %5s %5s %5s %9s %6s\n", "format", "files", "exact", "hunks", "uncertain", "broken")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		r := rows[name]
		fmt.Fprintf(&b, "%-22s %5d %5d %5d %9d %6d\n", name, r.files, r.exact, r.hunks, r.uncertain, r.broken)
	}
	b.WriteString("\n" + breaks.String())
	modeltest.Golden(t, "testdata/corpus.golden", b.String())
}

// add counts the versions of a file and rebuilds them, from the last one back.
func (r *chainRow) add(t *testing.T, h *History, f *File, session string, breaks *strings.Builder) {
	r.files++
	for i := len(f.Versions) - 1; i >= 0; i-- {
		v := &f.Versions[i]
		switch {
		case v.Op == Start:
		case v.State == Exact:
			r.exact++
		case v.State == Hunks:
			r.hunks++
		case v.State == Uncertain:
			r.uncertain++
		default:
			r.broken++
			fmt.Fprintf(breaks, "%s #%d: %s\n", filepath.Base(session), v.Pos, v.Op)
		}
		if !v.Known {
			continue
		}
		h.kept = contentCache{}
		text, absent, err := h.Content(t.Context(), f, i)
		if err != nil || absent != v.Absent {
			t.Errorf("%s: %s: version %d of #%d cannot be rebuilt: %v", session, f.Path, i, v.Pos, err)
		} else if !absent && h.rebuilt(text) != v.sum.exact {
			t.Errorf("%s: %s: version %d of #%d is rebuilt differently", session, f.Path, i, v.Pos)
		}
	}
}

func (h *History) rebuilt(text string) uint64 { return (&builder{History: h}).sum(text, false).exact }
