package token

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// addedSince15 reports whether a code point has a class in the Unicode version of tables.go, but
// not in that of package unicode.
func addedSince15(r rune) bool {
	return classBlocks[int(classIndex[r>>8])<<8|int(r&0xFF)]&^printable != 0 &&
		!unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.White_Space)
}

// generator generates texts in which the rules of the two patterns interact.
type generator struct {
	*rand.Rand
	scripts [][]rune
}

func newGenerator(seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	for _, name := range slices.Sorted(maps.Keys(unicode.Scripts)) {
		table := unicode.Scripts[name]
		var all []rune
		for _, r := range table.R16 {
			for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
				all = append(all, c)
			}
		}
		for _, r := range table.R32 {
			for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
				all = append(all, c)
			}
		}
		g.scripts = append(g.scripts, all)
	}
	return g
}

var (
	fragments = []string{
		"'s", "'S", "'t", "'re", "'RE", "'vE", "'ve", "'m", "'ll", "'lL", "'d", "'D", "'l", "'r", "'", "’s", "''s", "'x",
		"<|endoftext|>", "<|fim_prefix|>", "<|endofprompt|>", "<|im_start|>", "func main() {", "\treturn nil, err\n", "});\n",
		"if err != nil {\n\t\t", "https://example.com/a/b?c=d", "/usr/local/bin/", "//\n/", "/**\n */", "\r\n\r\n", "\n/\n/", "{\"role\":\"user\",\"content\":\"",
		"\\u00e9\\n", "camelCaseHTTPServer", "SCREAMING_SNAKE", "XMLHttpRequest", "don't", "I'll", "WE'RE", "it's", "ǅungla", "Ǆ", "ªº", "ʰ", "ǈ'S",
		"é", "e\u0301", "\u0301", "\u0301\u0302", "İstanbul", "ß", "ſ", "K", "日本語", "中文字符", "한국어", "ไทย", "हिन्दी", "עברית", "العربية", "🎉", "👨‍👩‍👧", "🇩🇪", "✅", "─", "═", "│",
		"\u200b", "\u00ad", "\ufeff", "\ufffd", "\x00", "\x7f", "\xff", "\xc3", "\xe4\xb8", "\xed\xa0\x80", "\xf4\x90\x80\x80",
		"iVBORw0KGgoAAAANSUhEUgAA", "0123456789", "3.14159", "1,000,000", "²³", "Ⅷ", "٣٤٥", "12345", "½",
	}
	blanks = []string{" ", "  ", "   ", "\t", "\n", "\r", "\r\n", "\n\n", "\v", "\f", "\u0085", "\u00a0", "\u2003", "\u2028", "\u3000", "\n ", " \n", "        "}
	words  = strings.Fields("the of and to a in is it you that he was for on are with as I his they be at one have this The OF And configuration " +
		"implementation getElementById antidisestablishmentarianism Donaudampfschifffahrt error nil return transcript assistant tool_use")
	punctuation = "!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~'"
)

// text returns some 20 to 60 bytes.
func (g *generator) text() string {
	var b strings.Builder
	for size := 1 + g.IntN(50); b.Len() < size; {
		g.part(&b)
	}
	return b.String()
}

func (g *generator) part(b *strings.Builder) {
	switch g.IntN(10) {
	case 0, 1:
		b.WriteString(fragments[g.IntN(len(fragments))])
	case 2, 3:
		for range 1 + g.IntN(3) {
			b.WriteString(blanks[g.IntN(len(blanks))])
		}
	case 4:
		b.WriteString(words[g.IntN(len(words))])
	case 5:
		b.WriteString(" " + words[g.IntN(len(words))])
	case 6:
		script := g.scripts[g.IntN(len(g.scripts))]
		for range 1 + g.IntN(4) {
			b.WriteRune(script[g.IntN(len(script))])
		}
	case 7:
		for range 1 + g.IntN(4) {
			b.WriteByte(punctuation[g.IntN(len(punctuation))])
		}
	case 8:
		for range 1 + g.IntN(6) {
			b.WriteByte(byte(g.IntN(128)))
		}
	case 9:
		b.WriteString(strings.Repeat(string(rune(32+g.IntN(95))), 1+g.IntN(9)))
	}
}

// long returns a text of few, long pieces.
func (g *generator) long() string {
	var b strings.Builder
	size := 1 + g.IntN(600)
	unit := make([]rune, 1+g.IntN(4))
	alphabets := [][]rune{[]rune("ab"), []rune("=-"), []rune("ABCDEFGHabcdefgh"), []rune("的一是不了人我在有他"), []rune("ーァア"), []rune("-_=+*#/~.")}
	alphabet := alphabets[g.IntN(len(alphabets))]
	for i := range unit {
		unit[i] = alphabet[g.IntN(len(alphabet))]
	}
	repeat := g.IntN(2) == 0
	for b.Len() < size {
		if repeat {
			b.WriteString(string(unit))
		} else {
			b.WriteRune(alphabet[g.IntN(len(alphabet))])
		}
	}
	return b.String()
}
