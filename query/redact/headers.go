package redact

import (
	"bytes"
	"encoding/base64"
	"slices"
)

// Matchers of credentials in headers, addresses and configuration, recognised by the text around
// them.

// matchParameter reports a parameter of an address whose name is not sufficient evidence.
func matchParameter(s *scan, at int, a *anchor) {
	start := at + len(a.lit)
	end := s.runPercent(start)
	v := s.text[start:end]
	weak := bytes.HasSuffix([]byte(a.lit), []byte("pass="))
	switch k := kindsOf(v); {
	case len(v) == 0 || placeholder(v) || dull(v):
	case weak && len(v) >= 6 && k.digit > 0 && k.lower+k.upper > 0, len(v) >= 16 && k.digit >= 2 && random(v) && identifierish(v) < 2:
		s.hit(start, end, a)
	}
}

// cookieAttributes control how a cookie is stored and contain no secret.
var cookieAttributes = []string{"expires", "path", "domain", "max-age", "samesite", "priority", "version"}

// maxCookie is larger than any cookie that browsers send.
const maxCookie = 8 << 10

// matchCookie reports the values of the cookies in a header that look generated.
func matchCookie(s *scan, at int, a *anchor) {
	t := s.text
	i := at + len(a.lit)
	for from := i; i < len(t) && i-from < 12 && (t[i] == ' ' || t[i] == ':' || t[i] == '\\' || t[i] == '=' || quote(t[i])); {
		i++
	}
	limit := min(len(t), at+maxCookie)
	for {
		name := i
		for i < limit && (is(t[i], dotted) || t[i] == '%') {
			i++
		}
		if i == name || i == limit || t[i] != '=' {
			return
		}
		value := i + 1
		for i = value; i < limit && t[i] > ' ' && t[i] != ';' && t[i] != ',' && t[i] != '\\' && !quote(t[i]); {
			i++
		}
		if v := t[value:i]; len(v) >= 16 && kindsOf(v).digit >= 2 && !equalsAny(t[name:value-1], cookieAttributes) && !placeholder(v) && random(v) {
			s.hit(value, i, a)
		}
		for i < limit && (t[i] == ';' || t[i] == ' ') {
			i++
		}
	}
}

func equalsAny(v []byte, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return bytes.EqualFold(v, []byte(w)) })
}

// matchAuth reports the value of "auth" in Docker's configuration: user and password in base64.
func matchAuth(s *scan, at int, a *anchor) {
	t := s.text
	i := at + len(a.lit)
	for from := i; i < len(t) && i-from < 24 && (t[i] == ' ' || t[i] == ':' || t[i] == '=' || t[i] == '\\' || t[i] == '"'); {
		i++
	}
	end := s.run(base64c, i)
	if login(bytes.TrimRight(t[i:end], "=")) {
		s.hit(i, end, a)
	}
}

// login reports whether text is a user, a colon and a password in base64.
func login(v []byte) bool {
	if len(v) < 8 || len(v) > 1024 {
		return false
	}
	plain, err := base64.RawStdEncoding.DecodeString(string(v))
	user, password, ok := bytes.Cut(plain, []byte(":"))
	if err != nil || !ok || len(user)+len(password) == 0 {
		return false
	}
	return !slices.ContainsFunc(user, func(b byte) bool { return b < 0x20 || b > 0x7e })
}

// maxManifest is the distance from the kind of a Kubernetes secret within which its data is
// searched.
const maxManifest = 2 << 10

// matchKubernetes reports the base64 values under data: of a secret, before or after its kind.
func matchKubernetes(s *scan, at int, a *anchor) {
	t := s.text[max(0, at-maxManifest):min(len(s.text), at+maxManifest)]
	base := max(0, at-maxManifest)
	if i := bytes.LastIndex(t[:at-base], []byte("---")); i >= 0 { // another manifest
		t, base = t[i:], base+i
	}
	here := at - base
	if i := bytes.Index(t[here:], []byte("\n---")); i >= 0 {
		t = t[:here+i]
	}
	i := -1
	for _, mark := range [...]string{"\ndata:", "\n data:", "ndata:", `"data":`, `"data\":`, "stringData:"} {
		if i = bytes.Index(t, []byte(mark)); i >= 0 {
			i += len(mark)
			break
		}
	}
	for ; i >= 0 && i < len(t); i++ {
		if t[i] != ':' {
			continue
		}
		v := i + 1
		for v < len(t) && (t[v] == ' ' || t[v] == '\\' || quote(t[v])) {
			v++
		}
		end := v
		for end < len(t) && is(t[end], base64c) {
			end++
		}
		if end-v >= 8 && (end == len(t) || bytes.IndexByte([]byte(" \n\r\"'\\,}"), t[end]) >= 0) && (end-v)%4 == 0 {
			if _, err := base64.StdEncoding.DecodeString(string(t[v:end])); err == nil {
				s.hit(base+v, base+end, a)
			}
		}
		i = max(i, end-1)
	}
}

// matchMailchimp reports 32 hexadecimal digits before the number of a data centre.
func matchMailchimp(s *scan, at int, a *anchor) {
	start := at - 32
	if start < 0 || !s.boundary(start) {
		return
	}
	for _, b := range s.text[start:at] {
		if !is(b, hexLow) {
			return
		}
	}
	end := at + len(a.lit)
	for end < len(s.text) && end-at < 6 && s.text[end] >= '0' && s.text[end] <= '9' {
		end++
	}
	if (end == len(s.text) || !is(s.text[end], word)) && random(s.text[start:at]) {
		s.hit(start, end, a)
	}
}

// matchJWT64 reports a JSON Web Token encoded in base64 again.
func matchJWT64(s *scan, at int, a *anchor) {
	end := s.run(base64c, at)
	if end-at < 80 || !s.boundary(at) {
		return
	}
	head := s.text[at:min(end, at+2048)]
	plain := make([]byte, len(head))
	n, _ := base64.StdEncoding.Decode(plain, head[:len(head)&^3])
	plain = plain[:n]
	first := 0
	for first < len(plain) && is(plain[first], dash) {
		first++
	}
	if first >= 12 && bytes.HasPrefix(plain[first:], []byte(".eyJ")) {
		s.hit(at, end, a)
	}
}
