package token

import (
	"slices"
	"testing"
	"unicode"

	"turns/model/modeltest"
)

type ids = []uint32

// Why tiktoken-go returns other ids than tiktoken for some texts.
const (
	longS        = "tiktoken folds case by Unicode's rules, where the long s is an s; tiktoken-go's engine has 's only"
	newerUnicode = "tiktoken knows the letters of Unicode 16, tiktoken-go those of package unicode"
)

// known lists ids from tiktoken itself: version 1.0.22 of the npm package, its Rust code compiled
// to WebAssembly.
var known = []struct {
	text          string
	o200k, cl100k ids
	oracleErrs    string // why tiktoken-go differs in at least one encoding, or ""
}{
	// words and numbers
	{"", ids{}, ids{}, ""},
	{"hello world", ids{24912, 2375}, ids{15339, 1917}, ""},
	{"Hello, World! 12345678", ids{13225, 11, 5922, 0, 220, 7633, 19354, 4388}, ids{9906, 11, 4435, 0, 220, 4513, 10961, 2495}, ""},
	{"camelCaseHTTPServer", ids{178067, 6187, 17893, 6444}, ids{94421, 4301, 9412, 5592}, ""},
	{"path/to/file.go:12", ids{4189, 72231, 51766, 32812, 25, 899}, ids{2398, 33529, 24849, 18487, 25, 717}, ""},
	{"e\u0301 \u0301a \u0301", ids{68, 13430, 220, 13430, 64, 220, 13430}, ids{68, 54939, 220, 54939, 64, 220, 54939}, ""},
	{"\u0301ABC", ids{13430, 44197}, ids{54939, 26484}, ""},
	{"ǅungla ªBC", ids{131, 227, 988, 1675, 1322, 103, 7551}, ids{131, 227, 2234, 4355, 2188, 103, 5002}, ""},
	{"٣٤٥٦ ²³ Ⅷ", ids{81473, 98713, 97336, 122513, 220, 13848, 45681, 220, 25371, 100}, ids{149, 96, 149, 97, 149, 98, 149, 99, 220, 30556, 44301, 220, 71567, 100}, ""},
	// contractions
	{"don't DON'T you'RE we'Ve", ids{91418, 153384, 481, 6, 1099, 581, 6, 27493}, ids{15357, 956, 45373, 17773, 499, 95253, 584, 6, 43712}, ""},
	{"'s", ids{885}, ids{596}, ""},
	{"''s 'x", ids{5830, 82, 461, 87}, ids{4708, 82, 364, 87}, ""},
	{"x'ſ", ids{87, 6, 70067}, ids{87, 6, 129, 123}, ""},
	{"it'ſ 'ſo", ids{278, 6, 70067, 461, 70067, 78}, ids{275, 6, 129, 123, 364, 129, 123, 78}, ""},
	// spaces
	{"a\n \nb", ids{64, 47812, 65}, ids{64, 27907, 65}, ""},
	{"  \n  x", ids{4066, 220, 1215}, ids{2355, 220, 865}, ""},
	{"a  b   c", ids{64, 220, 287, 256, 274}, ids{64, 220, 293, 256, 272}, ""},
	{"\t\tif x {\r\n\r\n", ids{197, 1224, 1215, 13677}, ids{197, 748, 865, 8181}, ""},
	{"a \n", ids{64, 793}, ids{64, 720}, ""},
	{"                   x", ids{8854, 1215}, ids{4391, 865}, ""},
	{"\u00a0\u3000x", ids{5310, 1397, 87}, ids{4194, 23249, 87}, ""},
	// punctuation includes newlines, and in o200k slashes
	{"//\n/ //\r\n", ids{22704, 14, 64261}, ids{2341, 14, 25250}, ""},
	{"};\n\n\tx", ids{4320, 21395}, ids{2368, 10436}, ""},
	// special tokens are plain text
	{"<|endoftext|>", ids{27, 91, 419, 1440, 919, 91, 29}, ids{27, 91, 8862, 728, 428, 91, 29}, ""},
	{"<|fim_prefix|>x<|endofprompt|>", ids{27, 91, 103473, 33197, 91, 29, 87, 27, 91, 419, 1440, 82467, 91, 29}, ids{27, 91, 69, 318, 14301, 91, 29, 87, 27, 91, 408, 1073, 41681, 91, 29}, ""},
	// scripts
	{"日本語のテキスト", ids{9048, 40909, 3385, 16056, 18368, 38236}, ids{9080, 22656, 45918, 252, 16144, 57933, 62903, 71634}, ""},
	{"안녕하세요 세계", ids{14307, 171731, 75755}, ids{31495, 230, 75265, 243, 92245, 28867, 116, 22783, 226}, ""},
	{"مرحبا بالعالم", ids{158894, 26537, 101462, 12773}, ids{10386, 11318, 30925, 22071, 5821, 28946, 32482, 24102, 32482, 10386}, ""},
	{"🎉👨\u200d👩\u200d👧", ids{71344, 231, 28823, 101, 2524, 28823, 102, 2524, 28823, 100}, ids{9468, 236, 231, 9468, 239, 101, 378, 235, 9468, 239, 102, 378, 235, 9468, 239, 100}, ""},
	{"\ufffd", ids{3251}, ids{5809}, ""},
	// runs
	{"aaaaaaaaaaaaaaaaaaaa", ids{117525, 117525, 45037}, ids{70540, 70540, 29558}, ""},
	{"====================", ids{2900, 904}, ids{1547, 608}, ""},
	{" I'ſ", ids{3413, 70067}, ids{358, 6, 129, 123}, longS},
	{"x'ſ'type", ids{87, 6, 70067, 62048}, ids{87, 6, 129, 123, 956, 500}, longS},
	{"\u1c89's", ids{157, 110, 231, 885}, ids{157, 110, 231, 596}, newerUnicode},
	{"\ua7cd'st", ids{166, 253, 235, 885, 83}, ids{166, 253, 235, 596, 83}, newerUnicode},
	{"a\U00010d41\U00010d42\U00010d43\U00010d44", ids{64, 172, 238, 113, 223, 172, 238, 113, 224, 172, 238, 113, 225, 172, 238, 113, 226}, ids{64, 172, 238, 113, 223, 172, 238, 113, 224, 172, 238, 113, 225, 172, 238, 113, 226}, newerUnicode},
}

func TestKnown(t *testing.T) {
	o, c := New(O200k), New(Cl100k)
	differs := map[string]bool{}
	for _, k := range known {
		for _, x := range []struct {
			c    *Counter
			want ids
		}{{o, k.o200k}, {c, k.cl100k}} {
			if got := x.c.Encode(nil, []byte(k.text)); !slices.Equal(got, x.want) {
				t.Errorf("%s: Encode(%q) = %v, want %v", x.c.encoding, k.text, got, x.want)
			}
			if n := x.c.Count([]byte(k.text)); n != len(x.want) {
				t.Errorf("%s: Count(%q) = %d, want %d", x.c.encoding, k.text, n, len(x.want))
			}
			if same := slices.Equal(oracle(x.c.encoding, k.text), x.want); !same && k.oracleErrs == "" {
				t.Errorf("%s: tiktoken-go differs from tiktoken on %q", x.c.encoding, k.text)
			} else if !same {
				differs[k.oracleErrs] = true
			}
			if k.oracleErrs != "" && !oracleErrs(k.text) {
				t.Errorf("oracleErrs(%q) is false", k.text)
			}
		}
	}
	// Obsolete exceptions must be removed.
	for _, why := range []string{longS, newerUnicode} {
		if !differs[why] {
			t.Errorf("tiktoken-go gives tiktoken's ids for every text listed under: %s", why)
		}
	}
}

// TestInvalid checks the rule for bytes of invalid UTF-8.
func TestInvalid(t *testing.T) {
	for _, k := range []struct{ text, as string }{
		{"\xff", "\ufffd"},
		{"a\xffb", "a\ufffdb"},
		{"caf\xc3", "caf\ufffd"},
		{"\xe4\xb8 x", "\ufffd\ufffd x"},
		{"\xed\xa0\x80", "\ufffd\ufffd\ufffd"},
		{"\xf4\x90\x80\x80\n", "\ufffd\ufffd\ufffd\ufffd\n"},
		{"valid first, then \xc0\xaf", "valid first, then \ufffd\ufffd"},
	} {
		for _, e := range encodings {
			c := New(e)
			want := c.Encode(nil, []byte(k.as))
			if got := c.Encode(nil, []byte(k.text)); !slices.Equal(got, want) {
				t.Errorf("%s: Encode(%q) = %v, want that of %q, %v", e, k.text, got, k.as, want)
			}
			if n := c.Count([]byte(k.text)); n != len(want) {
				t.Errorf("%s: Count(%q) = %d, want %d", e, k.text, n, len(want))
			}
		}
	}
}

// TestClasses compares the table with package unicode, for the code points that it knows.
func TestClasses(t *testing.T) {
	modeltest.Long(t, "it looks at every rune")
	for r := rune(0); r <= unicode.MaxRune; r++ {
		got := classBlocks[int(classIndex[r>>8])<<8|int(r&0xFF)] &^ printable
		var want byte
		if unicode.In(r, unicode.Lu, unicode.Lt, unicode.Lm, unicode.Lo, unicode.M) {
			want |= upper
		}
		if unicode.In(r, unicode.Ll, unicode.Lm, unicode.Lo, unicode.M) {
			want |= lower
		}
		if unicode.IsLetter(r) {
			want |= letter
		}
		if unicode.IsNumber(r) {
			want |= number
		}
		if unicode.IsSpace(r) {
			want |= space
		}
		if r == '\r' || r == '\n' {
			want |= newline
		}
		if got != want && !unicode.Is(unicode.Cn, r) {
			t.Fatalf("class of %U is %#x, want %#x", r, got, want)
		}
		if r < 0x80 && classByte[r] != got {
			t.Fatalf("classByte of %U is %#x, want %#x", r, classByte[r], got)
		}
	}
	if classUnicode != "16.0.0" {
		t.Errorf("the classes are of Unicode %s, tiktoken's of 16.0.0", classUnicode)
	}
}
