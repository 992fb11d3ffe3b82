package redact

import (
	"strings"
	"testing"
)

// TestValuesOfNames: the characters of a value decide whether it is a secret.
func TestValuesOfNames(t *testing.T) {
	r := New()
	for _, c := range []struct {
		rule  string
		form  [2]string // the text around the value
		found []string
		not   []string
	}{
		{"a token in quotes: digits, one other sign, or long and of both cases", [2]string{`"token": "`, `"`},
			[]string{"ab-12.34", "abcdefg-12", "abcdefg1", "ABCxyz-1-pqrs.tu", "ABCDEFGHI-1-a.zz"},
			[]string{"ab-1c.34", "abcdef-12", "abcdefgh-1", "abcde-f-12", "abcdefgh", "ABCxyz-1-pqrs.t", "ABcxyz-1-pqrs.tu", "ABCDEFGHI-1-a.bC", "ABCxyz-k-pqrs.tu"}},
		{"a token without quotes: fewer than a sixth of other signs", [2]string{"token=", ""}, []string{"a1b2c3d4-e-fg"}, []string{"a1b2c3d4-e-f"}},
		{"a token without quotes: three runs of digits, or many different characters", [2]string{"token: ", " y"},
			[]string{"a0b9c3ddee", "abcdefghijklmn12"}, []string{"a0b93cddee", "abcdefghijklmm12"}},
		{"a token in quotes: different characters", [2]string{`"token": "`, `"`}, []string{"aabbcd12"}, []string{"aaabbc12"}},
		{"a password in quotes: letters of one case, or many of both", [2]string{`"password": "`, `"`},
			[]string{"swords", "AbcdefghiJ", "ABCDEFGHij", "swordf1sh-", "user.password", "password!!!!!!!!!!!!!!!!!"},
			[]string{"password!!!!!!!!!!!!!!!!", "ABcdefghABcdefgh", ",hunter2x", ":hunter2x", "]hunter2x", "}hunter2x", "sword", "AbcdefghJ", "Abcdefghij", "ABCDEFGHIj", "form.user.password"}},
		{"a password of YAML: letters", [2]string{"password: ", "\n"}, []string{"swords", "Swordfishe"}, []string{"sword", "Swordfish", "SWORDFISHES"}},
		{"a password of the environment: at least four characters", [2]string{"PASSWORD=", ""}, []string{"abcd"}, []string{"abc"}},
		{"a password without quotes: letters and digits", [2]string{"x password=", " y"}, []string{"hunte2"}, []string{"hunt2", "hunter", "123456", "a.b234", "z.z234"}},
		{"a key with only sk- as prefix: fewer than a fifth of signs, four digits or one with two capitals", [2]string{"sk-", ""},
			[]string{"q7Wn-3Zk9-Rt5Yx1-Lp8", "q7wn3zk9rt5yxalpavbx", "q7WnaZkcrtdyxelpfvbg"},
			[]string{"q7W-3Zk9-Rt5Yx1-L-p8", "q7wn3zk9rtayxalpavbx", "q7Wnazkcrtdyxelpfvbg", "qaWnbZkcRtdYxeLpfVbg"}},
		{"a password in the parameters of an address: a digit and a letter", [2]string{"h/x?pass=", "&b=1"}, []string{"hunte2"}, []string{"hunter", "123456"}},
		{"a key in the parameters of an address: two digits, words joined once", [2]string{"h/x?key=", "&b=1"},
			[]string{"q7Wn3ZkcRtdYxeLpfVbg", "q7Wn-kZ3cRtdYx5LpfVbg"}, []string{"q7WnbZkcRtdYxeLpfVbg", "q7Wn-kZ3c-RtdYx5LpfVbg"}},
		{"a cookie in a header: two digits", [2]string{"Cookie: sid=", ""}, []string{"q7Wn3ZkcRtdYxeLpfVbg"}, []string{"q7WnbZkcRtdYxeLpfVbg"}},
		{"a cookie in a file: two digits", [2]string{".h.example.net\tTRUE\t/\tTRUE\t0\tsid\t", ""}, []string{"q7Wn3ZkcRtdYxeLpfVbg"}, []string{"q7WnbZkcRtdYxeLpfVbg"}},
		{"a token of Vercel: digits and letters, or letters of both cases", [2]string{"vcp_", ""},
			[]string{"qawnbzkcrtdyxelpfvbghmj5", "QaWnBzKcRtDyXeLpFvBgHmJj"}, []string{"qawnbzkcrtdyxelpfvbghmjj", "QAWNBZKCRTDYXELPFVBGHMJJ", "902734810265738190274651"}},
		{"a password within a line: letters and digits", [2]string{"see password: ", "\n"}, []string{"hunte2"}, []string{"swordfish"}},
		{"a cookie of curl: two digits", [2]string{"curl -b sid=", " h"}, []string{"q7Wn3ZkcRtdYxeLpfVbg"}, []string{"q7WnbZkcRtdYxeLpfVbg"}},
		{"a token of a command, without a password: two digits", [2]string{"curl -u ", ": h"}, []string{"q7Wn3ZkcRtdYxeLpfVbg"}, []string{"q7WnbZkcRtdYxeLpfVbg"}},
		{"a key of Resend: a capital and a digit", [2]string{"re_", ""},
			[]string{"q7Wn3Zk9_Rt5Yx1Lp8Vb2Gm6Hd4Jf0Sck"}, []string{"q7wn3zk9_rt5yx1lp8vb2gm6hd4jf0sck", "qxWnbZkc_RtdYxeLpfVbgGmhHdiJfjSck"}},
		{"a webhook of Slack: a digit", [2]string{"hooks.slack.com/services/", ""},
			[]string{"qaWnbZkcRtdYxeLpfVbgHmJ5"}, []string{"qaWnbZkcRtdYxeLpfVbgHmJn"}},
		{"a token of Slack: four digits, the last part random", [2]string{"xoxb-", ""},
			[]string{"q7Wn3Zk9RtdYx1LpfVbg", "00000000000-00000000000-q7Wn3Zk9Rt5Yx1Lp"}, []string{"q7Wn3Zk9RtdYxeLpfVbg", "00000000000-00000000000-q7Wn3Zk9Rt5Yx1L"}},
		{"a bearer token: two digits", [2]string{"Bearer ", ""}, []string{"q7Wn3ZkcRtdYxeLpfVbg"}, []string{"q7WnbZkcRtdYxeLpfVbg"}},
		{"a token in an address: two digits", [2]string{"https://", "@h.example/x"}, []string{"q7Wn3ZkcRtdYxeLpfVbg"}, []string{"q7WnbZkcRtdYxeLpfVbg"}},
		{"a secret of Azure AD: three characters before the digit", [2]string{"", "1Q~" + gen(alnums, 33)}, []string{"a~c", "(a-c"}, []string{"(ac", "c"}},
		{"an incomplete placeholder is a value", [2]string{`"password": "`, `"`},
			[]string{"<hunter2x", "[hunter2x", "{hunter2x", "%hunter2x", "hunter2x>", "hunter2x]", "hunter2x}", "hunter2x%", "$1unter2x"},
			[]string{"<hunter2x>", "[hunter2x]", "{hunter2x}", "%hunter2x%", "(hunter2x", "$hunter2x", "$_unter2x", "${hunter2", "$(hunter2"}},
	} {
		for i, values := range [][]string{c.found, c.not} {
			for _, v := range values {
				if got, want := len(r.Find([]byte(c.form[0]+v+c.form[1]))) > 0, i == 0; got != want {
					t.Errorf("%s: %q is a secret: %v, want %v", c.rule, v, got, want)
				}
			}
		}
	}
}

// TestEscapesBeforeNames: the letter of an escape is not part of the name after it.
func TestEscapesBeforeNames(t *testing.T) {
	for text, want := range map[string]string{
		`\nkim`: "kim", `\tkim`: "kim", `\u003ckim`: "kim", `\u003c`: "", `\u003`: "u003", `\u00zzkim`: "u00zzkim", `\xkim`: "xkim", `nkim`: "nkim", `u003ckim`: "u003ckim",
	} {
		s := &scan{text: []byte(text)}
		begin := strings.LastIndexByte(text, '\\') + 1
		if got := text[s.afterEscape(begin, len(text)):]; got != want {
			t.Errorf("the name in %s is %q, want %q", text, got, want)
		}
	}
	if got := (&scan{text: []byte(`\n`)}).afterEscape(1, 1); got != 1 {
		t.Errorf("an escape behind the end is skipped to %d", got)
	}
}
