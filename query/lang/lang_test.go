package lang

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"turns/model/modeltest"
)

// queries are valid queries with their trees.
var queries = []struct{ src, want string }{
	{"", ""},
	{"  \t\n", ""},
	{"retry", "retry"},
	{"a b", "(and a b)"},
	{"a | b c", "(or a (and b c))"},
	{"a || b && c AND d OR e", "(or a (and b c d) e)"},
	{"(a | b) c", "(and (or a b) c)"},
	{"(a | b) | c", "(or a b c)"},
	{"(a b) c", "(and (and a b) c)"},
	{"((a))", "a"},
	{"-a !b NOT c", "(and (not a) (not b) (not c))"},
	{"-(a b)", "(not (and a b))"},
	{"NOT -a", "a"},
	{"-(-(a))", "a"},
	{"a-b c!d", "(and a-b c!d)"},
	{`"OR" "and" and`, `(and "OR" and and)`},
	{`"say \"hi\" \\ \d"`, `"say \"hi\" \\ \\d"`},
	{"role:tool,assistant", "role:tool,assistant"},
	{"ROLE:Tool", "role:Tool"},
	{"tool:read_* tool:\"read_*\"", `(and tool:read_*<glob> tool:"read_*")`},
	{"tool:\"my tool\",/^ba/i,x", `tool:"my tool",/^ba/i,x`},
	{"tool:=Bash", "tool:Bash"},
	{"-tool:Bash,Read", "(not tool:Bash,Read)"},
	{"text:a*b what?", "(and text:\"a*b\" \"what?\")"},
	{"text:>5 text:=x", `(and text:">5" text:"=x")`},
	{"args:-rf", `args:"-rf"`},
	{`/timeout \d+/i`, `/timeout \d+/i`},
	{`/a\/b/`, `/a\/b/`},
	{"/usr/bin/go", `"/usr/bin/go"`},
	{"/usr/bin/", `"/usr/bin/"`},
	{"(/a b/)|c", "(or /a b/ c)"},
	{"/a/,", `"/a/,"`},
	{"//", `"//"`},
	{"/a/iis", "/a/is"},
	{"text:/a,b/,c", "text:/a,b/,c"},
	{"file:/usr/lib/*", "file:/usr/lib/*<glob>"},
	{`file:C:\Users\me`, `file:"C:\\Users\\me"`},
	{"10:30 foo.go:12 a,b", `(and 10:30 foo.go:12 "a,b")`},
	{"is:error,pending has:IMAGE", "(and is:error,pending has:image)"},
	{"is:failed is:canceled", "(and is:error is:cancelled)"},
	{`is:"error"`, "is:error"},
	{"validity:invalidated outcome:partial interaction:abc end:failed", "(and validity:invalidated outcome:partial interaction:abc end:failed)"},
	{"is:superseded kind:call", "(and is:superseded kind:call)"},
	{"turn:3..9", "turn:3..9<range>"},
	{"index:5..,..3,7", "index:5..<range>,..3<range>,7<scalar>"},
	{"tokens:>1k tokens:>=1.5M", "(and tokens:>1k<scalar> tokens:>=1.5M<scalar>)"},
	{"size:<18kB,", ""},
	{"size:<18kB size:<=2MiB cost:$0.5..1", "(and size:<18kB<scalar> size:<=2MiB<scalar> cost:$0.5..1<range>)"},
	{"dur:>5s duration:1h30m dur:500ms..2m", "(and dur:>5s<scalar> dur:1h30m<scalar> dur:500ms..2m<range>)"},
	{"after:10:30", "after:10:30<scalar>"},
	{"since:2h before:2026-02-11 until:yesterday", "(and after:2h<scalar> before:2026-02-11<scalar> until:yesterday<scalar>)"},
	{"time:>=10:30 time:>22:41 time:on", ""},
	{"time:>=10:30 time:>22:41", "(and after:10:30<scalar> time:>22:41<scalar>)"},
	{"time:22:00..02:00 on:2026-02,2026-03-01", "(and time:22:00..02:00<range> time:2026-02<scalar>,2026-03-01<scalar>)"},
	{`time:"2026-02-11 10:00"`, `on:"2026-02-11 10:00"<scalar>`},
	{"after:2026-02-11T22:41:07+01:00", "after:2026-02-11T22:41:07+01:00<scalar>"},
	{"größe 日本", "(and größe 日本)"},
	{"path:a cwd:b agent:c thinking:d", "(and file:a project:b agent:c reasoning:d)"},
	{"a(b", ""},
}

// mistakes are invalid queries with the column and the text of the error.
var mistakes = []struct {
	src  string
	col  int
	want string
}{
	{"is:error tool:Bash dur:>5x", 24, "dur wants a unit: 500ms, 5s, 2m or 1h"},
	{"dur:5", 5, "dur wants a unit: 500ms, 5s, 2m or 1h"},
	{`dur:""`, 5, "dur wants a unit: 500ms, 5s, 2m or 1h"},
	{"toll:Bash", 1, `unknown key "toll", did you mean tool:; to look for the text, quote it: "toll:Bash"`},
	{"a rloe:user", 3, `unknown key "rloe", did you mean role:`},
	{"see http://x", 5, `unknown key "http"; to look for the text, quote it: "http://x"`},
	{`C:\Users`, 1, `quote it: "C:\\Users"`},
	{"größe:5 日", 1, `unknown key "größe"`},
	{"日本 role:", 9, "role wants a value: role:user or role:tool,assistant"},
	{"role: user", 6, "role wants a value"},
	{"role:a,", 8, "a value is missing after the comma"},
	{"role:a,,b", 8, "a value is missing after the comma"},
	{"dur:>", 6, "dur wants a value after >"},
	{"is:eror", 4, "is knows no \"eror\", did you mean is:error"},
	{"end:nonsense", 5, "end takes waiting, stuck, running, failed, idle, finished, interrupted, unfinished, unknown"},
	{"role:(a|b)", 6, "several values take commas"},
	{"tool:>x", 6, "tool takes no operator"},
	{"after:>10:30", 7, "after takes no operator; write time:>… instead"},
	{"dur:>=>5s", 7, "one operator too many"},
	{"dur:>5s,6s", 8, "> takes one value, not a list"},
	{"turn:>3..4", 6, "> takes one value, not a range"},
	{"turn:9..3", 6, "the range is empty: 9 comes after 3"},
	{"time:2026-02-11..2026-02-10", 6, "the range is empty"},
	{"time:2026-02-11T10:00:00Z..2026-02-10T10:00:00Z", 6, "the range is empty"},
	{"time:today..yesterday", 6, "the range is empty: today comes after yesterday"},
	{"time:1h..2h", 6, "the range is empty: 1h comes after 2h"},
	{"dur:><5s", 6, "one operator too many"},
	{"(role:)", 7, "role wants a value"},
	{"turn:..", 6, "turn wants an end"},
	{"turn:x", 6, "turn wants a number: 3, 3..9 or >10"},
	{"turn:-1", 6, "turn wants a number"},
	{"turn:1.5", 6, "turn wants a number"},
	{"turn:/3/", 6, "turn takes no regex"},
	{"is:/e/", 4, "is takes no regex"},
	{"tokens:1kB", 8, "tokens wants a number"},
	{"tokens:inf", 8, "tokens wants a number"},
	{"after:25:00", 7, "after wants a time: 22:41, 2026-02-11, yesterday or 2h"},
	{"after:", 7, "after wants a value"},
	{"on:2h", 4, "on takes a date or a time of day; write after:2h"},
	{"time:10:30..2026-02-11", 6, "from date to date"},
	{`"abc`, 1, "this quote is not closed"},
	{`a text:"abc`, 8, "this quote is not closed"},
	{`"a"b`, 4, "a space is missing after the closing quote"},
	{`a"b"`, 2, `"\"" in the middle of a word; quote the whole: "a\"b\""`},
	{"main()", 5, `"(" in the middle of a word; quote the whole: "main()"`},
	{"(a", 1, "this ( is not closed"},
	{"a (b | (c d)", 3, "this ( is not closed"},
	{"a)", 2, "this ) closes nothing"},
	{"()", 1, "this group is empty"},
	{"(", 2, "a term is missing at the end"},
	{"| a", 1, "a term is missing before |"},
	{"a |", 4, "a term is missing at the end"},
	{"a | | b", 5, "a term is missing before |"},
	{"(a |)", 5, "a term is missing before )"},
	{"AND a", 1, `a term is missing before AND; to look for the text, quote it: "AND"`},
	{"&& a", 1, `a term is missing before &&; to look for the text, quote it: "&&"`},
	{"zz:" + strings.Repeat("x", 57), 1, `quote it: "zz:` + strings.Repeat("x", 57) + `"`},
	{"zz:" + strings.Repeat("x", 77), 1, `filter "zz:` + strings.Repeat("x", 77) + `", column`},
	{"a OR", 5, "a term is missing at the end"},
	{"NOT", 4, "a term is missing at the end"},
	{"--no-verify", 1, `a term is negated once; to look for the text, quote it: "--no-verify"`},
	{"a - b", 3, "- negates the term right after it"},
	{"-", 1, "- negates the term right after it"},
	{"/a(b/", 3, "regex: missing closing )"},
	{"/ab)/", 4, "regex: unexpected )"},
	{"/[)](b/", 5, "regex: missing closing )"},
	{"/\ufffda\xffb/", 4, "regex: invalid UTF-8"},
	{`text:/x[z-a]/`, 9, "regex: invalid character class range"},
	{"/*a/", 2, "regex: missing argument to repetition operator"},
	{"/a{2000}/", 3, "regex: invalid repeat count"},
	{strings.Repeat("(", 201) + "a", 201, "nested deeper than 200"},
	{strings.Repeat("NOT ", 300) + "a", 801, "nested deeper than 200"},
}

// dump prints a tree in an unambiguous form.
func dump(n Node) string {
	list := func(name string, kids []Node) string {
		for _, k := range kids {
			name += " " + dump(k)
		}
		return "(" + name + ")"
	}
	switch n := n.(type) {
	case *And:
		return list("and", n.Kids)
	case *Or:
		return list("or", n.Kids)
	case *Not:
		return list("not", []Node{n.Kid})
	case *Term:
		var b strings.Builder
		if n.Key != KeyAny {
			name, op := spell(n)
			b.WriteString(name + ":" + op)
		}
		for i := range n.Values {
			if i > 0 {
				b.WriteByte(',')
			}
			v := &n.Values[i]
			printValue(&b, v)
			b.WriteString(map[Form]string{FormGlob: "<glob>", FormScalar: "<scalar>", FormRange: "<range>"}[v.Form])
		}
		return b.String()
	}
	return ""
}

func TestLangParse(t *testing.T) {
	for _, c := range queries {
		f, err := Parse(c.src)
		if c.want == "" && strings.TrimSpace(c.src) != "" {
			if err == nil {
				t.Errorf("Parse(%q) = %s, want an error", c.src, dump(f.root))
			}
			continue
		}
		if err != nil {
			t.Errorf("Parse(%q): %v", c.src, err)
			continue
		}
		if got := dump(f.root); got != c.want {
			t.Errorf("Parse(%q)\n got %s\nwant %s", c.src, got, c.want)
		}
		roundTrip(t, f)
	}
}

// roundTrip checks that the text of a filter parses to the same tree and is printed the same again.
func roundTrip(t *testing.T, f *Filter) {
	t.Helper()
	again, err := Parse(f.String())
	if err != nil {
		t.Fatalf("%q prints as %q: %v", f.src, f.String(), err)
	}
	if again.String() != f.String() {
		t.Fatalf("%q prints as %q and that as %q", f.src, f.String(), again.String())
	}
	if !sameNode(again.root, f.root) && !sameNode(again.root, unslash(f.root)) {
		t.Fatalf("%q prints as %q: %s, not %s", f.src, f.String(), dump(again.root), dump(f.root))
	}
}

func TestLangParseMistakes(t *testing.T) {
	for _, c := range mistakes {
		f, err := Parse(c.src)
		var e *SyntaxError
		if !errors.As(err, &e) {
			t.Errorf("Parse(%q) = %v, %v, want a SyntaxError", c.src, f, err)
			continue
		}
		if e.Col != c.col || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%q)\n got column %d: %v\nwant column %d: %s", c.src, e.Col, err, c.col, c.want)
		}
		checkError(t, c.src, err)
	}
}

func checkError(t *testing.T, src string, err error) {
	t.Helper()
	var e *SyntaxError
	if !errors.As(err, &e) {
		t.Fatalf("Parse(%q): %T is not a SyntaxError", src, err)
	}
	if e.Off < 0 || e.Off > len(src) || e.Col != len([]rune(src[:e.Off]))+1 {
		t.Fatalf("Parse(%q): offset %d, column %d", src, e.Off, e.Col)
	}
	if e.Msg == "" || strings.Contains(e.Msg, "\n") {
		t.Fatalf("Parse(%q): message %q", src, e.Msg)
	}
}

func TestLangPositions(t *testing.T) {
	f, err := Parse("日本 (tool:Bash,Read | -dur:>5s)")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for term, negated := range f.Terms {
		s := fmt.Sprintf("%v@%d/%d", term.Key, term.Pos.Off, term.Pos.Col)
		for _, v := range term.Values {
			s += fmt.Sprintf(" %d/%d", v.Pos.Off, v.Pos.Col)
		}
		got = append(got, fmt.Sprint(s, " ", negated))
	}
	want := []string{"@0/1 0/1 false", "tool@8/5 13/10 18/15 false", "dur@26/23 31/28 true"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !f.Uses(KeyDur) || f.Uses(KeyRole, KeyTime) {
		t.Error("Uses is wrong")
	}
}

func TestLangEmptyFilter(t *testing.T) {
	var f *Filter
	if !f.Empty() || f.String() != "" || f.Source() != "" || f.Uses(KeyAny) {
		t.Error("a nil filter is not empty")
	}
	g, err := f.Add("tool:Bash", true)
	if err != nil || g.String() != "-tool:Bash" {
		t.Errorf("got %v, %v", g, err)
	}
}

func TestLangAdd(t *testing.T) {
	for _, c := range []struct {
		src, term string
		negate    bool
		want      string
	}{
		{"", "tool:Bash", false, "tool:Bash"},
		{"is:failed  x", "tool:Bash", false, "is:failed  x tool:Bash"},
		{"a | b", "tool:Bash", false, "(a | b) tool:Bash"},
		{"tool:Bash", "tool:Bash", false, "tool:Bash"},
		{"tool:Bash", "tool:Bash", true, "-tool:Bash"},
		{"a -tool:Bash b", "tool:Bash", false, "a tool:Bash b"},
		{"a", "-b", true, "a b"},
		{"a", "b | c", false, "a (b | c)"},
		{"", "b | c", false, "b | c"},
		{"a", "tool:Bash", true, "a -tool:Bash"},
		{"a", "b c", true, "a -(b c)"},
		{"/foo", "file:a/", false, `"/foo" file:a/`},
		{"file:/usr*", "file:a/", false, `file:/^\/usr.*$/is file:a/`},
		{"a", "tool:" + Quote("my tool"), false, `a tool:"my tool"`},
	} {
		f, err := Parse(c.src)
		if err != nil {
			t.Fatal(err)
		}
		g, err := f.Add(c.term, c.negate)
		if err != nil {
			t.Errorf("%q + %q: %v", c.src, c.term, err)
		} else if g.Source() != c.want {
			t.Errorf("%q + %q = %q, want %q", c.src, c.term, g.Source(), c.want)
		}
	}
	a, _ := Parse("a b")
	if _, err := a.Add("x:", false); err == nil {
		t.Error("a wrong term was added")
	}
}

func TestLangQuote(t *testing.T) {
	for _, s := range []string{"", "a", "a b", `a"b`, `\`, `a\"`, "OR", "-x", "!x", "/x/", "a:b", "x*", "a,b", "(", ">5", "&&", "日本", "a\nb", "1..2", "=x"} {
		for _, key := range []string{"", "tool:", "text:"} {
			f, err := Parse(key + Quote(s))
			if err != nil {
				t.Errorf("Quote(%q) = %s: %v", s, Quote(s), err)
				continue
			}
			if v := f.root.(*Term).Values; len(v) != 1 || v[0].Text != s || v[0].Form != FormText {
				t.Errorf("Quote(%q) = %s, read as %+v", s, Quote(s), v)
			}
		}
	}
}

func TestLangMatchWhole(t *testing.T) {
	for _, c := range []struct {
		pat, s     string
		want, path bool
	}{
		{"read_*", "Read_File", true, true},
		{"read_*", "xread_", false, false},
		{"*", "", true, true},
		{"b?sh", "Bash", true, true},
		{"b?sh", "bsh", false, false},
		{"*a*b*c", "xxaxxbxxbc", true, true},
		{"bash", "BASH", true, true},
		{"main.go", "src/main.go", false, true},
		{"*.go", `src\main.go`, true, true},
		{"ain.go", "src/main.go", false, false},
		{`""`, "src/", false, false},
		{strings.Repeat("*a", 50), strings.Repeat("a", 5000) + "b", false, false},
	} {
		f, err := Parse("file:" + c.pat)
		if err != nil {
			t.Fatal(err)
		}
		v := &f.root.(*Term).Values[0]
		if got := v.MatchWhole(c.s); got != c.want {
			t.Errorf("%q matches %q: %v", c.pat, c.s, got)
		}
		if got := v.MatchPath(c.s); got != c.path {
			t.Errorf("%q matches path %q: %v", c.pat, c.s, got)
		}
	}
}

func TestLangHolds(t *testing.T) {
	for _, c := range []struct {
		src   string
		holds string
		fails string
	}{
		{"tokens:>1k", "1001 5000", "1000 0"},
		{"tokens:>=1.5k", "1500", "1499"},
		{"turn:3..9", "3 5 9", "2 10"},
		{"turn:3..,1", "1 3 99", "2 0"},
		{"turn:..3", "0 3", "4"},
		{"size:<=2KiB", "2048", "2049"},
		{"cost:<$0.5", "0.4", "0.5"},
		{"dur:>5s", "5.1s 1h", "5s 0s"},
		{"dur:5s", "5s 5.9s", "4.9s 6s"},
		{"dur:1.5s", "1.5s 1.59s", "1.6s"},
		{"dur:1h30m", "90m 90m59s", "91m"},
		{"dur:500ms..2m", "500ms 2m", "499ms 121s"},
	} {
		f, err := Parse(c.src)
		if err != nil {
			t.Fatal(err)
		}
		term := f.root.(*Term)
		holds := func(s string) bool {
			if d, err := time.ParseDuration(s); term.Key == KeyDur && err == nil {
				return term.HoldsDur(d)
			}
			var x float64
			fmt.Sscan(s, &x)
			return term.HoldsNum(x)
		}
		for s := range strings.FieldsSeq(c.holds) {
			if !holds(s) {
				t.Errorf("%s does not hold for %s", c.src, s)
			}
		}
		for s := range strings.FieldsSeq(c.fails) {
			if holds(s) {
				t.Errorf("%s holds for %s", c.src, s)
			}
		}
	}
}

func TestLangHoldsTime(t *testing.T) {
	loc := time.FixedZone("east", 3600)
	at := func(s string) time.Time {
		x, err := time.ParseInLocation("2006-01-02 15:04:05.000", s, loc)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	ref := TimeRef{Now: at("2026-02-12 09:00:00.000"), Last: at("2026-02-11 23:00:00.000"), Loc: loc}
	for _, c := range []struct {
		src, at string
		want    bool
	}{
		{"after:10:30", "2026-02-01 10:30:00.000", true},
		{"after:10:30", "2026-02-01 10:29:59.999", false},
		{"time:>10:30", "2026-02-01 10:30:59.999", false},
		{"time:>10:30", "2026-02-01 10:31:00.000", true},
		{"before:10:30", "2026-02-01 10:30:00.000", false},
		{"until:10:30", "2026-02-01 10:30:59.999", true},
		{"on:10:30", "2026-02-01 10:30:30.000", true},
		{"time:22:00..02:00", "2026-02-01 23:00:00.000", true},
		{"time:22:00..02:00", "2026-02-01 02:00:59.000", true},
		{"time:22:00..02:00", "2026-02-01 12:00:00.000", false},
		{"time:10:30..10:30", "2026-02-01 10:30:20.000", true},
		{"time:10:30..10:30", "2026-02-01 12:00:00.000", false},
		{"time:yesterday..today", "2026-02-12 00:30:00.000", true},
		{"time:2026-02-11..2026-02-11", "2026-02-11 12:00:00.000", true},
		{"time:2h..2h", "2026-02-11 21:00:00.000", true},
		{"time:10:00..", "2026-02-01 12:00:00.000", true},
		{"on:2026-02-11", "2026-02-11 23:59:59.999", true},
		{"on:2026-02-11", "2026-02-12 00:00:00.000", false},
		{"on:2026-02", "2026-02-28 23:00:00.000", true},
		{"on:2026-02", "2026-03-01 00:00:00.000", false},
		{"before:2026-02-11", "2026-02-10 23:59:59.999", true},
		{"until:2026-02-11", "2026-02-11 23:59:59.999", true},
		{"time:2026-02-10..2026-02-11", "2026-02-11 12:00:00.000", true},
		{"on:yesterday", "2026-02-11 12:00:00.000", true},
		{"on:today", "2026-02-11 12:00:00.000", false},
		{"after:2h", "2026-02-11 21:00:00.000", true},
		{"after:2h", "2026-02-11 20:59:59.000", false},
		{"before:2h", "2026-02-11 20:59:59.000", true},
		{"time:2h..1h", "2026-02-11 22:00:00.000", true},
		{"time:2h..1h", "2026-02-11 22:30:00.000", false},
		{"after:2026-02-11T22:41:07Z", "2026-02-11 23:41:07.000", true},
		{"after:2026-02-11T22:41:07Z", "2026-02-11 23:41:06.000", false},
	} {
		f, err := Parse(c.src)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.root.(*Term).HoldsTime(at(c.at), ref); got != c.want {
			t.Errorf("%s at %s: %v", c.src, c.at, got)
		}
	}
}

func TestLangComplete(t *testing.T) {
	values := func(key Key, prefix string) []Candidate {
		switch key {
		case KeyTool:
			return []Candidate{{"Bash", 11, "calls that failed, 11 of 74"}, {"Read", 1, "1 of 40"}, {"my tool", 1, ""}}
		case KeyIs:
			return []Candidate{{"error", 13, ""}}
		}
		return nil
	}
	var b strings.Builder
	for _, src := range []string{
		"^", "i^", "is:error to^", "is:error tool:^", "tool:B^", "tool:ea^", "tool:Ba^sh x", "tool:Bash,^", "tool:Bash,R^ead,x", "tool:\"my^", "-to^", "(a | ro^)",
		"is:e^", "err^", "is:", "dur:^", "dur:>^", "after:^", "after:y^", "text:^", `"abc^`, "/x^", "nokey:^", "end:^", "tool^:Bash", "mod^el:x", "role:user ^ x",
		"text:/a b^/", `"abc"^`, "/x/^", "(ro^", "ro(x^", "ie^", "tool:>=^", "path:^", "dura^", "dur:>5^", "tokens:^",
	} {
		at := strings.IndexByte(src, '^')
		if at < 0 {
			at = len(src)
		}
		clean := strings.Replace(src, "^", "", 1)
		c := Complete(clean, at, values)
		fmt.Fprintf(&b, "%s\n  replace %q", src, clean[c.From:c.To])
		if c.Values {
			fmt.Fprintf(&b, " value of %s", c.Key)
		}
		b.WriteByte('\n')
		for i, x := range c.Candidates {
			if i == 8 {
				fmt.Fprintf(&b, "  … %d more\n", len(c.Candidates)-i)
				break
			}
			fmt.Fprintf(&b, "  %-14s %2d  %s\n", x.Text, x.Count, x.Note)
		}
	}
	golden := filepath.Join("testdata", "lang", "complete.golden")
	modeltest.Golden(t, golden, b.String())
}

// TestLangKeys checks the table of keys: names are unique and canonical, examples are valid.
func TestLangKeys(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Keys() {
		for _, name := range append([]string{k.Name}, k.Aliases...) {
			if seen[name] || name != strings.ToLower(name) {
				t.Errorf("%q is there twice, or not in lower case", name)
			}
			seen[name] = true
			if got := LangLookup(strings.ToUpper(name)); got == nil || got.Name != k.Name {
				t.Errorf("%q is not found", name)
			}
		}
		if k.Help == "" || len(k.Examples) == 0 {
			t.Errorf("%s has no help or example", k.Name)
		}
		for _, e := range k.Examples {
			if !strings.HasPrefix(e, k.Name+":") {
				e = k.Name + ":" + e
			}
			if _, err := Parse(e); err != nil {
				t.Error(err)
			}
		}
		values := map[string]bool{}
		for _, v := range k.Values {
			for _, name := range append([]string{v.Name}, v.Aliases...) {
				if values[name] || v.Help == "" {
					t.Errorf("%s:%s is there twice, or without help", k.Name, name)
				}
				values[name] = true
			}
		}
	}
	for k := KeyRole; k <= KeyProject; k++ {
		if k.String() == "" {
			t.Errorf("key %d has no entry", k)
		}
	}
}

// TestLongFilters: a filter of the maximum length is parsed, a longer one is rejected with a
// message.
func TestLongFilters(t *testing.T) {
	long := strings.Repeat("role:user ", 6553) // 64 kB
	if _, err := Parse(long); err != nil {
		t.Error(err)
	}
	_, err := Parse(long + "role:assistant")
	if err == nil || !strings.Contains(err.Error(), "longer than 64 kB") || len(err.Error()) > 400 {
		t.Errorf("%.400v", err)
	}
}

// TestLargeRegexes: regular expressions with a large total size are rejected before they are
// compiled; normal ones are accepted.
func TestLargeRegexes(t *testing.T) {
	for src, want := range map[string]bool{
		strings.Repeat(`/(.|\s){900}/ or `, 2000) + "a":       false,
		strings.Repeat(`tool:/\pL{1000}/ `, 2000):             false,
		`/\pL{1000}/ or text:/(\w+\s*){1,200}/`:               true,
		"/" + strings.Repeat("a word or another|", 500) + "/": true,
		strings.Repeat(`/time ?out|refused/i `, 1000):         true,
		strings.Repeat(`/a{1000}/ `, 100):                     true, // each has 2,000 steps
		strings.Repeat(`/a{1000}/ `, 100) + "/b/":             false,
	} {
		_, err := Parse(src)
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), "too large together") {
			t.Errorf("%.60s: %.300v", src, err)
		}
	}
}
