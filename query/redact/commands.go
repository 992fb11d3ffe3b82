package redact

import (
	"bytes"
	"maps"
	"slices"
)

// Matchers of passwords in commands and their files, after an option instead of a name.

// reach is the distance after a command's name within which its options are searched.
const reach = 400

// option is an option after which a command accepts a password.
type option struct {
	name string
	user bool // a user and a colon precede the password
	glue bool // the password may follow directly
	only bool // and must
	pair bool // a name and = precede the value
}

// commands maps the commands with such options to them.
var commands = map[string][]option{
	"curl ":          {{name: "-u", user: true, glue: true}, {name: "--user", user: true}, {name: "-U", user: true, glue: true}, {name: "--proxy-user", user: true}, {name: "-b", pair: true}},
	"sshpass ":       {{name: "-p", glue: true}},
	"docker login":   {{name: "-p", glue: true}, {name: "--password"}},
	"podman login":   {{name: "-p", glue: true}, {name: "--password"}},
	"registry login": {{name: "-p", glue: true}, {name: "--password"}},
	"mysql":          {{name: "-p", glue: true, only: true}, {name: "--password"}},
	"mariadb":        {{name: "-p", glue: true, only: true}, {name: "--password"}},
	"redis-cli ":     {{name: "-a"}, {name: "--pass"}},
	"mongo":          {{name: "-p"}, {name: "--password"}},
	"sqlcmd ":        {{name: "-P", glue: true}},
	"ldapsearch ":    {{name: "-w", glue: true}},
	"oc login ":      {{name: "-p"}, {name: "--password"}},
	"az login ":      {{name: "-p"}, {name: "--password"}},
	"twine upload ":  {{name: "-p"}, {name: "--password"}},
	"wget ":          {{name: "--password"}, {name: "--http-password"}, {name: "--ftp-password"}},
	"http ":          {{name: "-a", user: true}, {name: "--auth", user: true}},
	"openssl ":       {{name: "pass:", glue: true, only: true}},
	"smbclient ":     {{name: "-U", user: true}},
}

func commandNames() []string { return slices.Sorted(maps.Keys(commands)) }

// matchCommand searches the words of a command for the options of its name.
func matchCommand(s *scan, at int, a *anchor) {
	if !s.boundary(at) {
		return
	}
	options := commands[a.lit]
	limit := min(len(s.text), at+reach)
	for i := at + len(a.lit) - 1; i < limit; i++ {
		switch c := s.text[i]; {
		case c == '\n' && s.text[i-1] != '\\', c == '|', c == ';', c == '&' && s.text[i-1] == ' ':
			return
		case c != ' ':
			continue
		}
		for j := range options {
			if end := options[j].take(s, i+1, a); end > 0 {
				i = end - 1
				break
			}
		}
	}
}

// take reports the password of the option at i, and returns its end; 0 if the option is not there.
func (o *option) take(s *scan, i int, a *anchor) int {
	t := s.text
	if i+len(o.name) >= len(t) || string(t[i:i+len(o.name)]) != o.name {
		return 0
	}
	i += len(o.name)
	switch spaced := t[i] == ' ' || t[i] == '=' && o.name[1] == '-'; {
	case spaced && !o.only:
		i++
	case !o.glue, spaced:
		return 0
	}
	start, end := s.argument(i)
	if bytes.HasPrefix(t[start:end], []byte(marker)) {
		return end
	}
	if o.pair {
		v := t[start:end]
		if i := bytes.IndexByte(v, '='); i > 0 && kindsOf(v[i+1:]).digit > 1 && len(v)-i > 16 && random(v[i+1:]) {
			s.hit(start+i+1, end, a)
		}
		return end
	}
	if !o.user {
		s.password(start, end, a)
		return end
	}
	for j := start; j < end; j++ {
		if t[j] != ':' && (t[j] != '%' || o.name != "-U") {
			continue
		}
		if j+1 == end && end < len(t) && quote(t[end]) && !quote(t[start-1]) { // user:'password'
			start, end = s.argument(end)
			s.password(start, end, a)
		} else if v := t[start:j]; j+1 == end && len(v) >= 10 && kindsOf(v).digit >= 2 && !placeholder(v) {
			// a token without a password
			s.hit(start, j, a)
		} else {
			s.password(j+1, end, a)
		}
		return end
	}
	// "user":"password": each part ends at its quote.
	for j := end; j < len(t) && j-end < 4; j++ {
		if t[j] == ':' {
			start, end = s.argument(j + 1)
			s.password(start, end, a)
			return end
		}
	}
	return end
}

// matchNetrc reports the password of machine HOST login USER password PASSWORD.
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

// argument returns the word of a command that begins at i, without its quotes, even if they are
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

// word returns the end of the run at i without white space, quotes and escapes.
func (s *scan) word(i int) int {
	end := i
	for end < len(s.text) && end-i <= 256 && s.text[end] > ' ' && s.text[end] != '\\' && !quote(s.text[end]) {
		end++
	}
	return end
}

// password reports text[start:end], unless it is a placeholder.
func (s *scan) password(start, end int, a *anchor) {
	v := bytes.TrimRight(s.text[start:end], ":")
	if end = start + len(v); len(v) >= 3 && len(v) < 256 && !placeholder(v) && !dull(v) && !port(v) && v[0] != '/' {
		s.hit(start, end, a)
	}
}

// port reports whether a word is a port mapping such as 8080:80, the value of -p in docker run.
func port(v []byte) bool {
	return bytes.IndexByte(v, ':') > 0 && len(bytes.Trim(v, "0123456789:.")) == 0
}
