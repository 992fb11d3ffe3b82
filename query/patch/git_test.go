package patch

import (
	"fmt"
	"strings"
	"testing"
)

// lines returns the numbers from first to last, one per line.
func lines(first, last int) string {
	var b strings.Builder
	for i := first; i <= last; i++ {
		fmt.Fprintln(&b, i)
	}
	return b.String()
}

// TestNotationOfGit: patches have the notation of git, which quotes unusual names and marks a
// missing newline at the end.
func TestNotationOfGit(t *testing.T) {
	for _, c := range []struct {
		file          File
		before, after string
		want          string
	}{
		{File{Path: "a"}, lines(1, 9), lines(1, 4) + "x\n" + lines(6, 9),
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
		{File{Path: "six lines between"}, lines(1, 8), "x\n" + lines(2, 7) + "y\n",
			"diff --git a/six lines between b/six lines between\n--- a/six lines between\t\n+++ b/six lines between\t\n" +
				"@@ -1,8 +1,8 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n"},
		{File{Path: "a"}, lines(1, 9), "x\n" + lines(2, 8) + "y\n",
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n"},
		{File{Op: Add, Path: "é\"\\\x01\x1f\x7f\t\n ~"}, "", "x\n",
			`diff --git "a/\303\251\"\\\001\037\177\t\n ~" "b/\303\251\"\\\001\037\177\t\n ~"` + "\nnew file mode 100644\n--- /dev/null\n" +
				`+++ "b/\303\251\"\\\001\037\177\t\n ~"` + "\n@@ -0,0 +1 @@\n+x\n"},
		{File{Op: Delete, Path: "a"}, "x\ny\n", "", "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n"},
		{File{Path: "a", To: "b c"}, "x\n", "y\n",
			"diff --git a/a b/b c\nrename from a\nrename to b c\n--- a/a\n+++ b/b c\t\n@@ -1 +1 @@\n-x\n+y\n"},
		{File{Path: "a", To: "b"}, "x\n", "x\n", "diff --git a/a b/b\nrename from a\nrename to b\n"},
		{File{Path: "a"}, "x", "y", "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n"},
		{File{Path: "a"}, "x\nz", "y\nz", "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-x\n+y\n z\n\\ No newline at end of file\n"},
		{File{Path: "a"}, "x\ny", "x\ny\n", "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\n-y\n\\ No newline at end of file\n+y\n"},
		{File{Path: "a"}, lines(1, 4) + "5", "x\n" + lines(2, 4) + "5", "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n"},
	} {
		c.file.Hunks = Diff(c.before, c.after)
		if got := c.file.Unified(); got != c.want {
			t.Errorf("%q: %q to %q is\n%s\nwant\n%s", c.file.Path, c.before, c.after, got, c.want)
		}
	}
}
