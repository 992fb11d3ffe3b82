package web

import (
	"net/url"
	"strings"
)

// withheld replaces the hidden parts of an address.
const withheld = "xxxxx"

// Shown returns an argument for titles, screens, files and the clipboard: an address without its
// credentials, and any other argument unchanged.
func Shown(arg string) string {
	scheme, _, ok := strings.Cut(arg, "://")
	if !ok || scheme == "" || strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" {
		return arg
	}
	if scheme == "s3" || scheme == "gs" { // here a key is the name of an object
		if bucket, _, _ := strings.Cut(arg[len(scheme)+3:], "/"); strings.ContainsAny(bucket, ":@") {
			return scheme + "://" + withheld
		}
		return arg
	}
	u, err := url.Parse(arg)
	if err != nil { // opening also fails
		return scheme + "://" + withheld
	}
	if u.User != nil {
		u.User = url.User(withheld)
	}
	u.RawQuery = shownQuery(u.RawQuery)
	if u.Fragment != "" {
		u.Fragment, u.RawFragment = shownQuery(u.Fragment), ""
	}
	return u.String()
}

// shownQuery returns a query with likely credentials hidden.
func shownQuery(query string) string {
	parts := strings.Split(query, "&")
	for i, part := range parts {
		name, value, ok := strings.Cut(part, "=")
		if ok && value != "" && (secretName(name) || len(value) >= 20) || !ok && len(part) >= 20 {
			parts[i] = name + "=" + withheld
			if !ok {
				parts[i] = withheld
			}
		}
	}
	return strings.Join(parts, "&")
}

// secretName reports whether a parameter of that name is likely a credential.
func secretName(name string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	name = strings.ToLower(name)
	for _, word := range [...]string{"key", "token", "secret", "pass", "pwd", "auth", "sig", "cred", "code", "jwt", "session", "user", "login"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
