package patch

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, text, path string
		want             string
	}{
		{"apply_patch", "*** Begin Patch\n*** Update File: a.go\n@@ func main() {\n-old\n+new\n*** Add File: b.go\n+one\n+two\n*** Delete File: c.go\n*** End Patch", "",
			"0 a.go [@func main() { -old|+new] 1 b.go [+one|+two] 2 c.go"},
		{"move", "*** Update File: a.go\n*** Move to: b.go\n@@\n line\n-x\n+y\n*** End Patch\n", "", "0 a.go>b.go [ line|-x|+y]"},
		{"unified", "--- a/x.txt\t2026\n+++ b/x.txt\n@@ -1,2 +1 @@\n a\n--- b\n", "", "0 x.txt [1 1  a|--- b]"},
		{"git", "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n", "", "1 n [1 1 +x NewOpen]"},
		{"git renames", "rename to no file\ndiff --git a/x b/c\nsimilarity index 100%\nrename from a\nrename to b\n", "", "0 a>b"},
		{"git deletes", "diff --git a/x b/x\ndeleted file mode 100644\nindex e69de29..0000000\n", "", "2 x"},
		{"git renames before its hunks only", "diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\nrename to c\n", "", "0 x [1 1 -a|+b]"},
		{"hunks of a named file", "@@ -3,1 +3,1 @@\n-a\n+b", "f", "0 f [3 3 -a|+b]"},
		{"numbers within apply_patch", "*** Begin Patch\n*** Update File: a\n@@ -2 +2 @@\n-a\n+b\n*** End Patch", "", "0 a [2 2 -a|+b]"},
		{"nothing", "no patch at all\n- a list\n", "", ""},
	} {
		var got []string
		for _, f := range Parse(test.text, test.path) {
			s := string(rune('0'+f.Op)) + " " + f.Path
			if f.To != "" {
				s += ">" + f.To
			}
			for _, h := range f.Hunks {
				head := ""
				if h.Old > 0 {
					head = string(rune('0'+h.Old)) + " " + string(rune('0'+h.New)) + " "
				}
				if h.Anchor != "" {
					head = "@" + h.Anchor + " "
				}
				tail := ""
				if h.NewOpen {
					tail = " NewOpen"
				}
				s += " [" + head + strings.Join(h.Lines, "|") + tail + "]"
			}
			got = append(got, s)
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, s, test.want)
		}
	}
}

func TestApply(t *testing.T) {
	for _, test := range []struct{ name, text, patch, want string }{
		{"by number", "a\nb\nb\nc\n", "@@ -3 +3 @@\n-b\n+x\n", "a\nb\nx\nc\n"},
		{"below an anchor", "f\n x\ng\n x\n", "*** Update File: p\n@@ g\n- x\n+ y\n", "f\n x\ng\n y\n"},
		{"blanks at the end of a line", "a \nb\n", "*** Update File: p\n@@\n-a\n+z\n b\n", "z\nb\n"},
		{"an addition without lines around", "a\n", "*** Update File: p\n@@\n+b\n", "a\nb\n"},
		{"a last line without a newline", "a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n", "a\nc\n"},
		{"a removed newline", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n", "a\nb"},
		{"everything", "a\nb\n", "@@ -1,2 +0,0 @@\n-a\n-b\n", ""},
		{"numbers that drifted", "x\ny\na\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "x\ny\na\nc\n"},
		{"not there", "a\n", "@@ -1 +1 @@\n-b\n+c\n", "error"},
	} {
		got, err := Apply(test.text, Parse(test.patch, "p")[0].Hunks)
		if err != nil {
			got = "error"
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestBlocks(t *testing.T) {
	text := "------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n<<<<<<< SEARCH\n:start_line:3\n-------\nc\n=======\n>>>>>>> REPLACE\n------- SEARCH\nno end\n"
	got := Blocks(text)
	want := []Block{{"a\n", "b\n"}, {"c\n", ""}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDiffAppliesAndParses changes random texts: the diff turns the first text into the second, and
// its written form parses to the same diff.
func TestDiffAppliesAndParses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString(strings.Repeat("-", r.IntN(3)) + string(rune('a'+r.IntN(4))) + "\n")
		}
		s := b.String()
		if r.IntN(3) == 0 {
			s = strings.TrimSuffix(s, "\n")
		}
		return s
	}
	for range 3000 {
		a, b := text(), text()
		hunks := Diff(a, b)
		if got, err := Apply(a, hunks); err != nil || got != b {
			t.Fatalf("%q to %q: %q, %v\n%+v", a, b, got, err, hunks)
		}
		added, removed := Counts(hunks)
		if x, y := Lines(a, b); x-y != added-removed || x > added || y > removed {
			t.Fatalf("%q to %q: +%d -%d lines, the hunks have +%d -%d", a, b, x, y, added, removed)
		}
		f := File{Path: "p", Hunks: hunks}
		if len(hunks) == 0 {
			continue
		}
		parsed := Parse(f.Unified(), "")
		if len(parsed) != 1 || len(parsed[0].Hunks) != len(hunks) {
			t.Fatalf("%q to %q: %d files of\n%s", a, b, len(parsed), f.Unified())
		}
		if got, err := Apply(a, parsed[0].Hunks); err != nil || got != b {
			t.Fatalf("%q to %q: read back: %q, %v\n%s", a, b, got, err, f.Unified())
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch", "x\n")
	f.Add("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n", "x")
	f.Fuzz(func(t *testing.T, patch, text string) {
		for _, file := range Parse(patch, "p") {
			Counts(file.Hunks)
			if got, err := Apply(text, file.Hunks); err == nil {
				Apply(got, Diff(got, text))
			}
		}
		Blocks(patch)
	})
}
