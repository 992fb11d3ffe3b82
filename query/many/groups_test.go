package many

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/query/human"
)

func TestKindsLeaveOutWhatDiffers(t *testing.T) {
	for line, want := range map[string]string{
		"exit 2 · 12 tests, 3 failures":                            "N tests, N failures",
		"error · file does not exist":                              "file does not exist",
		"exit 1 · bash: /usr/local/bin/foo: No such file":          "PATH: No such file",
		"exit 127 · foo.go:12:4: undefined: x":                     "PATH: undefined: x",
		"ModuleNotFoundError: No module named 'numpy'":             "ModuleNotFoundError: No module named …",
		"request 1f0c9a7b2e4d-44aa failed: 503":                    "request ID failed: N",
		"no task toolu_01AbCdEfGhIjKl":                             "no task ID",
		"dial https://example.org/a?b=1 timed out after 30.5s":     "dial URL timed out after Ns",
		"error · string to replace not found in file: “two words”": "string to replace not found in file: …",
		"error · cat: a/b.txt: No such file":                       "PATH: No such file",
		"error · Command exited with code 1":                       "exit N",
		"exit 128 · fatal: The current branch fix-a_7 has none":    "fatal: The current branch NAME has none",
		"exit 100 · E: Unable to locate package libgtest-dev":      "E: Unable to locate package NAME",
		"error · nothing was replaced, `return a(":                 "nothing was replaced, …",
		"2 is less than 3 of this class":                           "N is less than N of this class",
		"permission denied":                                        "permission denied",
	} {
		if got := (&Failure{Line: line}).Kind(); got != want {
			t.Errorf("%q is of the kind %q, want %q", line, got, want)
		}
	}
}

// TestGroupsAreCauses: people assigned these failures to causes. At least 90 % of the failures have
// the main cause of their group, with at most three groups for two causes.
func TestGroupsAreCauses(t *testing.T) {
	text, err := os.ReadFile("testdata/causes.txt")
	if err != nil {
		t.Fatal(err)
	}
	groups, causes, n := map[[2]string]map[string]int{}, map[string]map[[2]string]bool{}, 0
	for row := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(row, "\n"), "\t")
		if len(f) != 3 {
			continue
		}
		group := [2]string{f[1], key((&Failure{Line: f[2]}).Kind())}
		if groups[group] == nil {
			groups[group] = map[string]int{}
		}
		if causes[f[0]] == nil {
			causes[f[0]] = map[[2]string]bool{}
		}
		groups[group][f[0]]++
		causes[f[0]][group] = true
		n++
	}
	alike, parts := 0, 0
	for _, g := range groups {
		alike += slices.Max(slices.Collect(maps.Values(g)))
	}
	for _, c := range causes {
		parts += len(c)
	}
	if n < 30 || alike*10 < n*9 || parts*2 > len(causes)*3 {
		t.Errorf("%d of %d are with their like; %d causes are in %d groups: %v", alike, n, len(causes), parts, groups)
	}
}

func TestGroupsAreCompared(t *testing.T) {
	put := func(lines ...string) *Groups {
		g := NewGroups("failure")
		for i, line := range lines {
			g.Add(&Failure{"shell", "failure", line, "a.jsonl", i, time.Date(2026, 2, 11, i, 0, 0, 0, time.UTC).UnixMilli(), ""})
		}
		return g
	}
	g := put("exit 1 · old 1", "exit 1 · new", "exit 2 · old 2", "exit 2 · Old 3")
	if fresh := g.Finish(put("exit 3 · old 9")); fresh != 1 || len(g.List) != 2 || g.List[0].Kind != "new" || *g.List[1].Before != 1 || g.List[1].Count != 3 ||
		g.List[1].Share != 0.75 || g.List[1].Runs != 1 || g.List[1].First >= g.List[1].Last {
		t.Errorf("%d are new: %+v, %+v", fresh, g.List[0], g.List[1])
	}
}

// TestGroupsAreCountedWhole: the note counts all groups, including those omitted from the table.
func TestGroupsAreCountedWhole(t *testing.T) {
	g := NewGroups("failure")
	for i, line := range []string{"exit 1 · a", "exit 2 · b", "exit 3 · c", "exit 1 · a"} {
		g.Add(&Failure{"shell", "failure", line, "a.jsonl", i, 0, ""})
	}
	g.Finish(nil)
	all := len(g.List)
	g.List = g.List[:1]
	if notes := g.Doc(time.UTC).Sections[0].Notes; all != 3 || notes[0] != "4 failures in 3 groups" {
		t.Errorf("of %d groups it says %q", all, notes)
	}
	for index, want := range map[human.Index]string{-1: "a.jsonl", 0: "a.jsonl --at 0"} {
		if got := (&Example{Path: "a.jsonl", Index: index}).String(); got != want {
			t.Errorf("message %d is opened with %q, want %q", index, got, want)
		}
	}
	for f, want := range map[Failure]bool{
		{Tool: "shell", Outcome: "failure", Line: "exit 7 · a"}: true, {Tool: "read", Outcome: "failure", Line: "exit 7 · a"}: false,
		{Tool: "shell", Outcome: "denied", Line: "exit 7 · a"}: false, {Tool: "shell", Outcome: "failure", Line: "exit 7 · b"}: false,
	} {
		if got := g.List[0].Holds(&f); got != want {
			t.Errorf("%+v belongs to %+v: %v, want %v", f, *g.List[0], got, want)
		}
	}
}

func TestLoops(t *testing.T) {
	calls := func(words string) (list []made) {
		for _, r := range words {
			m := made{same: string(r), alike: string(r)}
			if r >= '0' && r <= '9' { // failing calls that differ in a number
				m.alike, m.failed = "#", true
			}
			list = append(list, m)
		}
		return list
	}
	for words, want := range map[string]struct {
		kind     string
		n, times int
	}{
		"aab":     {"", 0, 0},
		"aaab":    {"repeat", 3, 3},
		"ababab":  {"alternation", 6, 3},
		"abababa": {"alternation", 6, 3},
		"ababcd":  {"", 0, 0},
		"1234a":   {"retry", 4, 4},
		"12a":     {"", 0, 0},
		"123a":    {"retry", 3, 3},
		"abcabc":  {"", 0, 0},
		"abcbcb":  {"", 0, 0},
		"a":       {"", 0, 0},
	} {
		if kind, n, times := loopAt(calls(words)); kind != want.kind || n != want.n || times != want.times {
			t.Errorf("%s: %s of %d calls, %d times, want %v", words, kind, n, times, want)
		}
	}
}

func TestSpreadIsExactToThreeDigits(t *testing.T) {
	s := spread{}
	s.add([]uint32{5, 7, 999, 1004, 123456})
	ranks, ok := s.ranks(1, 50, 95)
	if !ok || ranks[0] != 5 || ranks[1] != 999 || ranks[2] != 123000 {
		t.Errorf("ranks are %v", ranks)
	}
	if _, ok := (spread{}).ranks(50); ok {
		t.Error("nothing was timed")
	}
}
