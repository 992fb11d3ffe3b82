package token

import "unicode/utf8"

// The class of a code point, as bits for the categories in the two patterns. Upper and lower are
// the two halves of a word in o200k:
//
//	upper   Lu Lt    Lm Lo M   (what a word may begin with)
//	lower      Ll    Lm Lo M   (what it may go on with)
//	letter  Lu Lt Ll Lm Lo
//	number  N
//	space   White_Space, with newline for \r and \n
//
// A mark is upper and lower but not a letter. All other code points have no bit.
const (
	upper = 1 << iota
	lower
	letter
	number
	space
	newline

	// printable is added in classBlocks, which is text. wide is not a class, but the value of
	// non-ASCII bytes in classByte.
	printable
	wide

	word = upper | lower
	// solid has the classes that [^\s\p{L}\p{N}] excludes.
	solid = letter | number | space
)

// classAt returns the class of the code point at i and its width in bytes. A byte of invalid UTF-8
// has the width 1 and the class of U+FFFD: none.
func classAt(t []byte, i int) (class byte, width int) {
	if c := classByte[t[i]]; c != wide {
		return c, 1
	}
	return classWide(t, i)
}

func classWide(t []byte, i int) (byte, int) {
	r, n := utf8.DecodeRune(t[i:])
	return classBlocks[int(classIndex[r>>8])<<8|int(r&0xFF)] &^ printable, n
}

// skip returns the end of the run from i of code points that have a bit of mask.
func skip(t []byte, i int, mask byte) int {
	for i < len(t) {
		c, n := classByte[t[i]], 1
		if c == wide {
			c, n = classWide(t, i)
		}
		if c&mask == 0 {
			break
		}
		i += n
	}
	return i
}

// nextO200k returns the end of the piece that begins at i (i < len(t)): the match of the first
// matching alternative of this pattern:
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
func nextO200k(t []byte, i int) int {
	c, n := classByte[t[i]], 1
	if c == wide {
		c, n = classWide(t, i)
	}
	switch {
	case c&letter != 0:
		end, _ := casedWord(t, i)
		return contracted(t, end)
	case c&number != 0:
		return digits(t, i+n)
	case c&newline != 0:
		return spaces(t, i)
	}
	// The character may precede a word and belong to it.
	j := i + n
	var d byte
	if j < len(t) {
		if d = classByte[t[j]]; d == wide {
			d, _ = classWide(t, j)
		}
	}
	if c&word != 0 { // a mark, which can also be the entire word
		if d&word != 0 {
			if end, full := casedWord(t, j); full {
				return contracted(t, end)
			}
			// The first alternative without the optional character matches only the mark, before
			// the second is tried.
		}
		return contracted(t, j)
	}
	if d&word != 0 {
		end, _ := casedWord(t, j)
		return contracted(t, end)
	}
	if c&space != 0 && (t[i] != ' ' || j == len(t) || d&solid != 0) {
		return spaces(t, i)
	}
	for j = skipOther(t, j); j < len(t); j++ {
		if b := t[j]; b != '\r' && b != '\n' && b != '/' {
			break
		}
	}
	return j
}

// casedWord matches [upper]*[lower]+ at i, or otherwise [upper]+, and reports which. An upper or
// lower character must be there.
func casedWord(t []byte, i int) (end int, full bool) {
	// In ASCII no character is both, so backtracking is not needed.
	begin := i
	for i < len(t) && classByte[t[i]] == upper|letter {
		i++
	}
	mid := i
	for i < len(t) && classByte[t[i]] == lower|letter {
		i++
	}
	if i == len(t) || classByte[t[i]] != wide {
		return i, i > mid
	}
	i = begin
	// last is where the run of upper characters could leave one to the lower part: after the last
	// one that is both.
	last := -1
	for i < len(t) {
		c, n := classAt(t, i)
		if c&upper == 0 {
			if c&lower != 0 {
				return skip(t, i+n, lower), true
			}
			break
		}
		i += n
		if c&lower != 0 {
			last = i
		}
	}
	if last >= 0 {
		return last, true
	}
	return i, false
}

// nextCl100k is nextO200k for this pattern:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)
//	[^\r\n\p{L}\p{N}]?\p{L}+
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
func nextCl100k(t []byte, i int) int {
	if end := contracted(t, i); end > i {
		return end
	}
	c, n := classByte[t[i]], 1
	if c == wide {
		c, n = classWide(t, i)
	}
	switch {
	case c&letter != 0:
		return skip(t, i+n, letter)
	case c&number != 0:
		return digits(t, i+n)
	case c&newline != 0:
		return spaces(t, i)
	}
	j := i + n
	var d byte
	if j < len(t) {
		if d = classByte[t[j]]; d == wide {
			d, _ = classWide(t, j)
		}
		if d&letter != 0 {
			return skip(t, j, letter)
		}
	}
	if c&space != 0 && (t[i] != ' ' || j == len(t) || d&solid != 0) {
		return spaces(t, i)
	}
	for j = skipOther(t, j); j < len(t); j++ {
		if b := t[j]; b != '\r' && b != '\n' {
			break
		}
	}
	return j
}

// contracted returns the end of an English contraction at i, or i.
func contracted(t []byte, i int) int {
	if i < len(t) && t[i] == '\'' {
		return i + contraction(t, i)
	}
	return i
}

// contraction returns the length of the contraction that the ' at i begins, or 0. The pattern
// ignores case, and U+017F, the long s, is a lower case of S.
func contraction(t []byte, i int) int {
	if i+1 == len(t) {
		return 0
	}
	var next byte
	if i+2 < len(t) {
		next = t[i+2]
	}
	switch t[i+1] | 0x20 {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v':
		if next|0x20 == 'e' {
			return 3
		}
	case 'l':
		if next|0x20 == 'l' {
			return 3
		}
	case 0xC5 | 0x20:
		if t[i+1] == 0xC5 && next == 0xBF { // ſ
			return 3
		}
	}
	return 0
}

// digits returns the end of a number after its first digit: at most two more.
func digits(t []byte, i int) int {
	for range 2 {
		if i == len(t) {
			break
		}
		c, n := classAt(t, i)
		if c&number == 0 {
			break
		}
		i += n
	}
	return i
}

// skipOther returns the end of a run of [^\s\p{L}\p{N}].
func skipOther(t []byte, i int) int {
	for i < len(t) {
		c, n := classAt(t, i)
		if c&solid != 0 {
			break
		}
		i += n
	}
	return i
}

// spaces matches the last three alternatives at i, where a space is: up to the last newline of the
// run; otherwise the run without its last character, which belongs to the next piece; or the entire
// run at the end of the text or if it has one character.
func spaces(t []byte, i int) int {
	begin, last, line := i, i, -1
	for i < len(t) {
		c, n := classAt(t, i)
		if c&space == 0 {
			break
		}
		last = i
		i += n
		if c&newline != 0 {
			line = i
		}
	}
	switch {
	case line >= 0:
		return line
	case i == len(t) || last == begin:
		return i
	}
	return last
}
