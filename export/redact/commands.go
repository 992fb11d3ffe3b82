package redact

import "bytes"

// The matchers of passwords in commands and their files, where they stand behind
// an option and no name.

// curlReach is how far behind the word curl its option -u is looked for.
const curlReach = 400

// matchCurl remembers where a command begins that may have a user and password.
func matchCurl(s *scan, at int, _ *anchor) {
	if s.boundary(at) {
		s.curl = at + 1
	}
}

// matchUser takes the password of curl -u user:password. The option belongs to many
// commands, so a curl must stand before it, in the same command; each is looked back
// at once.
func matchUser(s *scan, at int, a *anchor) {
	from := s.curl - 1
	if from < 0 || at-from > curlReach {
		return
	}
	s.curl = 0
	for _, end := range []string{" | ", " && ", " ; ", "; ", " || "} {
		if bytes.Contains(s.text[from:at], []byte(end)) {
			return
		}
	}
	start, end := s.argument(at + len(a.lit))
	colon := bytes.IndexByte(s.text[start:end], ':')
	if colon < 0 {
		return
	}
	s.password(start+colon+1, end, a)
}

// matchOption takes the word behind an option that takes nothing but a password.
func matchOption(s *scan, at int, a *anchor) {
	if s.boundary(at) {
		start, end := s.argument(at + len(a.lit))
		s.password(start, end, a)
	}
}

// matchNetrc takes the password of machine HOST login USER password PASSWORD.
func matchNetrc(s *scan, at int, a *anchor) {
	if !s.boundary(at) {
		return
	}
	i := at + len(a.lit)
	for n, want := range [...]string{"", "login", "", "password", ""} {
		for i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '\t' || s.text[i] == '\n' || s.text[i] == '\r') {
			i++
		}
		end := s.word(i)
		if end == i || end-i > 256 || want != "" && string(s.text[i:end]) != want || n == 0 && bytes.IndexByte(s.text[i:end], '.') < 0 {
			return
		}
		if n == 4 {
			s.password(i, end, a)
		}
		i = end
	}
}

// argument is the word of a command from i on, without quotes, however they are
// escaped.
func (s *scan) argument(i int) (start, end int) {
	for i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '\\') {
		i++
	}
	if i < len(s.text) && quote(s.text[i]) {
		q := s.text[i]
		i++
		end = i
		for end < len(s.text) && end-i < 256 && s.text[end] != q && s.text[end] != '\\' && s.text[end] >= ' ' {
			end++
		}
		return i, end
	}
	return i, s.word(i)
}

// word is the end of what stands from i on without white space, quotes and escapes.
func (s *scan) word(i int) int {
	end := i
	for end < len(s.text) && end-i <= 256 && s.text[end] > ' ' && s.text[end] != '\\' && !quote(s.text[end]) {
		end++
	}
	return end
}

// password reports text[start:end], unless it stands for one.
func (s *scan) password(start, end int, a *anchor) {
	if v := s.text[start:end]; len(v) >= 3 && end-start < 256 && !placeholder(v) && !dull(v) {
		s.hit(start, end, a)
	}
}
