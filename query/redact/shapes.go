package redact

import "bytes"

// Matchers of credentials that are more than a prefix and a run of bytes. Each runs at its anchor
// and reports its findings to the scan.

// matchTeams reports two identifiers of an address, IncomingWebhook, and two more.
func matchTeams(s *scan, at int, a *anchor) {
	start := at + len(a.lit)
	end := start
	for end < len(s.text) && end-start < 256 && (is(s.text[end], dash) || s.text[end] == '@' || s.text[end] == '/') {
		end++
	}
	if bytes.Contains(s.text[start:end], []byte("/IncomingWebhook/")) && end-start > 100 {
		s.hit(start, end, a)
	}
}

// matchSK reports keys with only sk- as prefix: old keys of OpenAI, and those of the many services
// that copy its interface. Names of styles and packages (sk-fading-circle) have the same prefix.
func matchSK(s *scan, at int, a *anchor) {
	if !s.boundary(at) {
		return
	}
	body := at + 3
	end := s.run(dash, body)
	v := s.text[body:end]
	if end-body < 20 || !random(v) {
		return
	}
	if k := kindsOf(v); k.other*5 < len(v) && (k.digit >= 4 || k.digit > 0 && k.upper > 1) {
		s.hit(at, end, a)
	}
}

func matchSentry(s *scan, at int, a *anchor) {
	end := s.run(token68, at+len(a.lit))
	if s.boundary(at) && end-at > 80 && random(s.text[at+len(a.lit):end]) {
		s.hit(at, end, a)
	}
}

// matchDatabricks reports 32 hexadecimal digits, optionally followed by a dash and a digit.
func matchDatabricks(s *scan, at int, a *anchor) {
	body := at + len(a.lit)
	end := s.run(hexLow, body)
	if end-body != 32 || !s.boundary(at) || !random(s.text[body:end]) {
		return
	}
	if end+1 < len(s.text) && s.text[end] == '-' && s.text[end+1] >= '0' && s.text[end+1] <= '9' {
		end += 2
	}
	if end == len(s.text) || !is(s.text[end], word) {
		s.hit(at, end, a)
	}
}

// matchTwilio reports upper case SK and 32 hexadecimal digits.
func matchTwilio(s *scan, at int, a *anchor) {
	end := s.run(alnum, at+2)
	if end-at != 34 || !s.boundary(at) || s.run(hexLow, at+2) != end {
		return
	}
	if random(s.text[at+2:end]) && (end == len(s.text) || s.text[end] != '_') {
		s.hit(at, end, a)
	}
}

// matchSendGrid reports two parts after the prefix, of about 22 and 43 bytes.
func matchSendGrid(s *scan, at int, a *anchor) {
	mid := s.run(dash, at+3)
	if n := mid - at - 3; n < 16 || n > 32 || !s.boundary(at) || mid == len(s.text) || s.text[mid] != '.' {
		return
	}
	end := s.run(dash, mid+1)
	if n := end - mid - 1; n >= 32 && n <= 64 && random(s.text[at+3:end]) {
		s.hit(at, end, a)
	}
}

// matchResend reports eight and 24 bytes with _ between them.
func matchResend(s *scan, at int, a *anchor) {
	end := s.run(word, at+3)
	if end-at < 36 || end-at > 40 || s.text[at+11] != '_' || !s.boundary(at) {
		return
	}
	v := s.text[at+3 : end]
	if k := kindsOf(v); k.other == 1 && k.upper > 0 && k.digit > 0 && random(v) {
		s.hit(at, end, a)
	}
}

// matchAtlas reports 14 bytes before the anchor, 60 to 70 after it.
func matchAtlas(s *scan, at int, a *anchor) {
	start := at
	for start > 0 && at-start < 14 && is(s.text[start-1], alnum) {
		start--
	}
	end := s.run(dash, at+len(a.lit))
	if at-start == 14 && s.boundary(start) && end-at > 60 {
		s.hit(start, end, a)
	}
}

// matchSlack reports parts of letters and digits with dashes, some of them numbers.
func matchSlack(s *scan, at int, a *anchor) {
	if !s.boundary(at) {
		return
	}
	body := at + len(a.lit)
	end := s.run(dash, body)
	// xoxd and xoxe continue in base64 or after a dot.
	if a.lit == "xoxd-" || a.lit == "xoxe." {
		end = max(end, s.run(token68, body), s.runPercent(body))
	}
	v := s.text[body:end]
	last := v[bytes.LastIndexByte(v, '-')+1:]
	if len(v) >= 16 && kindsOf(v).digit >= 4 && (random(v) || len(last) >= 16 && random(last)) {
		s.hit(at, end, a)
	}
}

// maxSigned is more than the length of the longest session token in a URL.
const maxSigned = 2 << 10

// runPercent returns the end of a run of base64 with URL escapes.
func (s *scan) runPercent(i int) int {
	end := min(s.run(auth, i), i+maxSigned)
	for j := i; j < end; j++ {
		if !is(s.text[j], token68) && s.text[j] != '%' || s.text[j] == '=' || s.text[j] == '~' {
			return j
		}
	}
	return end
}

// matchWebhook reports the path after the host, the only secret part.
func matchWebhook(s *scan, at int, a *anchor) {
	start := at + len(a.lit)
	end := s.run(base64c, start)
	for end < len(s.text) && end-start < 200 && is(s.text[end], dash) {
		end++
	}
	if v := s.text[start:end]; len(v) >= 24 && kindsOf(v).digit > 0 && random(v) {
		s.hit(start, end, a)
	}
}

// matchDiscord reports number, time and signature in base64, with dots.
func matchDiscord(s *scan, at int, a *anchor) {
	p1 := s.run(dash, at)
	if !s.boundary(at) || p1 == len(s.text) || s.text[p1] != '.' {
		return
	}
	p2 := s.run(dash, p1+1)
	if p2-p1 != 7 || p2 == len(s.text) || s.text[p2] != '.' {
		return
	}
	if end := s.run(dash, p2+1); end-p2 > 27 && end-p2 < 42 && snowflake(s.text[at:p1]) {
		s.hit(at, end, a)
	}
}

// matchTelegram reports the bot's number before the anchor, about 33 bytes after it.
func matchTelegram(s *scan, at int, a *anchor) {
	start := at
	for start > 0 && s.text[start-1] >= '0' && s.text[start-1] <= '9' {
		start--
	}
	inPath := bytes.HasSuffix(s.text[:start], []byte("/bot")) // in addresses of its API
	if !inPath && !s.boundary(start) {
		return
	}
	end := s.run(dash, at+3)
	if n := at - start; n >= 8 && n <= 11 && end-at-3 >= 32 && end-at-3 <= 34 && random(s.text[at+3:end]) {
		s.hit(start, end, a)
	}
}

// matchAzure reports the base64 of 32 or 64 bytes after its name in a connection string.
func matchAzure(s *scan, at int, a *anchor) {
	start := at + len(a.lit)
	end := s.run(base64c, start)
	if v := s.text[start:end]; len(v) >= 40 && random(v) {
		s.hit(start, end, a)
	}
}

// matchAzureAD reports three bytes, a digit, Q~ and 31 to 34 more. The anchor is at the digit.
func matchAzureAD(s *scan, at int, a *anchor) {
	if at < 3 || !bytes.HasPrefix(s.text[at+1:], []byte("Q~")) {
		return
	}
	end := at + 3
	for end < len(s.text) && end-at < 50 && (is(s.text[end], dotted) || s.text[end] == '~') {
		end++
	}
	for _, b := range s.text[at-3 : at] {
		if !is(b, dotted) && b != '~' {
			return
		}
	}
	if n := end - at - 3; n >= 31 && n <= 34 && s.boundary(at-3) && random(s.text[at+3:end]) {
		s.hit(at-3, end, a)
	}
}

// matchSigned reports a signature in the parameters of a URL.
func matchSigned(s *scan, at int, a *anchor) {
	if at == 0 || s.text[at-1] != '&' && s.text[at-1] != '?' && s.text[at-1] != ';' {
		// Some JSON encoders write & as \u0026.
		if at < 6 || string(s.text[at-6:at]) != `\u0026` {
			return
		}
	}
	start := at + len(a.lit)
	end := s.runPercent(start)
	if v := s.text[start:end]; len(v) >= 40 && random(v) {
		s.hit(start, end, a)
	}
}

// matchJWT reports three parts in base64 with dots. "eyJ" begins the first two, which are JSON
// objects.
func matchJWT(s *scan, at int, a *anchor) {
	p1 := s.run(dash, at)
	if p1-at < 12 || !s.boundary(at) || !bytes.HasPrefix(s.text[p1:], []byte(".eyJ")) {
		return
	}
	p2 := s.run(dash, p1+1)
	if p2-p1 < 6 || p2 == len(s.text) || s.text[p2] != '.' {
		return
	}
	if end := s.run(dash, p2+1); end-p2 > 10 && !masked.in(s.text[at:end]) {
		s.hit(at, end, a)
	}
}

func matchBearer(s *scan, at int, a *anchor) {
	start := at + len(a.lit)
	end := s.run(token68, start)
	v := bytes.TrimRight(s.text[start:end], ".") // a full stop is not part of the token
	if k := kindsOf(v); len(v) >= 16 && k.digit >= 2 && random(v) && !placeholder(v) {
		s.hit(start, start+len(v), a)
	}
}

// matchBasic decodes the text after "basic", because that is also an ordinary word.
func matchBasic(s *scan, at int, a *anchor) {
	start := at + len(a.lit)
	end := s.run(base64c, start)
	v := bytes.TrimRight(s.text[start:end], "=")
	if !login(v) {
		return
	}
	s.hit(start, end, a)
}

// matchURL reports the password of scheme://user:password@host.
func matchURL(s *scan, at int, a *anchor) {
	if at == 0 || !is(s.text[at-1], alnum) {
		return
	}
	from := at + 3
	end := s.run(auth, from)
	where := s.text[from:end]
	host := bytes.LastIndexByte(where, '@')
	if host < 0 || bytes.HasPrefix(where, []byte(marker)) || host+1 == len(where) || !is(where[host+1], alnum) && where[host+1] != '[' && where[host+1] != '%' {
		return
	}
	colon := bytes.IndexByte(where[:host], ':')
	if colon < 0 {
		if v := where[:host]; len(v) >= 16 && identifierish(v) == 0 && kindsOf(v).digit >= 2 && random(v) {
			// https://TOKEN@host
			s.hit(from, from+host, a)
		}
		return
	}
	v := where[colon+1 : host]
	if len(v) < 3 || placeholder(v) || dull(v) || bytes.Equal(v, where[:colon]) && len(v) < 6 {
		return
	}
	s.hit(from+colon+1, from+host, a)
}

// maxPEM exceeds the size of the largest keys in use.
const maxPEM = 32 << 10

// matchPEM reports a private key from its first to its last line. The lines end with newlines in
// text, with \n in JSON. In code each may have its own quotes; then it reports them one by one,
// because the quotes are not part of the key.
func matchPEM(s *scan, at int, a *anchor) {
	i := at + len(a.lit)
	label, _, ok := bytes.Cut(s.text[i:min(len(s.text), at+80)], []byte("-----"))
	if !ok || !bytes.Contains(label, []byte("PRIVATE KEY")) || s.escaped(at) {
		return
	}
	start, limit := at, min(len(s.text), at+maxPEM)
	i += len(label) + len("-----")
	for last := 0; ; {
		end, stop, done := s.pemPiece(i, last, limit)
		if end > 0 {
			s.hit(start, end, a)
		}
		if done || !quote(s.text[stop]) {
			return
		}
		// The next piece may begin after quotes and an operator that joins them.
		for i = stop; i < limit && i-stop < 40 && !is(s.text[i], alnum) && s.text[i] != '-'; i++ {
			if s.text[i] == '\\' && i+1 < limit && bytes.IndexByte([]byte("nrt"), s.text[i+1]) >= 0 {
				i++
			}
		}
		// Anything but another line of the key is unrelated text.
		last = min(limit, s.run(base64c, i))
		if last-i < 16 || s.text[i-1] == '\\' || !random(s.text[i:last]) {
			return
		}
		start, i = i, last
	}
}

// pemPiece scans the lines of a key from j on, after the line that ends at last, 0 if there is none.
// It returns the end of the last line, where it stopped, and whether it reached the end of the key.
func (s *scan) pemPiece(j, last, limit int) (end, stop int, done bool) {
	for j < limit {
		b := s.text[j]
		switch {
		case b == '-' && bytes.HasPrefix(s.text[j:], []byte("-----END ")):
			label, _, ok := bytes.Cut(s.text[j+9:min(len(s.text), j+80)], []byte("-----"))
			if ok && last > 0 {
				last = j + 9 + len(label) + 5
			}
			return last, j, true
		case b == '-' && bytes.HasPrefix(s.text[j:], []byte("-----BEGIN ")):
			return last, j, true // the scan finds the next key itself
		case b == '\\':
			j++
			if j < limit && bytes.IndexByte([]byte("nrt"), s.text[j]) >= 0 {
				j++
			}
		case is(b, base64c):
			end := min(limit, s.run(base64c, j))
			// Short runs are the last line of a key, or words.
			if n := end - j; n >= 20 && random(s.text[j:end]) || j-last < 8 && n >= 2 {
				last = end
			}
			j = end
		case quote(b) || b == '<' || b == '{' || b == '}':
			return last, j, false
		default:
			j++
		}
	}
	return last, j, true
}

func quote(b byte) bool { return b == '"' || b == '\'' || b == '`' }
