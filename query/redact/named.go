package redact

import (
	"bytes"
	"slices"
)

// matchNamed reports values whose name marks them as secret: JSON members, assignments, YAML,
// environment, headers, flags, XML.
func matchNamed(s *scan, at int, a *anchor) {
	end, ok := s.nameEnd(at + len(a.lit))
	if !ok {
		return
	}
	begin := at
	for begin > 0 && at-begin < 64 && is(s.text[begin-1], dash) {
		begin--
	}
	begin += s.escapeLetters(begin, at)
	n := name{text: s.text[begin:end], password: isPassword(a.lit)}
	if slices.Contains(harmless, lastWord(s.text[begin:at])) || workingDir(n.text) && (begin == 0 || s.text[begin-1] != ';') {
		return
	}
	s.column(begin, end, a)
	start, stop, ok := s.value(begin, end, &n)
	if ok && n.holds(s.text[start:stop]) {
		s.hit(start, stop, a)
	}
}

// harmless are words before a secret's name that make it harmless: tokens that are positions in a
// list or words of a model's vocabulary, and requests for passwords or secrets.
var harmless = []string{"next", "prev", "page", "cursor", "continuation", "eos", "bos", "pad", "unk", "sep", "cls", "mask", "stop", "image", "has", "is", "no", "use", "show", "hide", "forgot", "reset", "confirm"}

// lastWord returns the last word of a name, in lower case: page for next_page_ and nextPage.
func lastWord(name []byte) string {
	name = bytes.TrimRight(name, "_-")
	i := len(name)
	for i > 0 && isLetter(name[i-1]) {
		i--
		if i+1 < len(name) && name[i] < 'a' && name[i+1] >= 'a' {
			break
		}
	}
	return string(bytes.ToLower(name[i:]))
}

// workingDir reports whether a name is that of a shell's current folder.
func workingDir(name []byte) bool { return string(name) == "PWD" || string(name) == "OLDPWD" }

func isPassword(lit string) bool {
	return slices.Contains(passwordNames, lit)
}

// name is the name of a value.
type name struct {
	text     []byte
	password bool // weak values count too
	quoted   bool // the name is quoted
	env      bool // NAME=value or NAME: value
	tight    bool // no space around the =, as in forms and on command lines
	yaml     bool // it begins its line and has a colon
	line     bool // the value ends its line
	value    bool // the value is quoted
}

// nameEnd returns the end of a name with a secret word that ends at i, and whether the name still
// denotes a secret: tokens and password_reset do not.
func (s *scan) nameEnd(i int) (int, bool) {
	var rest [16]byte
	end, n := i, 0 // n is the length of the rest without trailing digits
	for end < len(s.text) && end-i < len(rest) && is(s.text[end], dash) {
		rest[end-i] = lower(s.text[end])
		if end++; s.text[end-1] < '0' || s.text[end-1] > '9' {
			n = end - i
		}
	}
	switch string(rest[:n]) {
	case "", "_key", "key", "-key", "_key_base", "_base", "_value", "value", "_b", "_string", "_data", "-data", "_":
		return end, true
	case "-": // --token-
		return i, true
	}
	return i, false
}

// value returns the value of the name text[begin:end].
func (s *scan) value(begin, end int, n *name) (start, stop int, ok bool) {
	t := s.text
	i := end
	level := 0
	for i < len(t) && t[i] == '\\' && level < 16 {
		i, level = i+1, level+1
	}
	if i < len(t) && quote(t[i]) {
		n.quoted = true
		i++
		if i < len(t) && t[i] == ']' {
			n.quoted = false // settings["password"] = is not a member of an object
			i++
		}
	} else if i = end; s.opensTag(begin) && s.tagSign(i, '>') > 0 {
		n.value = true
		return s.element(i + s.tagSign(i, '>'))
	}
	bold := !n.quoted && s.follows(begin, "**")
	if bold && bytes.HasPrefix(t[i:], []byte("**")) { // **API_KEY**: …
		i += len("**")
	}
	i = s.blank(i)
	if i == len(t) {
		return 0, 0, false
	}
	if start, stop, ok = s.placed(begin, end, i, n); ok {
		return start, stop, ok
	}
	switch {
	case t[i] == ',' && n.quoted: // {"name": "API_KEY", "value": "…"}, setenv("API_KEY", "…")
		if j := s.valueMember(i); j >= 0 {
			i = j
		} else if j := s.secondArgument(begin, i); j >= 0 {
			i = j
		} else if i = s.nextElement(begin, i); i < 0 {
			return 0, 0, false
		}
	case t[i] == ':' || t[i] == '=':
		n.tight = t[i] == '=' && i == end
		n.env = kindsOf(n.text).lower == 0 && (n.tight || t[i] == ':' && n.password)
		n.yaml = t[i] == ':' && i == end && s.beginsLine(begin)
		i = s.separator(i)
	case s.assigns(i):
		for t[i] != '=' {
			i++
		}
		i++
	case t[i] == '(' && i == end && setter(n.text): // setPassword("…")
		return s.quotedOnly(i+1, n)
	case n.quoted && hasFold(t[i:], "value"): // <add key="password" value="…"/>
		if i += len("value"); i == len(t) || t[i] != '=' {
			return 0, 0, false
		}
		return s.quotedOnly(i+1, n)
	case i > end && !n.quoted && t[begin] == '-':
		// --name value
	case i > end && !n.quoted && s.follows(begin, "ENV ", "set -x ", "set -gx ", "setx "):
		// in a Dockerfile, fish, Windows
		n.env, n.tight = true, true
	case i > end && !n.quoted:
		if i = s.typed(i); i < 0 { // var apiKey string = "…"
			return 0, 0, false
		}
		return s.quotedOnly(i, n)
	default:
		return 0, 0, false
	}
	if bold && bytes.HasPrefix(t[i:], []byte("**")) { // **API_KEY:** …
		i += len("**")
	}
	if i = s.blank(i); n.quoted && i < len(t) && t[i] == '[' { // a list of values
		i = s.white(i + 1)
	}
	return s.valueAt(i, n)
}

func (s *scan) blank(i int) int {
	for j := 0; j < 8 && i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '\t'); j++ {
		i++
	}
	return i
}

// separator skips : = := =>, and == and ===, because a comparison with a secret also reveals it. It
// skips the type in "name: str = ".
func (s *scan) separator(i int) int {
	t := s.text
	j := i
	for j < len(t) && j-i < 4 && (t[j] == '=' || t[j] == ':' || t[j] == '>') {
		j++
	}
	if t[i] != ':' || j != i+1 {
		return j
	}
	k := s.blank(j)
	e := k
	for e < len(t) && e-k < 40 && (is(t[e], dotted) || t[e] == '[' || t[e] == ']' || t[e] == '|' || t[e] == '?' || t[e] == ' ' && e > k) {
		e++
	}
	if e > k && e < len(t) && t[e] == '=' && t[e-1] == ' ' && e+1 < len(t) && t[e+1] == ' ' {
		return e + 1
	}
	return j
}

// valueMember returns the start of the value of "value": in the same object, or -1. i is the comma
// after the name's quote.
func (s *scan) valueMember(i int) int {
	t := s.text
	j := i + 1
	for j < len(t) && j-i < 60 && (t[j] == ' ' || t[j] == '\n' || t[j] == '\t' || t[j] == '\\' || quote(t[j])) {
		j++
		if t[j-1] == '\\' && j < len(t) && t[j] == 'n' {
			j++
		}
	}
	if !bytes.HasPrefix(t[j:], []byte("value")) {
		return -1
	}
	j += len("value")
	for j < len(t) && (t[j] == '\\' || quote(t[j])) && j-i < 80 {
		j++
	}
	if j = s.blank(j); j == len(t) || t[j] != ':' {
		return -1
	}
	return j + 1
}

// maxValue bounds the search for a closing quote, maxBare a value without one.
const maxValue, maxBare = 16 << 10, 4 << 10

// valueAt returns the value that begins at i, quoted or not.
func (s *scan) valueAt(i int, n *name) (start, stop int, ok bool) {
	t := s.text
	j, level := i, 0
	for j < len(t) && t[j] == '\\' && level < 16 {
		j, level = j+1, level+1
	}
	// b"…", r'…', f"…" and similar
	if j == i && j+1 < len(t) && bytes.IndexByte([]byte("bBrRuUfF"), t[j]) >= 0 && quote(t[j+1]) {
		j++
	}
	if j < len(t) && quote(t[j]) {
		n.value = true
		return s.quotedFrom(j+1, t[j], level)
	}
	if n.quoted || level > 0 {
		return 0, 0, false // a number or a name; JSON must remain valid
	}
	if n.env && n.password {
		// A value in a shell or YAML: anything up to white space.
		stop = i + len(unmarked(t[i:min(s.run(shell, i), i+maxBare+1)]))
		return i, stop, stop-i < maxBare
	}
	stop = i + len(unmarked(t[i:min(s.run(bare, i), i+maxBare+1)]))
	if stop-i > maxBare || stop < len(t) && (t[stop] == '(' || t[stop] == '[' || t[stop] == '{' || t[stop] == '<' && !bytes.HasPrefix(t[stop:], []byte("</"))) {
		return 0, 0, false // a call, an index, a type
	}
	n.line = stop == len(t) || t[stop] == '\n' || t[stop] == '\r' || bytes.HasPrefix(t[stop:], []byte(`\n`)) || bytes.HasPrefix(t[stop:], []byte(` #`))
	v := bytes.TrimRight(t[i:stop], ".:?!&")
	if k := bytes.IndexByte(v, '&'); k >= 0 && !n.password {
		v = v[:k] // the next parameter of a form
	}
	return i, i + len(v), true
}

// quotedFrom returns the text up to the closing quote of a quote written after level backslashes.
// Level or fewer backslashes close it, and so does an even number, which leaves the quote
// unescaped. The value also ends at the end of a JSON string around it, whatever its own quotes
// are.
func (s *scan) quotedFrom(i int, q byte, level int) (start, stop int, ok bool) {
	if level&(level+1) != 0 {
		return 0, 0, false // JSON in JSON in JSON escapes with 1, 3, 7; others end a string
	}
	slashes := 0
	for j := i; j < len(s.text) && j-i < maxValue; j++ {
		switch b := s.text[j]; {
		case b == '\\':
			slashes++
			continue
		case b == '\n':
			return 0, 0, false
		case b == q && slashes <= level:
			return i, j - slashes, true
		case b == q && slashes%2 == 0 && level == 0:
			return i, j, true
		case (b == q || b == '"' && s.endsString(j+1)) && slashes%2 == 0:
			return i, j - slashes, true
		}
		slashes = 0
	}
	return 0, 0, false
}

// endsString reports whether a quote before i would end a JSON string.
func (s *scan) endsString(i int) bool {
	for i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '\t' || s.text[i] == '\n' || s.text[i] == '\r') {
		i++
	}
	return i == len(s.text) || bytes.IndexByte([]byte(",:]}"), s.text[i]) >= 0
}

// holds reports whether the value is a secret, not a description, a type, a reference or an
// example.
func (n *name) holds(v []byte) bool {
	if len(v) < 4 || bytes.HasPrefix(v, []byte(marker)) || placeholder(v) || dull(v) {
		return false
	}
	for i := 0; n.value && i+1 < len(v); i++ {
		if v[i] <= ' ' || v[i] == '\\' && (v[i+1] == 'n' || v[i+1] == 't') {
			return false // a sentence
		}
	}
	if n.value && bytes.IndexByte([]byte(",:]}"), v[0]) >= 0 {
		return false // text after a string whose last quote was mistaken for an opening one
	}
	k := kindsOf(v)
	letters := k.upper + k.lower
	path := v[0] == '/' || v[0] == '.' || v[0] == '~' || bytes.Contains(v, []byte("://"))
	if path && len(v) != 40 {
		return false
	}
	if letters == 0 && bytes.IndexByte(v, '.') >= 0 {
		return false // a version, an object identifier
	}
	if n.password {
		return n.holdsPassword(v, k)
	}
	if len(v) < 8 || letters == 0 {
		return n.value && k.other == 0 && len(v) >= 24 && entropy(v) >= 2.8 // digits only
	}
	e := entropy(v)
	if bare := !n.value && !n.env; bare && digitRuns(v) < 3 && e < 4 && (!n.tight || e < 3.3) {
		return false // testRSA2048Key is a variable
	}
	// Identifiers are words joined by - and _ with few digits between them.
	switch {
	case e < 2.5:
		return false
	case k.digit >= 4 && e >= 3:
		return n.value || n.env || k.other*6 < len(v)
	case k.digit >= 2 && k.other <= 1 && len(v) >= 10:
		return true
	case n.value && k.digit >= 1 && k.other == 0 && len(v) >= 8:
		return true
	case k.upper >= 3 && k.lower >= 3 && k.digit >= 1 && len(v) >= 16:
		return n.value || n.env || n.tight || e >= 4.2
	}
	return false
}

func (n *name) holdsPassword(v []byte, k kinds) bool {
	letters := k.upper + k.lower
	switch {
	case n.env:
		return true
	case n.value && letters == len(v):
		return k.upper == 0 && len(v) >= 6 || k.upper > 1 && k.lower > 1 && len(v) >= 10 && entropy(v) > 3
	case n.value:
		return identifierish(v) < 2
	case n.yaml && n.line && letters == len(v):
		return k.upper == 0 && len(v) >= 6 || k.lower > 0 && len(v) >= 10
	}
	// Without quotes it may be code: password = form.password, password: args[1]
	return k.digit > 0 && letters > 0 && len(v) >= 6 && identifierish(v) == 0
}

// digitRuns counts the runs of digits.
func digitRuns(v []byte) int {
	n, in := 0, false
	for _, b := range v[:min(len(v), sample)] {
		digit := b >= '0' && b <= '9'
		if digit && !in {
			n++
		}
		in = digit
	}
	return n
}

// identifierish counts the places where words are joined, as in user.password or
// reset_password_token.
func identifierish(v []byte) int {
	n := 0
	for i := 1; i+1 < len(v); i++ {
		if (v[i] == '.' || v[i] == '_' || v[i] == '-' || v[i] == ':' || v[i] == '/') && isLetter(v[i-1]) && isLetter(v[i+1]) {
			n++
		}
	}
	return n
}

func isLetter(b byte) bool { b = lower(b); return b >= 'a' && b <= 'z' }

// dull reports whether a value is a word that documentation, schemas and forms use in place of a
// secret.
func dull(v []byte) bool {
	if len(v) > 24 {
		return false
	}
	switch string(bytes.ToLower(bytes.Trim(v, ":;,.!?*_-"))) {
	case "", "string", "str", "text", "password", "passwd", "pass", "pwd", "pw", "secret", "token", "key", "apikey", "api_key", "api-key",
		"null", "none", "nil", "undefined", "true", "false", "required", "optional", "object", "number", "boolean", "integer", "bytes",
		"any", "unknown", "empty", "value", "changeme", "change_me", "change-me", "changeit", "todo", "tbd", "fixme", "invalid", "incorrect",
		"wrong", "missing", "hidden", "masked", "redacted", "removed", "filtered", "n/a", "default", "disabled", "enabled", "prompt", "env",
		"credentials", "credential", "bearer", "basic", "sensitive", "username", "user", "login", "email", "private", "public", "confirm", "self", "this", "varchar", "char", "binary", "file", "const", "static", "return", "input", "hash", "hashed", "plain", "plaintext", "encrypted", "forgot", "reset":
		return true
	}
	return false
}

// placeholder reports whether a value only represents a secret: masked, templated, from the
// environment, or marked as an example.
func placeholder(v []byte) bool {
	first := v[0]
	last := v[len(v)-1]
	switch {
	case first == '<' && last == '>', first == '[' && last == ']', first == '{' && last == '}', first == '%' && last == '%', first == '(':
		return true
	case first == '$' && len(v) > 1 && (isLetter(v[1]) || v[1] == '_' || v[1] == '{' || v[1] == '('):
		return true
	}
	if repeats(v) {
		return true
	}
	return placeholders.in(v)
}

var placeholders = newWordSet(
	"...", "…", "****", "••", "xxxx", "${", "$(", "{{", "#{", "%s", "{}", "%(", "<%", "[redacted:", "<redacted", "redacted>",
	"your_", "your-", "your ", "yourpass", "yourkey", "yourtoken", "yoursecret", "my_api", "my-api", "myapi", "my_secret", "my-secret", "mysecret", "my_token", "my-token",
	"example", "placeholder", "changeme", "change-me", "change_me", "replace", "insert", "dummy", "not-needed", "not_needed", "notneeded",
	"os.environ", "os.getenv", "process.env", "import.meta", "getenv", "env[", "env.", "env(", "environ[", "secrets.", "vault:", "config.", "settings.", "self.", "this.",
	"_here", "-here", "api_key", "api-key", "password_", "_password", "fake", "mock",
)

// repeats reports whether a value is one repeated byte, like a mask.
func repeats(v []byte) bool {
	return !slices.ContainsFunc(v, func(b byte) bool { return b != v[0] })
}

// matchSecretStr reports the text in pydantic's SecretStr('…'). Its own output masks it with
// asterisks.
func matchSecretStr(s *scan, at int, a *anchor) {
	i := at + len(a.lit)
	level := 0
	if i < len(s.text) && s.text[i] == 'b' {
		i++
	}
	for i < len(s.text) && s.text[i] == '\\' && level < 16 {
		i, level = i+1, level+1
	}
	if i == len(s.text) || !quote(s.text[i]) {
		return
	}
	start, stop, ok := s.quotedFrom(i+1, s.text[i], level)
	if ok && stop > start && !placeholder(s.text[start:stop]) {
		s.hit(start, stop, a)
	}
}
