package load

import (
	"context"
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
