package filter

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"turns/model"
	"turns/query/lang"
)

// FuzzEval compares the evaluator with the naive one, for any filter over generated conversations.
func FuzzEval(f *testing.F) {
	for i, term := range evalTerms {
		f.Add(term, uint64(i))
	}
	f.Add("(tool:Bash is:error) (tool:Read | -timeout)", uint64(1))
	f.Fuzz(func(t *testing.T, src string, seed uint64) {
		filter, err := lang.Parse(src)
		if err != nil || filter.Uses(lang.KeyEnd, lang.KeySession, lang.KeyTitle, lang.KeyProject, lang.KeyThread, lang.KeyAgent) || len(src) > 200 {
			return
		}
		for term := range filter.Terms {
			for _, v := range term.Values {
				if !evalNaiveKnows(term.Key, v) {
					return
				}
			}
		}
		rnd := rand.New(rand.NewPCG(seed, 5))
		msgs := evalConversation(rnd, 12)
		s := evalSourced(rnd, model.FromMessages(msgs), msgs)
		evalCompare(t, s, newNaive(t, s), src, seed%2 == 0)
	})
}

// evalNaiveKnows reports whether the naive evaluator supports a value for which both regex packages
// must agree.
func evalNaiveKnows(key lang.Key, v lang.Value) bool {
	switch key {
	case lang.KeyIs, lang.KeyHas:
		for _, term := range evalTerms {
			if strings.HasSuffix(term, ":"+v.Text) && strings.HasPrefix(term, key.String()) {
				return true
			}
		}
		return false
	case lang.KeyOutcome:
		return v.Text == "ok" || v.Text == "failed" || v.Text == "pending" || v.Text == "interrupted"
	case lang.KeyKind:
		return v.Text != "event"
	}
	return utf8.ValidString(v.Text) && len(v.Text) < 60
}

// FuzzTextMatcher compares words and regexes with a plain search, and checks the ranges of hits.
func FuzzTextMatcher(f *testing.F) {
	for _, w := range evalWords {
		f.Add(w, "a "+strings.ToUpper(w)+" b")
	}
	f.Add("/a+b/i", "xAAB")
	f.Add("/k{2}/i", "K\u212a")
	f.Add("/^$/", "")
	f.Fuzz(func(t *testing.T, src, text string) {
		v := lang.Value{Form: lang.FormText, Text: src}
		if q, err := lang.Parse(src); err == nil && strings.HasPrefix(src, "/") && len(src) < 40 {
			if term, ok := q.Root().(*lang.Term); ok && term.Key == lang.KeyAny && len(term.Values) == 1 {
				v = term.Values[0]
			}
		}
		m, err := newTextMatcher(&v)
		if err != nil {
			return
		}
		valid := strings.ToValidUTF8(text, "\uFFFD")
		var want bool
		if v.Form == lang.FormRegex {
			want = regexp.MustCompile(v.Pattern()).MatchString(valid)
		} else {
			want = strings.Contains(textFold(text), textFold(v.Text))
		}
		if got := m.match(text); got != want && utf8.ValidString(text) && utf8.ValidString(v.Text) {
			t.Fatalf("%q in %q: %v, want %v", v.Text, text, got, want)
		}
		for _, r := range m.ranges(valid, 100) {
			if r[0] < 0 || r[1] > len(valid) || r[0] > r[1] {
				t.Fatalf("%q in %q: range %v", v.Text, valid, r)
			}
		}
		textSet{m}.lineHits(text, 100, func(line int, s string, ranges [][2]int) bool {
			for _, r := range ranges {
				if r[0] < 0 || r[1] > len(s) || r[0] > r[1] {
					t.Fatalf("%q in %q: line %q, range %v", v.Text, text, s, r)
				}
			}
			return true
		})
	})
}

// FuzzPattern parses any text typed into a search.
func FuzzPattern(f *testing.F) {
	for _, src := range []string{"a", "A b", "/a/", "/a/i", "of main/", "/a", "//", "/(/", "a b/i", "/[A-Z]/ x/", "\\/", "/\\Sa/", "\xd4Z\n"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		for _, smart := range []bool{false, true} {
			p, err := NewPattern(src, smart)
			if err != nil {
				var e *lang.SyntaxError
				if !errors.As(err, &e) || e.Off < 0 || e.Off > len(src) || e.Msg == "" {
					t.Fatalf("NewPattern(%q): %v", src, err)
				}
				continue
			}
			if p == nil {
				t.Fatalf("%q: no pattern and no error", src)
			}
		}
	})
}
