package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"turns/model/modeltest"
)

// TestViewsAreKept saves, replaces and deletes views, and reads them back unchanged.
func TestViewsAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "turns", "views.toml")
	if views, err := LoadViews(path); len(views) > 0 || err != nil {
		t.Fatal(views, err)
	}
	list := View{Name: "mine", Of: ViewOfList, Filter: `project:"a b" is:error`, Find: "curry", Columns: []string{"when", "title"}, Sort: "cost", Desc: true, Group: "model", Pane: "cost"}
	run := View{Name: "errors only", Of: ViewOfSession, Filter: "is:error", Group: "steps", Pane: "tools", Full: true, Around: 3, Time: "start", Sort: "errors"}
	for _, v := range []View{list, {Name: "errors only", Of: ViewOfSession}, run} {
		if _, err := SaveView(path, v); err != nil {
			t.Fatal(err)
		}
	}
	views, err := LoadViews(path)
	if err != nil || !reflect.DeepEqual(views, []View{list, run}) {
		t.Errorf("read %+v, %v", views, err)
	}
	if _, err := DeleteView(path, "no"); err == nil || err.Error() != `no view is called "no"` {
		t.Error(err)
	}
	if views, err = DeleteView(path, "mine"); err != nil || !reflect.DeepEqual(views, []View{run}) {
		t.Errorf("after deleting %+v, %v", views, err)
	}
	for _, name := range []string{"", " a", "a\nb", strings.Repeat("x", 81)} {
		if _, err := SaveView(path, View{Name: name}); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
}

// TestViewsOfOthers reads hostile files of views: each value is bounded, and no file takes long.
func TestViewsOfOthers(t *testing.T) {
	const head = "[[view]]\nname = \"x\"\nof = \"list\"\n"
	for name, c := range map[string]struct{ text, err string }{
		"a text of megabytes":    {head + "#" + strings.Repeat("x", 5<<20), "the most is"},
		"lists in lists":         {head + "columns = " + strings.Repeat("[", 100_000), "nested deeper"},
		"a long name of a table": {"view." + strings.Repeat("a.", 50_000) + "b = 1\n", "nested deeper"},
		"bytes":                  {head + "sort = \"\xff\"", "UTF-8"},
		"NUL":                    {head + "\x00", "control characters"},
		"a key twice":            {head + "of = \"list\"\n", "already"},
		"another type":           {"[[view]]\nname = [\"x\"]\n", "incompatible types"},
		"escape codes":           {head + "sort = \"\x1b[2J\"", "control characters"},
		"an unfit name":          {"[[view]]\nname = \"a\\u001b[2J\"\n" + head, ""},
		"columns without end":    {head + "columns = [" + strings.Repeat("\"title\",", 100_000) + "]\n", ""},
		"too many rows":          {head + "around = 9223372036854775807\n", ""},
		"rows below zero":        {head + "around = -5\n", ""},
		"an order of nothing":    {head + "sort = \"\\u202e\"\n", ""},
	} {
		path := filepath.Join(t.TempDir(), "views.toml")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		views, err := LoadViews(path)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil || len(views) != 1 || len(views[0].Columns) > 1 || views[0].Around < 0 || views[0].Around > maxAround:
			t.Errorf("%s: %+v, %v", name, views, err)
		}
	}
}

// TestBrokenViewsAreNotReplaced: an invalid file is reported with its mistake, and not replaced.
func TestBrokenViewsAreNotReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "views.toml")
	const text = "[[view]]\nname = mine\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := SaveView(path, View{Name: "a"}); err == nil || !strings.Contains(err.Error(), "views.toml:2:8") {
		t.Error(err)
	}
	if got, _ := os.ReadFile(path); string(got) != text {
		t.Errorf("the file is now %q", got)
	}
}

// TestManySaveViews: several programs save at the same time, and all views survive.
func TestManySaveViews(t *testing.T) {
	modeltest.Unix(t, "locks between programs")
	path := filepath.Join(t.TempDir(), "views.toml")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if _, err := SaveView(path, View{Name: fmt.Sprint("v", i), Of: ViewOfList}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if views, err := LoadViews(path); len(views) != 8 || err != nil {
		t.Errorf("%d views, %v", len(views), err)
	}
}
