package modeltest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files again")

// Update reports whether the tests write their golden files instead of comparing with them:
// go test ./PACKAGE -update.
func Update() bool { return *update }

// Golden compares a text with a golden file, and reports the first line that differs. With -update
// it writes the file instead; folders on the way are made.
func Golden(t testing.TB, path, got string) {
	t.Helper()
	if Update() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("reading a golden file (-update writes it): %v", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update writes it, git diff shows all of it): %s", path, FirstDifference(got, string(want)))
	}
}

// around is how many equal lines FirstDifference shows before the one that differs.
const around = 2

// FirstDifference shows the first line in which two texts differ, with its number and the equal
// lines before it; "" if they are equal.
func FirstDifference(got, want string) string {
	if got == want {
		return ""
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	i := 0
	for i < len(g) && i < len(w) && g[i] == w[i] {
		i++
	}
	line := func(lines []string) string {
		if i < len(lines) {
			return lines[i]
		}
		return "(the end)"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "line %d\n", i+1)
	for _, same := range g[max(0, i-around):i] {
		b.WriteString("     " + same + "\n")
	}
	return b.String() + "got  " + line(g) + "\nwant " + line(w)
}
