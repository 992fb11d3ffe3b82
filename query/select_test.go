package query_test

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/querytest"
)

func TestSlice(t *testing.T) {
	msgs := make([]model.Message, 10)
	for i := range msgs {
		msgs[i] = querytest.Message(model.User, fmt.Sprint(i))
	}
	sel := query.Everything(model.FromMessages(msgs))
	ids := func(s query.Selection) string {
		var b strings.Builder
		for _, id := range s.IDs {
			fmt.Fprint(&b, id)
		}
		return b.String()
	}
	for _, c := range []struct{ spec, want string }{
		{"5:10", "56789"}, {"-3:", "789"}, {":-8", "01"}, {":", "0123456789"}, {"8:100", "89"}, {"-100:2", "01"},
		{"5:3", ""}, {"0:0", ""}, {"3:-3", "3456"}, {" 2 : 4 ", "23"}, {"10:", ""}, {"-1:", "9"},
	} {
		spec, err := query.ParseSlice(c.spec)
		if err != nil {
			t.Errorf("%q: %v", c.spec, err)
			continue
		}
		if got := ids(sel.Slice(spec)); got != c.want {
			t.Errorf("%q gives %q, want %q", c.spec, got, c.want)
		}
		again, err := query.ParseSlice(spec.String())
		if err != nil || again != spec {
			t.Errorf("%q prints as %q", c.spec, spec)
		}
	}
	for _, c := range []struct {
		got  query.Selection
		want string
	}{
		{sel.First(3), "012"}, {sel.First(0), ""}, {sel.First(-8), "01"}, {sel.First(99), "0123456789"},
		{sel.Last(3), "789"}, {sel.Last(0), ""}, {sel.Last(-1), ""}, {sel.Last(99), "0123456789"},
	} {
		if got := ids(c.got); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	for _, c := range []struct{ spec, want string }{
		{"5", `slice "5", column 2: a colon is missing; one message is 5:6`},
		{"0", `slice "0", column 2: a colon is missing; one message is 0:1`},
		{"-1", `slice "-1", column 3: a colon is missing; write A:B, such as 5:10, -20: or :100`},
		{"a:b", `slice "a:b", column 1: "a" is no whole number`},
		{"1:é2", `slice "1:é2", column 3: "é2" is no whole number`},
		{"1:2:3", `slice "1:2:3", column 4: a second colon; steps are not supported`},
		{"", `slice "", column 1: a colon is missing; write A:B, such as 5:10, -20: or :100`},
	} {
		if _, err := query.ParseSlice(c.spec); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v", c.spec, err)
		}
	}
}
