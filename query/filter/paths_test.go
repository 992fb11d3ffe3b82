package filter

import (
	"fmt"
	"slices"
	"testing"

	"turns/model"
)

// TestPathsOfCalls: arguments with these names are paths, at any depth, as are the heads of
// patches; other arguments are not.
func TestPathsOfCalls(t *testing.T) {
	paths := func(args string) (found []string) {
		CallPaths(&model.Content{Kind: model.ToolCall, Text: args}, func(path string) bool {
			found = append(found, path)
			return true
		})
		return found
	}
	for _, name := range []string{"path", "paths", "file", "files", "file_path", "filepath", "filename", "file_name", "filePath", "fileName", "file_paths",
		"notebook_path", "target_file", "targetFile", "absolute_path", "AbsolutePath", "TargetFile", "relative_path", "relative_workspace_path", "dir_path",
		"directory", "uri", "old_path", "new_path", "source_path", "destination"} {
		if got := paths(fmt.Sprintf(`{"in":[{%q:["a/b.go","file://c.go",""]}],"text":"d.go"}`, name)); !slices.Equal(got, []string{"a/b.go", "c.go"}) {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, mark := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ b/", "--- a/"} {
		for _, args := range []string{"*** Begin\n+++ b/\n" + mark + "x y.go \n", fmt.Sprintf(`{"input":%q}`, "*** Begin\n+++ b/\n"+mark+"x y.go \n")} {
			if got := paths(args); len(got) == 0 || got[len(got)-1] != "x y.go" {
				t.Errorf("%s in %q: %q", mark, args, got)
			}
		}
	}
	if got := paths("--- a/x.go\n"); got != nil {
		t.Errorf("a line of dashes alone is not a patch: %q", got)
	}
}
