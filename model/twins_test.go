package model

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// sequences are the control sequences of ECMA-48, complete or truncated, and single control
// characters.
var sequences = regexp.MustCompile("(?:\x1b\\[|\u009b)[\x20-\x3f]*[\x40-\x7e]?" +
	"|(?:\x1b[\\]P_^X]|[\u0090\u0098\u009d\u009e\u009f])[^\x07\x1b\n\u009c]*(?:\x07|\x1b\\\\|\u009c)?" +
	"|\x1b[\x20-\x2f]+[\x30-\x7e]?|\x1b[\x30-\x7e]?|[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f]")

// pictures shows each control character as Clean does.
func pictures(s string) string {
	var out strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t' || r >= 0x20 && r < 0x7f || r > 0x9f:
			out.WriteRune(r)
		case r < 0x20:
			out.WriteRune('␀' + r)
		case r == 0x7f:
			out.WriteRune('␡')
		default:
			fmt.Fprintf(&out, "⟨U+%04X⟩", r)
		}
	}
	return out.String()
}

// TestControlSequences compares Clean, Printed and Marks with a regular expression, for random
// texts of the bytes at both sides of each class of ECMA-48.
func TestControlSequences(t *testing.T) {
	signs := []rune("\x00\x06\x07\x08\t\n\x0b\x1a\x1b\x1b\x1b\x1c\x1f !/0?@[]P_^XW\\`~\x7f\u0080\u008f\u0090\u0091\u0098\u009b\u009c\u009d\u009e\u009f\u00a0aé")
	random := rand.New(rand.NewPCG(1, 2))
	for range 12_000 {
		text := make([]rune, 1+random.IntN(6))
		for i := range text {
			text[i] = signs[random.IntN(len(signs))]
		}
		s := string(text)
		if got, want := Clean(s), pictures(s); got != want {
			t.Fatalf("Clean(%q) is %q, not %q", s, got, want)
		}
		if got, want := Printed(s), pictures(sequences.ReplaceAllString(s, "")); got != want {
			t.Fatalf("Printed(%q) is %q, not %q", s, got, want)
		}
		if got, want := Marks(s), len(sequences.FindAllString(s, -1)); got != want {
			t.Fatalf("Marks(%q) is %d, not %d", s, got, want)
		}
		if got, want := CleanLine(s), strings.Join(strings.Fields(pictures(s)), " "); got != want {
			t.Fatalf("CleanLine(%q) is %q, not %q", s, got, want)
		}
	}
}

// TestClassesOfCharacters lists the ranges of each class of characters that may hide text.
func TestClassesOfCharacters(t *testing.T) {
	for _, class := range []struct {
		name string
		is   func(rune) bool
		want string
	}{
		{"invisible", Invisible, "ad 34f 61c 115f-1160 17b4-17b5 180b-180f 200b-200f 2028-202e 2060-206f 3164 fe00-fe0f feff ffa0 " +
			"fff0-fffb 1bca0-1bca3 1d173-1d17a e0000-e0fff"},
		{"unseen", unseen, "ad 34f 61c 115f-1160 17b4-17b5 180b-180f 200b-200f 2028-202e 2060-206f 3164 d82f d834 db40 dc00-dfff " +
			"fe00-fe0f feff ffa0 fff0-fffb 1bca0-1bca3 1d173-1d17a e0000-e0fff"},
		{"selector", selector, "180b-180d 180f fe00-fe0f"},
		{"joining", joining,
			"600-61b 61d-109f 1780-17b3 17b6-180a 1810-18af a840-abff"},
		{"pictured", func(r rune) bool { return pictured(r) && !(r > 0x2190 && r < 0x2bff) },
			"2190 2bff fe0f 1f000-1faff"},
		{"hides alone", func(r rune) bool { return hides(string(r), 0, r, len(string(r))) },
			"ad 34f 61c 115f-1160 17b4-17b5 180b-180f 200b-200f 2028-202e 2060-206f 3164 fe00-fe0f feff ffa0 fff0-fffb 1bca0-1bca3 1d173-1d17a e0000-e0fff"},
		{"needed by a selector", func(r rune) bool {
			s := string(r) + "\ufe0f"
			return !hides(s, len(string(r)), 0xfe0f, 3) && r < 0x2200
		},
			"23 2a 30-39 a0-ac ae-34e 350-61b 61d-115e 1161-17b3 17b6-180a 1810-200a 2010-2027 202f-205f 2070-21ff"},
		{"needed by an ideographic selector", func(r rune) bool {
			s := string(r) + "\U000e0100"
			return !hides(s, len(string(r)), 0xe0100, 4) && r < 0x3500
		},
			"2e80-2e99 2e9b-2ef3 2f00-2fd5 3005 3007 3021-3029 3038-303b 3400-34ff"},
		{"after a sign", func(r rune) bool { s := "9" + string(r); return hides(s, 1, r, len(string(r))) },
			"ad 34f 61c 115f-1160 17b4-17b5 180e 200b-200f 2028-202e 2060-206f 3164 feff ffa0 fff0-fffb 1bca0-1bca3 1d173-1d17a e0000-e0fff"},
	} {
		if got := ranges(class.is); got != class.want {
			t.Errorf("%s: %s", class.name, got)
		}
	}
}

func ranges(is func(rune) bool) string {
	var out []string
	for r := rune(0); r <= 0x10ffff; r++ {
		if !is(r) {
			continue
		}
		from := r
		for is(r + 1) {
			r++
		}
		if text := fmt.Sprintf("%x", from); r > from {
			out = append(out, fmt.Sprintf("%s-%x", text, r))
		} else {
			out = append(out, text)
		}
	}
	return strings.Join(out, " ")
}

// slowNeedle decides as a Needle does, from the definition of the parts of a text: the end of a
// string is a beginning of the text, a string is a part of it, or begins with the rest of it.
func slowNeedle(text, data string) (found, may bool) {
	text, data = strings.ToLower(text), strings.ToLower(data)
	if strings.Contains(data, text) {
		return true, true
	}
	reached := make([]bool, len(text)+1)
	ends, begins, whole := map[int]bool{}, map[int]bool{}, map[[2]int]bool{}
	for at := range len(data) {
		if data[at] != '"' {
			continue
		}
		before, behind := slowTrimEnd(data[:at]), slowTrimBegin(data[at+1:])
		for k := 1; k < len(text); k++ {
			ends[k] = ends[k] || strings.HasSuffix(before, text[:k])
			m := 0
			for m < len(behind) && k+m < len(text) && behind[m] == text[k+m] {
				m++
			}
			if rest := slowTrimBegin(behind[m:]); m > 0 && k+m == len(text) {
				begins[k] = true
			} else if m > 0 && strings.HasPrefix(rest, `"`) {
				whole[[2]int{k, k + m}] = true
			}
		}
	}
	isSign := func(c byte) bool { return !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z') }
	reached[1] = isSign(text[0])
	for k := 1; k < len(text); k++ {
		if !reached[k] && !ends[k] {
			continue
		}
		if begins[k] {
			return false, true
		}
		reached[k+1] = reached[k+1] || isSign(text[k])
		for part := range whole {
			reached[part[1]] = reached[part[1]] || part[0] == k
		}
	}
	return false, reached[len(text)]
}

var trimmedEnd, trimmedBegin = regexp.MustCompile(`(?:\\[nrt]| |\\)*$`), regexp.MustCompile(`^(?: |\\[nrt])`)

func slowTrimEnd(s string) string { return trimmedEnd.ReplaceAllString(s, "") }

func slowTrimBegin(s string) string {
	for {
		rest := trimmedBegin.ReplaceAllString(s, "")
		if strings.HasPrefix(rest, `\\`) || strings.HasPrefix(rest, `\"`) {
			rest = rest[1:]
		}
		if rest == s {
			return s
		}
		s = rest
	}
}

// TestNeedlesAreThoseOfTheirDefinition compares needles with a slow search, on random strings of
// pieces of their texts.
func TestNeedlesAreThoseOfTheirDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	split := 0
	for _, text := range []string{"timeout", "time out", "a-b", "n1t", "it's 9pm", "[error]"} {
		needle := NewNeedles([][]byte{[]byte(text)})[0]
		for range 1500 {
			var data strings.Builder
			for range 2 + random.IntN(4) {
				from := random.IntN(len(text))
				piece := text[from:][:random.IntN(len(text)-from+1)]
				if random.IntN(4) == 0 {
					piece = strings.ToUpper(piece)
				}
				data.WriteString([]string{`"`, `" `, `"\n`, `\"`, `x"`, `" "`, ` "`, `\t"`, "x", `"}{"`}[random.IntN(10)] + piece)
			}
			data.WriteString([]string{``, `"`, ` "`, `x"`, `\\"`}[random.IntN(5)])
			needle.Reset()
			b := []byte(data.String())
			if needle.Look(b, b, false); needle.Unsure() {
				needle.Thorough()
				needle.Look(b, b, false)
			}
			found, may := slowNeedle(text, data.String())
			if needle.Found() != found || needle.May() != may {
				t.Fatalf("%q in %q: found %v, may %v; want %v, %v", text, data.String(), needle.Found(), needle.May(), found, may)
			}
			if may && !found {
				split++
			}
		}
	}
	if split < 100 {
		t.Errorf("only %d texts are in pieces", split)
	}
}

// TestUnescaped resolves escapes and entities at both sides of each class.
func TestUnescaped(t *testing.T) {
	for in, want := range map[string]string{
		`plain é`: "", `\u0020.`: " .", `\u001f`: "", `\u007e`: "~", `\u007f`: "", `\\u0041`: "A", `\\\u0041`: "A", `\\\\u0041\n`: `A\n`, `\u0041`: "A", `\u004`: "", `\u004g`: "", `\n`: "",
		`\u200bx`: "x", `\u200ax`: "", `\udb40`: "|", `\udb41`: "", `\udb3f`: "", `\ud82f`: "|", `\ud82e`: "", `\ud834`: "|", `\ud835`: "", `\udc00`: "|", `\udbff`: "", `\udfff`: "|", `\ue000`: "",
		"a\u200bb": "ab", "é\u200bé": "éé", "\u200a": "", `a&lt;b`: "a<b", `&quot;`: `"`, `&#x27;`: "'", `&#39;x`: "'x", `&amp;lt;`: "&lt;", `&lt`: "", `&`: "", `&;`: "", `&nosuch;`: "", `&eacute;`: "",
		`\u0041&lt`: "A&lt", `&lt;\u00e9`: `<\u00e9`, `\u0041\`: `A\`, `\u0041\u12`: `A\u12`, `A&x\u0041&gt;`: "A&xA>",
	} {
		got, changed := Unescaped([]byte(in), nil)
		if want == "|" {
			want = ""
		} else if want == "" {
			if changed || string(got) != in {
				t.Errorf("%s becomes %q", in, got)
			}
			continue
		}
		if !changed || string(got) != want {
			t.Errorf("%s becomes %q, not %q", in, got, want)
		}
	}
}

// TestSizesInWords has sizes at both sides of each unit.
func TestSizesInWords(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 999: "999 bytes", 1000: "1.0 kB", 9949: "9.9 kB", 9950: "10 kB", 999_499: "999 kB", 999_500: "1.0 MB",
		9_949_999: "9.9 MB", 9_950_000: "10 MB", 999_499_999: "999 MB", 999_500_000: "1.0 GB",
	} {
		if got := SizeOf(n); got != want {
			t.Errorf("%d is %s, not %s", n, got, want)
		}
	}
}

// TestRecordedTexts reads and writes random insides of JSON strings, valid or not, as encoding/json
// does.
func TestRecordedTexts(t *testing.T) {
	signs := []string{`\`, `\`, `\u`, `\n`, `"`, "/", "0", "9", "a", "f", "g", "A", "F", "G", "`", "@", ":", "b", "t", "r", "\x1f", " ", "é", "\xff", "\ud7ff", `\ud834`, `\udd1e`, `\u00e9`, "long text"}
	random := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		raw := ""
		for range 1 + random.IntN(7) {
			raw += signs[random.IntN(len(signs))]
		}
		text := EscapedText([]byte(raw))
		read := string([]rune(text.String()))
		var want string
		valid := json.Unmarshal([]byte(`"`+raw+`"`), &want) == nil
		if valid && want != read {
			t.Fatalf("%q is read as %q, not %q", raw, read, want)
		}
		if !strings.HasSuffix(raw, `\`) && !strings.Contains(raw, "\xff") {
			for name, written := range map[string][]byte{"as recorded": AppendRecorded(nil, []byte(raw)), "as read": AppendInside(nil, []byte(read))} {
				var again string
				if err := json.Unmarshal([]byte(`"`+string(written)+`"`), &again); err != nil || again != read {
					t.Fatalf("%q, read as %q, is written %s as %q, which is read as %q, %v", raw, read, name, written, again, err)
				}
			}
		}
		if got, want := text.TrimSpace().String(), strings.Trim(text.String(), " \n\t\r"); got != want && valid {
			t.Fatalf("%q trimmed is %q, not %q", raw, got, want)
		}
		if got, want := text.Blank(), strings.Trim(text.String(), " \n\t\r") == ""; got != want && valid {
			t.Fatalf("%q is blank: %v", raw, got)
		}
		special := strings.IndexFunc(raw, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' })
		if special < 0 {
			special = len(raw)
		}
		if got := JSONSpecial([]byte(raw), 0); got != special {
			t.Fatalf("the first special byte of %q is %d, not %d", raw, got, special)
		}
	}
}
