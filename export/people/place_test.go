package people

import "testing"

func TestPaths(t *testing.T) {
	at := place{cwd: "/home/anna/proj", home: "/home/anna"}
	for _, test := range []struct{ in, want string }{
		{"/home/anna/proj/main.go", "main.go"},
		{"cd /home/anna/proj && ls", "cd . && ls"},
		{"/home/anna/proj/", "."},
		{"/home/anna/project/x", "~/project/x"},
		{"/home/anna/notes.txt:3", "~/notes.txt:3"},
		{"/home/annabelle/x", "/home/annabelle/x"},
		{"in /home/anna.", "in ~."},
		{"/home/anna", "~"},
		{"/home/anna-b/x", "/home/anna-b/x"},
		{"/home/anna=1", "~=1"},
		{`t\x/home/anna/b`, `t\x/home/anna/b`},
		{`\n/home/anna/b`, `\n~/b`},
		{"/mnt/home/anna/x", "/mnt/home/anna/x"},
		{`"a\n/home/anna/proj/b"`, `"a\nb"`},
		{"file:///home/anna/x", "file:///home/anna/x"},
	} {
		if got := at.shorten(test.in); got != test.want {
			t.Errorf("%q became %q, not %q", test.in, got, test.want)
		}
	}
}

// TestPathsBelowARoot: the folder / is not shortened.
func TestPathsBelowARoot(t *testing.T) {
	for in, at := range map[string]place{"/x/y": {cwd: "/", home: "/"}, "/w/x": {}} {
		if got := at.shorten(in); got != in {
			t.Errorf("%q below %q became %q", in, at.cwd, got)
		}
	}
	at := place{cwd: "/w", home: "/w"}
	if got := at.shorten("/w and /w/x"); got != ". and x" {
		t.Errorf("below the home directory: %q", got)
	}
}
