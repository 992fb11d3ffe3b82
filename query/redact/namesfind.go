package redact

import (
	"bytes"
	"math"
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"
)

// scan finds the names in a text: learned words, and words in the form of a name.
func (n *Names) scan(s *scan) {
	t := s.text
	for i := 0; i < len(t); {
		switch c := t[i]; {
		case is(c, alnum):
			i = n.word(s, i)
		case c >= utf8.RuneSelf:
			i = n.letter(s, i)
		case c == '\\':
			i = n.backslash(s, i)
		case c == '@':
			n.mail(s, i, 1)
			i++
		case c == '%' && i+2 < len(t) && is(t[i+1], hexAny) && is(t[i+2], hexAny):
			if t[i+1] == '4' && t[i+2] == '0' {
				n.mail(s, i, 3)
			}
			i += 3
		case c == '-' && i+10 < len(t) && t[i+1] == 'r' && (t[i+2] == 'w' || t[i+2] == '-'):
			n.listed(s, i)
			i++
		default:
			i++
		}
	}
	for _, p := range n.patterns {
		for _, at := range p.FindAllIndex(t, -1) {
			n.matched(s, at[0], at[1])
		}
	}
}

// matched replaces a match of a user's pattern. It leaves quotes, escapes, brackets and line
// breaks alone, so that JSON stays valid.
func (n *Names) matched(s *scan, start, end int) {
	const structure = "\"\\\n\r{}[]"
	for start < end {
		if strings.IndexByte(structure, s.text[start]) >= 0 {
			start++
			continue
		}
		stop := start
		for stop < end && strings.IndexByte(structure, s.text[stop]) < 0 {
			stop++
		}
		if text := string(s.text[start:stop]); !isStanding("name", text) && strings.Trim(text, " :,") != "" {
			s.name(start, stop, Pattern, n.replacement("name", text))
		}
		start = stop
	}
}

// name adds a found name.
func (s *scan) name(start, end int, kind Kind, with string) {
	s.found = append(s.found, hit{start: start, end: end, rule: nameRules + int(kind), with: with})
}

// nameRules is the number of the rule of the first kind of names. The rules of secrets are fewer.
const nameRules = math.MaxInt16

// word examines the word that begins at i and returns its end.
func (n *Names) word(s *scan, i int) int {
	t := s.text
	end := wordEnd(t, i)
	if c := t[i]; c <= '9' {
		n.address4(s, i, end)
	}
	if end-i <= 4 && end < len(t) && t[end] == ':' {
		n.address6(s, i)
	}
	n.begins(s, i, end)
	return end
}

// begins searches for names that begin with a word, and reports whether it found one.
func (n *Names) begins(s *scan, at, end int) bool {
	if end-at > longestWord {
		return false
	}
	var key [longestWord]byte
	for i, c := range s.text[at:end] {
		key[i] = lower(c)
	}
	e := (*n.entries.Load())[string(key[:end-at])]
	if e == nil {
		return false
	}
	if e.context != nil {
		e.context(n, s, at, end)
		if e = (*n.entries.Load())[string(key[:end-at])]; e.literals == nil {
			return false
		}
	}
	return n.learned(s, e, at)
}

// learned searches for the learned names of an entry at a position.
func (n *Names) learned(s *scan, e *entry, at int) bool {
	for _, l := range e.literals {
		stop := at + len(l.text)
		if stop > len(s.text) || stop < len(s.text) && is(s.text[stop], alnum) && is(s.text[stop-1], alnum) || !hasFold(s.text[at:], l.text) {
			continue
		}
		s.name(at, stop, l.kind, l.with)
		return true
	}
	return false
}

// wordEnd returns the end of the letters and digits that begin at i.
func wordEnd(t []byte, i int) int {
	for i < len(t) && is(t[i], alnum) {
		i++
	}
	return i
}

// backslash skips backslashes and the letter that they escape. Two of them are either a separator
// of a path in JSON, after which a name may begin with that letter, or an escape in JSON within
// JSON.
func (n *Names) backslash(s *scan, i int) int {
	t := s.text
	from := i
	for i < len(t) && t[i] == '\\' {
		i++
	}
	if i == len(t) {
		return i
	}
	switch t[i] {
	case 'n', 'r', 't', 'b', 'f':
		if end := wordEnd(t, i); (i-from)%2 == 0 && n.begins(s, i, end) {
			return end
		}
		return i + 1
	case 'u':
		if i+5 <= len(t) && is(t[i+1], hexAny) && is(t[i+2], hexAny) && is(t[i+3], hexAny) && is(t[i+4], hexAny) {
			return i + 5
		}
	}
	return i
}

// afterEscape skips a JSON escape at the apparent beginning of a name.
func (s *scan) afterEscape(i, end int) int {
	t := s.text
	switch {
	case i == 0 || i >= end || t[i-1] != '\\':
		return i
	case t[i] == 'u' && i+5 <= end && is(t[i+1], hexAny) && is(t[i+2], hexAny) && is(t[i+3], hexAny) && is(t[i+4], hexAny):
		return i + 5
	case s.escapeLetter(i):
		return i + 1
	}
	return i
}

// escapeLetter reports whether the byte at i is the letter of an escape such as \n.
func (s *scan) escapeLetter(i int) bool {
	return i > 0 && i < len(s.text) && s.text[i-1] == '\\' && strings.IndexByte("nrtbf", s.text[i]) >= 0
}

// before returns the byte before i. It returns a space at the beginning of the text or of a
// line, also of a line in a quoted JSON string.
func (s *scan) before(i int) byte {
	switch {
	case i == 0:
		return ' '
	case s.escapeLetter(i - 1):
		return ' '
	}
	return s.text[i-1]
}

// after returns the byte at i, 0 at the end of the text.
func (s *scan) after(i int) byte {
	if i < len(s.text) {
		return s.text[i]
	}
	return 0
}

// address4 searches for an IPv4 address that begins with a word.
func (n *Names) address4(s *scan, at, end int) {
	t := s.text
	if end-at > 3 || end == len(t) || t[end] != '.' {
		return
	}
	stop, dots := at, 0
	for stop < len(t) && stop-at < 16 && (t[stop] >= '0' && t[stop] <= '9' || t[stop] == '.' && stop+1 < len(t) && t[stop+1] >= '0' && t[stop+1] <= '9') {
		if t[stop] == '.' {
			dots++
		}
		stop++
	}
	if dots != 3 || is(s.after(stop), word) {
		return
	}
	addr, err := netip.ParseAddr(string(t[at:stop]))
	if err != nil || !identifies(addr) || s.isVersion(at, stop, addr) {
		return
	}
	s.name(at, stop, Address, n.replacement("ip4", addr.String()))
}

// identifies reports whether an address may identify someone: not loopback, masks, networks, public
// resolvers or the replacements of Names.
func identifies(a netip.Addr) bool {
	b := a.As4()
	switch {
	case b[0] == 0 || b[0] == 127 || b[0] >= 224 || b[3] == 0 && b[0] != 10 || b[1]|b[2]|b[3] == 0:
		return false
	case b == [4]byte{b[0], b[0], b[0], b[0]} || b == [4]byte{8, 8, 4, 4} || b == [4]byte{1, 0, 0, 1}:
		return false
	case b[0] == 169 && b[1] == 254 || b[0] == 192 && b[1] == 0 && b[2] == 2 || b[0] == 198 && (b[1] == 18 || b[1] == 19):
		return false
	case b[0] == 172 && b[1] == 17 && b[2] == 0: // the default network of Docker
		return false
	}
	return true
}

// isVersion reports whether four numbers are more likely a version.
func (s *scan) isVersion(at, stop int, a netip.Addr) bool {
	t := s.text
	p := s.before(at)
	switch {
	case is(p, alnum) || p == '_' || p == '.' || p == '-' || p == '^' || p == '~' || p == '+':
		return true
	case p == '/': // Chrome/120.0.0.0, not http://
		return at > 1 && t[at-2] != '/'
	case s.after(stop) == '-' || s.after(stop) == '+' || s.after(stop) == '_':
		return true
	case s.follows(at, "==", "<=", ">=", "~=", "!=", "== ", "<= ", ">= ", "~= ", "!= ", "< ", "> ", "~ ", "! "):
		return true
	}
	line := bytes.ToLower(t[max(0, at-24):at])
	if bytes.Contains(line, []byte("version")) || bytes.Contains(line, []byte("release")) || bytes.HasSuffix(line, []byte("v ")) {
		return true
	}
	b := a.As4() // 1.2.3.4 is a section number, 10.2.3.4 a private address
	return b[0] != 10 && max(b[0], b[1], b[2], b[3]) < 32
}

// address6 searches for an IPv6 address.
func (n *Names) address6(s *scan, at int) {
	t := s.text
	if p := s.before(at); is(p, word) || p == ':' || p == '.' || p == '-' {
		return
	}
	stop, colons := at, 0
	for stop < len(t) && stop-at < 40 && (is(t[stop], hexAny) || t[stop] == ':') {
		if t[stop] == ':' {
			colons++
		}
		stop++
	}
	if colons < 2 || is(s.after(stop), word) {
		return
	}
	addr, err := netip.ParseAddr(strings.TrimRight(string(t[at:stop]), ":"))
	if err != nil || !addr.Is6() {
		return
	}
	b := addr.As16()
	if b[0]&0xe0 != 0x20 && b[0]&0xfe != 0xfc && (b[0] != 0xfe || b[1] < 0x80) || b[0] == 0x20 && b[1] == 1 && b[2] == 0x0d && b[3] == 0xb8 {
		return
	}
	if !bytes.ContainsAny(t[at:stop], "0123456789") {
		return
	}
	s.name(at, at+len(strings.TrimRight(string(t[at:stop]), ":")), Address, n.replacement("ip6", addr.String()))
}

// mail handles an @ at i of width bytes: an e-mail address, user@host or a remote.
func (n *Names) mail(s *scan, i, width int) {
	t := s.text
	at := i
	for at > 0 && i-at < 64 && (is(t[at-1], dotted) || t[at-1] == '+' || t[at-1] == '%' && width == 1) {
		at--
	}
	at = s.afterEscape(at, i)
	for at < i && !is(t[at], alnum) {
		at++
	}
	end := i + width
	for end < len(t) && end-i < 128 && (is(t[end], alnum) || (t[end] == '.' || t[end] == '-') && end+1 < len(t) && is(t[end+1], alnum)) {
		end++
	}
	local, domain := string(t[at:i]), string(t[i+width:end])
	switch {
	case local == "" || domain == "":
	case local == "git" && (s.after(end) == ':' || s.after(end) == '/'):
		n.remote(s, i+width, end)
	case s.inAuthority(at):
	case strings.IndexByte("([=", max(s.after(end), 1)) >= 0: // a method or decorator
	case isMail(local, domain):
		s.name(at, end, Mail, n.replacement("mail", local+"@"+domain))
		n.person(s, at, end)
	case !strings.Contains(domain, ".") && width == 1:
		n.login(s, at, i, end)
	}
}

// inAuthority reports whether a user and a host belong to an address with a password.
func (s *scan) inAuthority(at int) bool {
	t := s.text
	from := at
	for from > 0 && at-from < 80 && (is(t[from-1], auth) || t[from-1] == '/') {
		from--
	}
	i := bytes.Index(t[from:at], []byte("://"))
	return i >= 0 && bytes.IndexByte(t[from+i+3:at], '/') < 0
}

// isMail reports whether the two sides of an @ are a person's e-mail address.
func isMail(local, domain string) bool {
	dot := strings.LastIndexByte(domain, '.')
	if dot < 1 {
		return false
	}
	if end := domain[dot+1:]; strings.ToLower(end) != end && strings.ToUpper(end) != end {
		return false
	}
	local, domain = strings.ToLower(local), strings.ToLower(domain)
	end := domain[dot+1:]
	if !(len(end) == 2 && dot > 1 && (len(local) > 1 || dot > 4) || topDomains(end)) || fileEndings(end) || strings.Trim(end, "abcdefghijklmnopqrstuvwxyz") != "" {
		return false
	}
	if strings.Trim(local, "x.*_") == "" || strings.HasPrefix(local, "your") || strings.HasPrefix(local, "noreply") || strings.HasPrefix(local, "no-reply") || local == "git" {
		return false
	}
	name, _, _ := strings.Cut(local, "+")
	if domain == "example.com" && isStanding("mail", local) {
		return false
	}
	sample := sampleDomains(domain) || strings.HasPrefix(domain, "example.") || strings.HasSuffix(domain, ".example.com") || sampleDomains(end)
	return !sample || !(plainUsers(name) || sampleNames(name) || commonWords(name) || len(name) < 3)
}

// login finds user@host, in a prompt, command or key, if the host has no domain. If the host is
// uncertain, as in react@latest, it replaces neither.
func (n *Names) login(s *scan, at, i, end int) {
	t := s.text
	user, host := string(t[at:i]), string(t[i+1:end])
	next := s.after(end)
	then := s.after(end + 1)
	prompt := next == ':' && (then == '~' || then == '/') || next == ' ' && (then == '~' || then == '/') && s.before(at) == '[' ||
		(next == '$' || next == '#') && s.before(at) == ' ' && (distinct(host) || n.known(host) != "")
	known := strings.HasPrefix(strings.ToLower(n.known(user)), "user")
	if !prompt && !known && !s.commandBefore(at, "ssh ", "scp ", "sftp ", "rsync ", "mosh ", "ssh-copy-id ", "ssh-rsa ", "ssh-ed25519 ") || !isHost(host) {
		return
	}
	with := n.replacement("host", host)
	s.name(i+1, end, Host, with)
	if distinct(host) {
		n.learn(Host, host, with)
	}
	if isUser(user) && (prompt || known || !commonWords(strings.ToLower(user))) {
		with := n.replacement("user", user)
		s.name(at, i, User, with)
		n.learnUser(user, with)
	}
}

// known returns the replacement of a learned user, "" for others.
func (n *Names) known(user string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.substitutes["user "+strings.ToLower(composed(user))]
}

// commandBefore reports whether one of some words is before i in its line.
func (s *scan) commandBefore(i int, words ...string) bool {
	line := s.text[max(0, i-600):i]
	for _, end := range [...]string{"\n", `\n`} {
		if at := bytes.LastIndex(line, []byte(end)); at >= 0 {
			line = line[at+len(end):]
		}
	}
	return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(line, []byte(w)) })
}

// person searches for the name before an address in angle brackets: Anna Kern <anna@kern.example>.
func (n *Names) person(s *scan, at, end int) {
	t := s.text
	open := at - 1
	if open < 0 || t[open] != '<' || s.after(end) != '>' {
		return
	}
	stop, start := open, 0
	for stop > 0 && (t[stop-1] == ' ' || t[stop-1] == '"' || t[stop-1] == '\\') {
		stop--
	}
	from, words := stop, 0
	for words < 4 {
		word := from
		for word > 0 && (is(t[word-1], dotted) || t[word-1] == '\'' || t[word-1] >= 0x80) {
			word--
		}
		word = s.afterEscape(word, from)
		if word >= from || !(t[word] >= 'A' && t[word] <= 'Z' || t[word] >= 0x80) {
			break
		}
		words, start = words+1, word
		if word == 0 || t[word-1] != ' ' {
			break
		}
		from = word - 1
	}
	full := string(t[start:stop])
	if first, _ := utf8.DecodeRuneInString(full); words == 0 || words < 2 && !spaceless(first) || !longEnough(full) {
		return
	}
	with := n.replacement("user", full)
	s.name(start, stop, User, with)
	n.learn(User, full, with)
}
