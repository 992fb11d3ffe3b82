package redact

import "bytes"

// Matchers of secrets in files of programs: keys of PuTTY, hashes of passwords, seed phrases of
// wallets.

// matchPuTTY reports the private lines of a key in PuTTY's format.
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

// matchShadow reports the hash of a password in a line of /etc/shadow.
func matchShadow(s *scan, at int, a *anchor) {
	start := at + 1 // after the colon
	end := start
	for end < len(s.text) && (is(s.text[end], token68) || bytes.IndexByte([]byte("$,"), s.text[end]) >= 0) {
		end++
	}
	if end-start >= 20 && !placeholder(s.text[start:end]) {
		s.hit(start, end, a)
	}
}

// seedLeast and seedMost are the numbers of words in a seed phrase.
const seedLeast, seedMost = 12, 24

// matchSeed reports the words after a name of a seed phrase: at least twelve of three to eight
// lower-case letters, as in the lists of wallets. Sentences of that length have shorter words.
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
		i = s.numbering(i)
		w := i
		for w < len(t) && t[w] >= 'a' && t[w] <= 'z' {
			w++
		}
		if w-i < 3 || w-i > 8 {
			break
		}
		words, end = words+1, w
		for i = w; i < len(t) && i-w < 6 && (bytes.IndexByte([]byte(" \t\n\r,"), t[i]) >= 0 || s.endsLine(i)); i++ {
			if t[i] == '\\' {
				i++
			}
		}
		if i == w {
			break
		}
	}
	if words >= seedLeast {
		s.hit(start, end, a)
	}
}

// numbering skips the number of a word in a list: 1. or 12)
func (s *scan) numbering(i int) int {
	n := i
	for n < len(s.text) && n-i < 2 && s.text[n] >= '0' && s.text[n] <= '9' {
		n++
	}
	if n > i && n+1 < len(s.text) && (s.text[n] == '.' || s.text[n] == ')') && s.text[n+1] == ' ' {
		return n + 2
	}
	return i
}

// matchSSH2 finds a private key in the format of ssh.com and VShell, related to RFC 4716.
func matchSSH2(s *scan, at int, a *anchor) {
	t := s.text[at:min(len(s.text), at+maxPEM)]
	head := t[:min(len(t), 80)]
	end := bytes.Index(t, []byte("---- END SSH2 "))
	if !bytes.Contains(head, []byte("PRIVATE KEY")) || end < 0 || !random(t[min(len(head), 48):end]) {
		return
	}
	if n := bytes.Index(t[end+14:], []byte("----")); n >= 0 {
		s.hit(at, at+end+14+n+4, a)
	}
}

// matchMinisign finds the key on the line after the comment of minisign and signify.
func matchMinisign(s *scan, at int, a *anchor) {
	start := s.white(at + len(a.lit))
	if end := s.run(base64c, start); end-start >= 100 && random(s.text[start:end]) {
		s.hit(start, end, a)
	}
}

// matchJWK finds the private member of a JSON Web Key (RFC 7517).
func matchJWK(s *scan, at int, a *anchor) {
	near := s.text[max(0, at-maxManifest):min(len(s.text), at+maxManifest)]
	if !bytes.Contains(near, []byte("\"kty")) {
		return
	}
	i := at + len(a.lit)
	for from := i; i < len(s.text) && i-from < 8 && bytes.IndexByte([]byte(" :\\\""), s.text[i]) >= 0; {
		i++
	}
	if end := s.run(dash, i); end-i >= 40 && random(s.text[i:end]) {
		s.hit(i, end, a)
	}
}

// matchXMLKey finds the private exponent of .NET's RSAKeyValue.
func matchXMLKey(s *scan, at int, a *anchor) {
	start := at + len(a.lit)
	if end := s.run(base64c, start); end-start >= 80 && s.tagSign(end, '<') > 0 && random(s.text[start:end]) {
		s.hit(start, end, a)
	}
}

// matchCookieJar finds the value of a cookie in a cookie file of curl or wget: seven fields
// separated by tabs, of which the fourth is TRUE or FALSE.
func matchCookieJar(s *scan, at int, a *anchor) {
	tab := a.lit[len(a.lit)-min(2, len(a.lit)-4):]
	if tab[0] != '\\' {
		tab = "\t"
	}
	i := at + len(a.lit)
	for field := range 2 {
		n := bytes.Index(s.text[i:min(len(s.text), i+80)], []byte(tab))
		if n <= 0 || field == 0 && len(bytes.Trim(s.text[i:i+n], "0123456789")) > 0 {
			return
		}
		i += n + len(tab)
	}
	end := i
	for end < len(s.text) && end-i < maxCookie && s.text[end] > ' ' && s.text[end] != '\\' && !quote(s.text[end]) {
		end++
	}
	if v := s.text[i:end]; len(v) >= 16 && kindsOf(v).digit >= 2 && random(v) {
		s.hit(i, end, a)
	}
}
