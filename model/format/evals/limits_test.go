package evals

import (
	"bytes"
	"strings"
	"testing"

	"turns/model"
)

// TestReasonsAreShort: a reason has up to 120 bytes of each text, and the first four expected
// actions.
func TestReasonsAreShort(t *testing.T) {
	for size, want := range map[int]int{120: 120, 121: 0} { // a longer word is left out
		var out bytes.Buffer
		inspectWhy(&out, []byte(`{"value":"I","explanation":"`+strings.Repeat("x", size)+`"}`), []byte(`""`))
		if got := strings.Count(out.String(), "x"); got != want {
			t.Errorf("%d of %d bytes: %s", got, size, &out)
		}
	}
	for actions, want := range map[string]string{
		`{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}`:              "a, b, c, d",
		`{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"},{"name":"e"}`: "a, b, c, d and 1 more",
	} {
		if _, got := tauExpected(nil, []byte(`{"actions":[`+actions+`]}`)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAttachmentsInQuotes: only a JSON string with the address of an attachment is one.
func TestAttachmentsInQuotes(t *testing.T) {
	for _, test := range []struct {
		text model.Text
		want string
	}{
		{model.ValueText([]byte(`"attachment://a1"`)), `"attachment://a1"`},
		{model.ValueText([]byte(`"see attachment://a1"`)), ""},
		{model.ValueText([]byte(`"a1"`)), ""},
		{model.StringText("attachment://a1"), ""},
	} {
		if got := inspectQuoted(test.text); string(got) != test.want {
			t.Errorf("%s: %s, want %s", test.text.Raw(), got, test.want)
		}
	}
}
