package redact

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A name may have letters beyond ASCII: jürgen, 张伟. Files and programs write them in several ways:
// composed or decomposed, as escapes of JSON (j\u00fcrgen), of URLs (j%C3%BCrgen), of git and C
// (j\303\274rgen, j\xc3\xbcrgen), of mail (j=C3=BCrgen) and of HTML (j&uuml;rgen).

// letter looks for learned names that begin with the letter beyond ASCII at i, and returns its end.
func (n *Names) letter(s *scan, i int) int {
	r, size := utf8.DecodeRune(s.text[i:])
	if !unicode.IsLetter(r) {
		return i + size
	}
	if before, _ := utf8.DecodeLastRune(s.text[:i]); !spaceless(r) && !s.escapeLetter(i-1) && (unicode.IsLetter(before) || unicode.IsDigit(before)) {
		return i + size
	}
	if e := (*n.entries.Load())[string(unicode.ToLower(r))]; e != nil {
		n.learned(s, e, i)
	}
	return i + size
}

// spaceless reports whether words of the script follow each other without a space.
func spaceless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// firstWord returns the beginning of a name, by which the scan finds it.
func firstWord(text string) string {
	if text == "" || text[0] < utf8.RuneSelf {
		return text[:wordEnd([]byte(text), 0)]
	}
	_, size := utf8.DecodeRuneInString(text)
	return text[:size]
}

// longEnough reports whether a name has enough letters to be replaced wherever it is a word.
func longEnough(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	n := utf8.RuneCountInString(name)
	return n > 2 || n == 2 && spaceless(first)
}

// composed returns a name in the form that most programs write.
func composed(name string) string { return norm.NFC.String(name) }

// spellings returns the other ways to write a name without escapes.
func spellings(text string) []string {
	all := []string{norm.NFC.String(text), norm.NFD.String(text)}
	// agents name folders after paths, with a dash for every other sign
	return append(all, strings.Map(dashedRune, text))
}

// places finds, in order, the positions where the visible text differs from the bytes.
type places struct {
	text         []byte
	names        bool // escaped letters too
	odd, escaped int
}

// next returns the next such position from i on, or the end of the text.
func (p *places) next(i int) int {
	if p.odd < i {
		p.odd = nextOdd(p.text, i)
	}
	if !p.names {
		return p.odd
	}
	if p.escaped < i {
		for p.escaped = i; p.escaped < len(p.text) && !beginsLetter(p.text, p.escaped); p.escaped++ {
		}
	}
	return min(p.odd, p.escaped)
}

// at reads the escape at i into v and returns its length.
func (p *places) at(v *seen, i int) int {
	if p.names && p.escaped == i {
		if r, n := escapedLetter(p.text, i); n > 0 {
			for _, c := range utf8.AppendRune(nil, r) {
				v.oddly(c, i, n)
			}
			return n
		}
	}
	c, n := oddAt(p.text, i)
	v.oddly(c, i, n)
	return n
}

func beginsLetter(t []byte, i int) bool {
	switch t[i] {
	case '\\', '%', '&', '=':
		_, n := escapedLetter(t, i)
		return n > 0
	}
	return false
}

// escapedLetter returns the non-ASCII letter of an escape at i, and the length of the escape; 0 for
// any other text.
func escapedLetter(t []byte, i int) (r rune, n int) {
	switch {
	case t[i] == '&':
		end := i + 1
		for end < len(t) && end-i < 10 && (is(t[end], alnum) || t[end] == '#') {
			end++
		}
		if end == len(t) || t[end] != ';' {
			return 0, 0
		}
		r, size := utf8.DecodeRuneInString(html.UnescapeString(string(t[i : end+1])))
		if r < 0xa0 || size < 2 {
			return 0, 0
		}
		return r, end + 1 - i
	case t[i] == '\\':
		if r, n := unicodeEscape(t, i); n > 0 {
			return r, n
		}
	}
	var letter []byte
	for n = 0; i+n < len(t) && len(letter) < utf8.UTFMax && !utf8.FullRune(letter); {
		b, size := escapedByte(t, i+n)
		if size == 0 {
			return 0, 0
		}
		letter, n = append(letter, b), n+size
	}
	if r, size := utf8.DecodeRune(letter); size == len(letter) && r != utf8.RuneError && r >= 0xa0 {
		return r, n
	}
	return 0, 0
}

// unicodeEscape reads \u00fc after any number of backslashes.
func unicodeEscape(t []byte, i int) (r rune, n int) {
	j := pastSlashes(t, i)
	if j+5 > len(t) || t[j] != 'u' {
		return 0, 0
	}
	for _, h := range t[j+1 : j+5] {
		if !is(h, hexAny) {
			return 0, 0
		}
		r = r<<4 | rune(hexValue(h))
	}
	if r < 0xa0 || r >= 0xd800 && r < 0xe000 {
		return 0, 0
	}
	return r, j + 5 - i
}

// escapedByte reads a non-ASCII byte that is written as %C3, %25C3, =C3, \xc3 or \303.
func escapedByte(t []byte, i int) (b byte, n int) {
	j := i + 1
	switch t[i] {
	case '%':
		for j+2 < len(t) && t[j] == '2' && t[j+1] == '5' {
			j += 2
		}
	case '=':
	case '\\':
		switch j = pastSlashes(t, i); {
		case j < len(t) && t[j] == 'x':
			j++
		case j+3 <= len(t) && (t[j] == '2' || t[j] == '3') && t[j+1]&^7 == '0' && t[j+2]&^7 == '0':
			return (t[j]-'0')<<6 | (t[j+1]-'0')<<3 | (t[j+2] - '0'), j + 3 - i
		default:
			return 0, 0
		}
	default:
		return 0, 0
	}
	if j+2 > len(t) || !is(t[j], hexAny) || !is(t[j+1], hexAny) || hexValue(t[j]) < 8 {
		return 0, 0
	}
	return hexValue(t[j])<<4 | hexValue(t[j+1]), j + 2 - i
}

func pastSlashes(t []byte, i int) int {
	for i < len(t) && t[i] == '\\' {
		i++
	}
	return i
}

func hexValue(h byte) byte {
	if h = lower(h); h >= 'a' {
		return h - 'a' + 10
	}
	return h - '0'
}
