package modeltest

import "testing"

func TestFirstDifference(t *testing.T) {
	for _, c := range []struct{ got, want, says string }{
		{"a\nb\n", "a\nb\n", ""},
		{"a\nb\nc\nd", "a\nb\nc\ne", "line 4\n     b\n     c\ngot  d\nwant e"},
		{"a", "a\nb", "line 2\n     a\ngot  (the end)\nwant b"},
		{"a\nb", "a", "line 2\n     a\ngot  b\nwant (the end)"},
		{"", "x", "line 1\ngot  \nwant x"},
	} {
		if says := FirstDifference(c.got, c.want); says != c.says {
			t.Errorf("%q and %q: %q, want %q", c.got, c.want, says, c.says)
		}
	}
}
