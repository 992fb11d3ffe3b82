package redact

import "bytes"

// The matchers of secrets in files that programs keep: keys of PuTTY, hashes of passwords, words
// that a wallet is made from.

// matchPuTTY takes the private lines of a key in PuTTY's format.
func matchPuTTY(s *scan, at int, a *anchor) {
	t := s.text
	i := at + len(a.lit)
	for i < len(t) && t[i] >= '0' && t[i] <= '9' {
		i++
	}
	start := s.white(i)
	end := start
	for end < len(t) && end-start < 16<<10 {
		next := end
		for next < len(t) && is(t[next], base64c) {
			next++
		}
		if next-end < 8 && (next == end || end == start) || hasFold(t[end:], "Private-MAC") {
			break
		}
		end = next
		if n := s.white(end); n > end && n < len(t) && is(t[n], base64c) && !hasFold(t[n:], "Private-MAC") {
			end = n
			continue
		}
		break
	}
	if end-start >= 24 && random(t[start:end]) {
		s.hit(start, end, a)
	}
}

// matchShadow takes the hash of a password out of a line of /etc/shadow.
func matchShadow(s *scan, at int, a *anchor) {
	start := at + 1 // behind the colon
	end := start
	for end < len(s.text) && (is(s.text[end], token68) || bytes.IndexByte([]byte("$,"), s.text[end]) >= 0) {
		end++
	}
	if end-start >= 20 && !placeholder(s.text[start:end]) {
		s.hit(start, end, a)
	}
}

// seedLeast and seedMost are how many words a seed phrase has.
const seedLeast, seedMost = 12, 24

// matchSeed takes the words behind a name for them: at least twelve of three to eight small letters,
// as the lists of wallets have them. Sentences have shorter words among so many.
func matchSeed(s *scan, at int, a *anchor) {
	t := s.text
	i := at + len(a.lit)
	for from := i; i < len(t) && i-from < 24 && (bytes.IndexByte([]byte(" \t\n\r:=\"'`\\*_>-"), t[i]) >= 0 || hasFold(t[i:], "is ") || hasFold(t[i:], "s ") && t[i-1] == 's'); i++ {
		if t[i] == 'i' && hasFold(t[i:], "is ") || t[i] == '\\' && hasFold(t[i:], `\n`) {
			i++
		}
	}
	start, end, words := i, i, 0
	for words < seedMost {
		w := i
		for w < len(t) && t[w] >= 'a' && t[w] <= 'z' {
			w++
		}
		if w-i < 3 || w-i > 8 {
			break
		}
		words, end = words+1, w
		for i = w; i < len(t) && i-w < 4 && bytes.IndexByte([]byte(" \t\n\r,"), t[i]) >= 0; i++ {
		}
		if i == w {
			break
		}
	}
	if words >= seedLeast {
		s.hit(start, end, a)
	}
}
