package label

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"#loop":                        "#loop",
		"+":                            "+",
		"+good":                        "+",
		"-bad wrong file":              "- wrong file",
		"-good":                        "-good",
		"- #loop quality=2 wrong file": "- #loop quality=2 wrong file",
		"wrong file - again":           "wrong file - again",
		"reads x=1 twice #loop #flaky": "#flaky #loop reads x=1 twice",
		"quality=high":                 "quality=high",
		"+ -":                          "-",
		"\"":                           "\"",
		"#a\u200db":                    "#a\u200db",
		"q=1 q=2":                      "q=2",
		"-#loop":                       "drop loop",
		`"+ is no verdict here"`:       "+ is no verdict here",
		"# is no label":                "# is no label",
		"a=b=c":                        "a=b=c",
		"  two   blanks  ":             "two blanks",
		"score=-0.5":                   "score=-0.5",
		"übel=3 #größe":                "#größe übel=3",
		"":                             "nothing",
		"   ":                          "nothing",
	} {
		said, err := Parse(text)
		var got []string
		for i := range said.Add {
			got = append(got, said.Add[i].String())
		}
		for _, name := range said.Drop {
			got = append(got, "drop "+name)
		}
		if err != nil {
			got = []string{"nothing"}
		}
		a, b := strings.Fields(strings.Join(got, " ")), strings.Fields(want)
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) {
			t.Errorf("%q says %q, want %q", text, got, want)
		}
	}
}

// FuzzParse: each parsed mark is valid, and its text parses to the same mark.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"#loop + a=1 note", "-#x", `"#x"`, "+ - =", "\x00 #\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		said, err := Parse(text)
		if err != nil {
			return
		}
		for i := range said.Add {
			l := Line{ID: "x", Mark: said.Add[i]}
			if m := said.Add[i]; m.Kind != Note {
				again, err := Parse(m.String())
				if err != nil || len(again.Add) != 1 || again.Add[0] != m {
					t.Errorf("%q says %q, which says %+v, %v", text, m.String(), again, err)
				}
			} else if m.Text == "" {
				continue // the text "" gives an empty note
			}
			if err := l.Valid(); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}

func lines(t time.Time, marks ...Mark) (all []Line) {
	for i, m := range marks {
		all = append(all, Line{ID: "l" + strconv.Itoa(i), Time: t.Add(time.Duration(i) * time.Second), By: "ana", Run: Run{Session: "8463c716-long-enough"}, Mark: m})
	}
	return all
}

// FuzzRead: Read counts each nonblank line as read or bad, for lines of any writer.
func FuzzRead(f *testing.F) {
	whole, _ := json.Marshal(Line{
		ID: "a\"b", Time: time.Unix(1e9, 5).UTC(), By: "ana\n", Run: Run{Session: "s", Opens: "o", Path: "/p", Number: 3}, Scope: OfCall,
		At:   &Place{Message: "m", Call: "c", Hash: "h", Before: "b", After: "a", Index: 7, Line: 2, Rule: 1, Text: "tä\tt"},
		Mark: Mark{Kind: Score, Name: "q", Value: "2.5"},
	})
	f.Add(string(whole))
	f.Add(`{"id":"x", "kind":"note", "note":"\u00e4", "other":{"id":"y"}, "at":null}`)
	f.Add(`{"id":"x","undo":"y"}`)
	f.Add(`{"id":`)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\n\x00") || strings.Contains(text, `\`) && !utf8.ValidString(text) {
			return
		}
		got, bad := Read([]byte(text))
		if bad > 1 || len(got) > 1 || len(got)+bad == 0 && strings.TrimSpace(text) != "" {
			t.Fatalf("%q: %d lines, %d bad", text, len(got), bad)
		}
	})
}

func TestReadAsJSON(t *testing.T) {
	want := []Line{{
		ID: "a\"b", Time: time.Unix(1e9, 5).UTC(), By: "ana\n", Run: Run{Session: "s", Opens: "o", Path: "/p", Number: 3}, Scope: OfCall,
		At:   &Place{Message: "m", Call: "c", Hash: "h", Before: "b", After: "a", Index: 7, Line: 2, Rule: 1, Text: "tä\tt <&>"},
		Mark: Mark{Kind: Score, Name: "q", Value: "2.5"},
	}, {ID: "u", Undo: "x", Time: time.Unix(1e9, 0).UTC()}, {ID: "n", Mark: Mark{Kind: Note, Text: "\u2028 \\ x"}}}
	var text []byte
	for i := range want {
		b, err := json.Marshal(&want[i])
		if err != nil {
			t.Fatal(err)
		}
		text = append(append(text, b...), '\n')
		indented, _ := json.MarshalIndent(&want[i], "", " ")
		text = append(append(text, strings.ReplaceAll(string(indented), "\n", " ")...), '\n')
	}
	got, bad := Read(text)
	if bad != 0 || len(got) != 2*len(want) {
		t.Fatalf("%d lines, %d bad", len(got), bad)
	}
	for i := range got {
		if !reflect.DeepEqual(got[i], want[i/2]) {
			t.Errorf("line %d is %+v, want %+v", i, got[i], want[i/2])
		}
	}
}

// TestSetIsMerged: neither the order of lines nor duplicates matter: a merged store has the labels
// of both.
func TestSetIsMerged(t *testing.T) {
	at := time.Unix(1e9, 0)
	all := lines(at, Mark{Kind: Label, Name: "loop"}, Mark{Kind: Verdict, Name: Bad}, Mark{Kind: Note, Text: "x"})
	all = append(all, Line{ID: "u", Undo: "l1", Time: at.Add(-time.Hour)})
	want := []string{"#loop", "x"}
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2, 0, 1, 2, 3}} {
		var some []Line
		for _, i := range order {
			some = append(some, all[i])
		}
		var got []string
		for _, l := range NewSet(some).Current() {
			got = append(got, l.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("in the order %v the set says %q, want %q", order, got, want)
		}
	}
}

// TestPen: a repeated label is not written again; a later verdict replaces an earlier one of the
// same person only.
func TestPen(t *testing.T) {
	n := 0
	pen := &Pen{By: "ana", ID: func() string { n++; return "n" + strconv.Itoa(n) }}
	at := func(id, by string, m Mark) *Placed {
		return &Placed{Line: Line{ID: id, By: by, Scope: OfRun, Mark: m}}
	}
	here := []*Placed{at("1", "ana", Mark{Kind: Verdict, Name: Good}), at("2", "bob", Mark{Kind: Verdict, Name: Good}), at("3", "ana", Mark{Kind: Label, Name: "loop"})}
	for text, want := range map[string]string{
		"+": "", "-": "undo 1, bad", "#loop": "", "-#loop": "undo 3", "#new": "#new", "- -#loop": "undo 1, bad, undo 3",
	} {
		said, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range pen.Write(Run{}, OfRun, nil, here, said) {
			if l.Undo != "" {
				got = append(got, "undo "+l.Undo)
			} else {
				got = append(got, l.Words())
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q writes %q, want %q", text, got, want)
		}
	}
}

func TestSameRun(t *testing.T) {
	const long, other = "8463c716-0000-4000-8000-000000000001", "8463c716-0000-4000-8000-000000000002"
	for _, c := range []struct {
		a, b Run
		want bool
	}{
		{Run{Session: long}, Run{Session: long, Path: "/moved"}, true},
		// two trials of a task
		{Run{Session: long, Opens: "a.b.c"}, Run{Session: other, Opens: "a.b.c"}, false},
		// a subagent with the session's ID
		{Run{Session: long, Opens: "a.b.c", Path: "/run"}, Run{Session: long, Opens: "d.e", Path: "/run/agent"}, false},
		// the same file after a compaction
		{Run{Session: long, Opens: "a.b.c", Path: "/run"}, Run{Session: long, Opens: "d.e", Path: "/run"}, true},
		{Run{Session: long, Opens: "a.b.c"}, Run{Opens: "a.b.c", Path: "/converted"}, true},
		{Run{Session: "1", Path: "/x"}, Run{Session: "1", Path: "/y"}, false}, // sample numbers
		{Run{Session: "1", Path: "/x"}, Run{Session: "1", Path: "/x"}, true},
		{Run{Opens: "a.b"}, Run{Opens: "a.b.c"}, true}, // the run has grown
		{Run{Opens: "a.b.c"}, Run{Opens: "a.b.d"}, false},
		{Run{Path: "/x", Number: 1}, Run{Path: "/x", Number: 2}, false},
		{Run{Path: "/x", Number: 1}, Run{Path: "/x"}, true},
		{Run{}, Run{}, false},
	} {
		if got := c.a.same(&c.b); got != c.want {
			t.Errorf("%+v and %+v: same %v, want %v", c.a, c.b, got, c.want)
		}
		if c.a.same(&c.b) != c.b.same(&c.a) {
			t.Errorf("%+v and %+v: it depends on who is asked", c.a, c.b)
		}
	}
}
