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
		{"/mnt/home/anna/x", "/mnt/home/anna/x"},
		{`"a\n/home/anna/proj/b"`, `"a\nb"`},
		{"file:///home/anna/x", "file:///home/anna/x"},
	} {
		if got := at.shorten(test.in); got != test.want {
			t.Errorf("%q became %q, not %q", test.in, got, test.want)
		}
	}
}
