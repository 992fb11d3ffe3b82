package load

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
)

// TestHintsOfMixedFolders lists folders of many formats: the summary of a transcript never depends
// on those listed before it.
func TestHintsOfMixedFolders(t *testing.T) {
	modeltest.Long(t, "it reads many folders")
	paths, err := filepath.Glob("../../testdata/formats/*/*.json*")
	if err != nil {
		t.Fatal(err)
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { return strings.HasSuffix(p, ".golden") })
	alone := make(map[string]model.Summary)
	for _, back := range []bool{false, true} {
		if back {
			slices.Reverse(paths)
		}
		together := newLister(&Hints{})
		for _, p := range paths {
			file := byAge(t.Context(), []string{p})[0]
			got := together.summarise(context.Background(), file)
			want, ok := alone[p]
			if !ok {
				want = newLister(&Hints{}).summarise(context.Background(), file).Summary
				alone[p] = want
			}
			if got.Format != want.Format || got.Messages != want.Messages || got.Calls != want.Calls {
				t.Errorf("%s among others: %s, %d messages; alone: %s, %d", p, got.Format, got.Messages, want.Format, want.Messages)
			}
		}
	}
}

// TestPartsOfASession opens the folder for a part of a session. A folder with more files than a
// session has parts contains transcripts: hints list it once for all of them.
func TestPartsOfASession(t *testing.T) {
	folder := func(files int, more ...string) string {
		dir := t.TempDir()
		for i := range files - len(more) {
			more = append(more, fmt.Sprintf("%d.jsonl", i))
		}
		for _, name := range more {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	session, crowd := folder(64, "session.json", "messages.jsonl"), folder(65, "session.json", "messages.jsonl")
	for _, h := range []*Hints{nil, {}} {
		for _, c := range []struct{ dir, file, want string }{
			{session, "messages.jsonl", session},
			{session, "0.jsonl", filepath.Join(session, "0.jsonl")},
			{crowd, "messages.jsonl", filepath.Join(crowd, "messages.jsonl")},
		} {
			if got := h.wholeSession(filepath.Join(c.dir, c.file)); got != c.want {
				t.Errorf("%q opens %q, want %q", c.file, got, c.want)
			}
		}
		if h != nil && (h.crowd[session] || !h.crowd[crowd]) {
			t.Errorf("listed once: %v, want only the folder with 65 files", h.crowd)
		}
	}
}
