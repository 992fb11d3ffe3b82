package lang

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"turns/model/modeltest"
)

func FuzzLangParse(f *testing.F) {
	for _, c := range queries {
		f.Add(c.src)
	}
	for _, c := range mistakes {
		f.Add(c.src)
	}
	f.Fuzz(parseOnce)
}

func parseOnce(t *testing.T, src string) {
	f, err := Parse(src)
	if err != nil {
		checkError(t, src, err)
		return
	}
	roundTrip(t, f)
	for term := range f.Terms {
		if term.Pos.Off < 0 || term.Pos.Off >= len(src) || term.Pos.Col != len([]rune(src[:term.Pos.Off]))+1 {
			t.Fatalf("%q: a term at %v", src, term.Pos)
		}
		if term.Op != OpEq && (len(term.Values) != 1 || term.Values[0].Form != FormScalar) {
			t.Fatalf("%q: %v with %v", src, term.Op, term.Values)
		}
	}
}

func FuzzLangComplete(f *testing.F) {
	for i, c := range queries {
		f.Add(c.src, i)
		f.Add(c.src, len(c.src))
	}
	for _, c := range mistakes {
		f.Add(c.src, len(c.src))
	}
	f.Fuzz(completeOnce)
}

func completeOnce(t *testing.T, src string, cursor int) {
	c := Complete(src, cursor, func(Key, string) []Candidate { return []Candidate{{Text: "my tool"}} })
	if at := min(max(cursor, 0), len(src)); c.From < 0 || c.From > at || c.To < at || c.To > len(src) {
		t.Fatalf("Complete(%q, %d) replaces %d to %d", src, cursor, c.From, c.To)
	}
}

func FuzzLangLiterals(f *testing.F) {
	f.Add(`foo(bar|baz)+`, "xfoobarx")
	f.Add(`(?i)k[st]x?`, "\u212aſ")
	f.Add(`^a.c$|d{2}`, "add")
	f.Fuzz(checkLiterals)
}

// TestLangRandomQueries checks the properties of the fuzz targets on queries built from the syntax
// of the language.
func TestLangRandomQueries(t *testing.T) {
	pieces := []string{" ", " ", " ", "(", ")", "|", "-", "!", `"`, `\`, "/", ",", "..", ":", ">", "<=", "=", "*", "?", "a", "b", "is:", "error", "tool:", "text:", "file:", "/usr*",
		"dur:", "5s", "turn:", "3", "after:", "10:30", "2h", "i", "AND ", "OR ", "NOT ", "日", "\xff", "/x/", `"q r"`, "x/", "role:user"}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range modeltest.Fewer(100_000, 25_000) {
		var b strings.Builder
		for range rnd.IntN(12) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		parseOnce(t, b.String())
		completeOnce(t, b.String(), rnd.IntN(b.Len()+1))
	}
}

func TestLangRandomLiterals(t *testing.T) {
	pieces := []string{"a", "b", "k", "S", "(", ")", "|", "*", "+", "?", "[ab]", "[^a]", ".", "(?i)", "(?i:k)", "^", "$", `\b`, "{2}", "{0,2}", "ab", `\d`, "é"}
	text := []string{"a", "b", "A", "B", "k", "K", "\u212a", "s", "S", "ſ", "é", "É", "1", "\n", " ", "\xff"}
	rnd := rand.New(rand.NewPCG(3, 4))
	for range modeltest.Fewer(50_000, 25_000) {
		var pattern, s strings.Builder
		for range 1 + rnd.IntN(8) {
			pattern.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		for range rnd.IntN(8) {
			s.WriteString(text[rnd.IntN(len(text))])
		}
		checkLiterals(t, pattern.String(), s.String())
	}
}

func TestLangLiterals(t *testing.T) {
	for _, c := range []struct {
		src, want   string
		fold, exact bool
	}{
		{"timeout", "timeout", false, true},
		{`timeout \d+`, "timeout ", false, false},
		{"(?i)error", "ERROR", true, true},
		{"foo|bar", "bar foo", false, true},
		{"foo|.*", "", false, false},
		{"colou?r", "color colour", false, true},
		{"[abc]x", "ax bx cx", false, true},
		{"^foo$", "foo", false, false},
		{"(foo)+.*quux", "quux", false, false},
		{"(?i)foo(?-i)barbaz", "barbaz", false, false},
		{"a*", "", false, false},
		{".", "", false, false},
		{"", "", false, false},
		{"x{2,3}", "x", false, false},
		{"[^a]", "", false, false},
		{"\\x{FFFD}", "", false, false},
	} {
		re, err := syntax.Parse(c.src, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		lits, fold, exact := LangLiterals(re)
		slices.Sort(lits)
		if got := strings.Join(lits, " "); got != c.want || fold != c.fold || exact != c.exact {
			t.Errorf("Literals(%q) = %q, fold %v, exact %v", c.src, got, fold, exact)
		}
	}
}

// checkLiterals compares the guarantees of LangLiterals with the result of regexp for s.
func checkLiterals(t *testing.T, pattern, s string) {
	t.Helper()
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return
	}
	lits, fold, exact := LangLiterals(re)
	if lits == nil {
		return
	}
	std, err := regexp.Compile(pattern)
	if err != nil {
		return
	}
	canon := func(s string) string {
		if fold {
			return strings.Map(foldRune, s)
		}
		return s
	}
	held := slices.ContainsFunc(lits, func(l string) bool { return strings.Contains(canon(s), canon(l)) })
	if matched := std.MatchString(s); matched && !held || exact && held && !matched {
		t.Errorf("%q on %q: regexp says %v, literals %q (fold %v, exact %v) say %v", pattern, s, matched, lits, fold, exact, held)
	}
}
