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
