package redact

import (
	"bytes"
	"encoding/base64"
)

// Matchers of tokens that are recognised by a part other than their beginning, and parsers of tags
// with any escaping.

// azureMark is a text that Azure puts into its keys at a fixed place, and the length of such keys.
// Source: Microsoft's security-utilities, "Identifiable Secrets".
type azureMark struct {
	mark         string
	before, size int
}

var azureKeys = []azureMark{
	{"JQQJ99", 52, 84},                                   // Azure OpenAI, Cognitive Services and others since 2024
	{"+ASt", 76, 88}, {"ACDb", 76, 88}, {"+ABa", 76, 88}, // storage, Cosmos DB, Batch
	{"AzSe", 42, 52}, {"+ACR", 42, 52}, // search, container registries
	{"AzFu", 44, 56},                                     // functions
	{"AzCa", 33, 44}, {"AzEG", 33, 44}, {"+AEh", 33, 44}, // Redis, Event Grid, Event Hubs
	{"+ASb", 33, 44}, {"+ARm", 33, 44}, {"AIoT", 33, 44}, {"+AMC", 33, 44}, // Service Bus, Relay, IoT, machine learning
}

func azureMarks() []string {
	var all []string
	for _, k := range azureKeys {
		all = append(all, k.mark)
	}
	return all
}

// matchAzureMark reports the key around Azure's mark.
func matchAzureMark(s *scan, at int, a *anchor) {
	for _, k := range azureKeys {
		start, end := at-k.before, at-k.before+k.size
		if k.mark != a.lit || start < 0 || end > len(s.text) || !s.boundary(start) || end < len(s.text) && is(s.text[end], base64c) {
			continue
		}
		if s.run(base64c, start) >= end && random(s.text[start:end]) {
			s.hit(start, end, a)
		}
	}
}

// matchAirtable reports pat, 14 letters and digits, a dot and 64 hexadecimal digits.
func matchAirtable(s *scan, at int, a *anchor) {
	const dot, size = 17, 17 + 1 + 64
	if at+size > len(s.text) || s.text[at+dot] != '.' || !s.boundary(at) {
		return
	}
	if s.run(alnum, at) == at+dot && s.run(hexLow, at+dot+1) == at+size && random(s.text[at+dot+1:at+size]) {
		s.hit(at, at+size, a)
	}
}

// snowflake reports whether text is the base64 of one of Discord's ids: 17 to 19 digits.
func snowflake(text []byte) bool {
	id, err := base64.RawURLEncoding.AppendDecode(nil, text)
	return err == nil && len(id) >= 17 && len(id) <= 20 && len(bytes.Trim(id, "0123456789")) == 0
}

// matchDSN reports the password of user:password@tcp(host), the notation of Go drivers.
func matchDSN(s *scan, at int, a *anchor) {
	start := at
	for start > 0 && at-start < 256 && is(s.text[start-1], auth) {
		start--
	}
	user, v, ok := bytes.Cut(s.text[start:at], []byte(":"))
	if ok && len(user) > 0 && len(v) >= 3 && !placeholder(v) && !dull(v) {
		s.hit(at-len(v), at, a)
	}
}

// tagSign returns the length of the < or > at i, which JSON or HTML may escape; 0 for other text.
func (s *scan) tagSign(i int, sign byte) int {
	if i >= len(s.text) {
		return 0
	}
	t := s.text[i:min(len(s.text), i+24)]
	if t[0] == sign {
		return 1
	}
	entity, code := "&lt;", "u003c"
	if sign == '>' {
		entity, code = "&gt;", "u003e"
	}
	if t[0] == '&' && hasFold(t, entity) {
		return len(entity)
	}
	n := 0
	for n < len(t) && t[n] == '\\' {
		n++
	}
	if n > 0 && hasFold(t[n:], code) {
		return n + len(code)
	}
	return 0
}

// opensTag reports whether < precedes i, possibly escaped by JSON or HTML.
func (s *scan) opensTag(i int) bool {
	t := s.text[:i]
	if i == 0 {
		return false
	}
	if t[i-1] == '<' || bytes.HasSuffix(t, []byte("&lt;")) {
		return true
	}
	return i > 5 && t[i-6] == '\\' && hasFold(t[i-5:], "u003c")
}

// tag returns the length of the tag with a name at i; 0 for other text.
func (s *scan) tag(i int, name string) int {
	open := s.tagSign(i, '<')
	if open == 0 || !hasFold(s.text[i+open:], name) {
		return 0
	}
	end := s.tagSign(i+open+len(name), '>')
	if end == 0 {
		return 0
	}
	return open + len(name) + end
}

// escapeLetters returns the number of bytes at the beginning of a name that belong to an escape
// before it: the letter of \n, or u003c.
func (s *scan) escapeLetters(begin, at int) int {
	if begin == 0 || s.text[begin-1] != '\\' {
		return 0
	}
	if at-begin >= 5 && s.text[begin] == 'u' && hasFold(s.text[begin+1:], "00") {
		return 5
	}
	if at > begin && bytes.IndexByte([]byte("nrt"), s.text[begin]) >= 0 {
		return 1
	}
	return 0
}
