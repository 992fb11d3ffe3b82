package filter

import (
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/lang"
	"turns/query/querytest"
)

// TestExplain: a line for each part of a filter with its requirements, the cheapest part first, and
// the number of messages decided by each step.
func TestExplain(t *testing.T) {
	snap := model.FromMessages(querytest.Run())
	for src, want := range map[string]string{
		"": "",
		"is:error": `is:error                                  heads
`,
		"undefined tool:Bash": `and
  tool:Bash                               heads
  undefined                               texts of records that hold "undefined"
`,
		"-(role:user | /a.?b/)": `not
  or
    role:user                             heads
    /a.?b/                                texts
`,
		"(tool:Bash | (is:error args:vet)) role:assistant": `and
  role:assistant                          heads
  or
    tool:Bash                             heads
    and
      is:error                            heads
      args:vet                            texts of records that hold "vet"
`,
	} {
		f, err := lang.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		m, err := NewMatcher(f, snap, Env{})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Explain(); got != want {
			t.Errorf("%q is explained as\n%s, want\n%s", src, got, want)
		}
	}
	f, err := lang.Parse("undefined tool:Bash")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Scan(t.Context(), query.Everything(snap), f, Env{}, func(Match) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	want := "       10  looked at\n        7  decided by heads\n        3  decided by texts\n"
	if got := r.Steps.String(); got != want {
		t.Errorf("the steps are\n%s, want\n%s", got, want)
	}
	r.Steps.Searched = true
	if got := r.Steps.String(); got == want {
		t.Error("the messages that the bytes rule out are not counted")
	}
}

// TestLiterals: a matching file must contain one of the returned texts.
func TestLiterals(t *testing.T) {
	for _, c := range []struct {
		filters []string
		want    int // -1: no texts rule out a file
	}{
		{[]string{"undefined"}, 1}, {[]string{"text:undefined,missing"}, 2}, {[]string{"undefined", "args:vet"}, 2},
		{[]string{"undefined", "is:error"}, -1}, {[]string{"a b"}, -1}, {[]string{"/./"}, -1},
	} {
		var filters []*lang.Filter
		for _, src := range c.filters {
			f, err := lang.Parse(src)
			if err != nil {
				t.Fatal(err)
			}
			filters = append(filters, f)
		}
		got := len(Literals(filters))
		if Literals(filters) == nil {
			got = -1
		}
		if got != c.want {
			t.Errorf("%q have %d literals, want %d", c.filters, got, c.want)
		}
	}
}
