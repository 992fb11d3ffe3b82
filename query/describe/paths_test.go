package describe

import (
	"strings"
	"testing"

	"turns/model"
)

// TestFileOf: a file has one path, whatever path a call names.
func TestFileOf(t *testing.T) {
	for _, c := range []struct{ cwd, home, path, want string }{
		{"/w", "", "a", "/w/a"}, {"/w/", "", "a", "/w/a"}, {"", "", "a", "a"}, {"/w", "", "", ""},
		{"/w", "", "file:///x/./y", "/x/y"}, {"c:/w", "", "/x", "/x"},
		{"/home/ann/app", "/home/ann", "~/x", "/home/ann/x"}, {"/home/ann/app", "/home/ann", "~", "/home/ann"}, {"/w", "", "~/x", "~/x"},
		{`C:\w`, "", `a\b`, "c:/w/a/b"}, {"/w", "", `A:\x`, "a:/x"}, {"/w", "", "Z:/x/../y", "z:/y"},
		{"/w", "", "C:", "/w/C:"}, {"/w", "", "a:b", "/w/a:b"}, {"/w", "", "1:/x", "/w/1:/x"}, {"/w", "", "ab/x", "/w/ab/x"},
	} {
		if got := (Describer{Cwd: c.cwd, Home: c.home}).FileOf(c.path); got != c.want {
			t.Errorf("%q in %q is %q, want %q", c.path, c.cwd, got, c.want)
		}
	}
}

// TestFileShown: a file has one path for people, whatever path a call names.
func TestFileShown(t *testing.T) {
	for _, c := range []struct{ cwd, want, paths string }{
		{"/home/ann/app", "src/a.go", "src/a.go ./src/a.go /home/ann/app/src/a.go src/../src/a.go file:///home/ann/app/src/a.go"},
		{"/home/ann/app", "~/notes", "~/notes /home/ann/notes ../notes"},
		{`C:\Users\ann\app`, "src/a.go", `src\a.go src/a.go C:\Users\ann\app\src\a.go c:/Users/ann/app/src/a.go`},
		{`C:\Users\ann\app`, "~/.ssh/config", `C:\Users\ann\.ssh\config c:/Users/ann/.ssh/config`},
		{`C:\Users\ann\app`, "d:/x", `D:\x d:/x`},
		{"", "src/a.go", "src/a.go ./src/a.go"},
	} {
		d := NewDescriber(&model.Session{Fields: []model.KeyValue{{Name: "cwd", Value: c.cwd}}})
		for p := range strings.FieldsSeq(c.paths) {
			if got := d.FileShown(p); got != c.want {
				t.Errorf("%q in %q is shown as %q, want %q", p, c.cwd, got, c.want)
			}
		}
	}
}
