package web

import (
	"strings"
	"testing"
)

// TestShownQuery: the values of parameters that are named like credentials, and values of twenty
// bytes or more, are hidden; empty values and short ones of other names are shown.
func TestShownQuery(t *testing.T) {
	const long = "aaaaaaaaaaaaaaaaaaaa"
	for query, want := range map[string]string{
		"page=2": "page=2", "token=x": "token=…", "token=": "token=", "token": "token", "a=" + long[:19]: "a=" + long[:19],
		"a=" + long: "a=…", long[:19]: long[:19], long: "…", "page=2&API_KEY=x&b=3": "page=2&API_KEY=…&b=3", "%74oken=x": "%74oken=…",
	} {
		if got := shownQuery(query); got != strings.ReplaceAll(want, "…", withheld) {
			t.Errorf("%q is shown as %q, want %q", query, got, want)
		}
	}
	for name := range strings.FieldsSeq("key token secret pass pwd auth sig cred code jwt session user login") {
		if !secretName("my_" + name) {
			t.Errorf("%q is not named like a credential", name)
		}
	}
	if secretName("page") {
		t.Error("page is named like a credential")
	}
}

// TestNamesOfAddresses: the last part of a path is the name of an address, or its host.
func TestNamesOfAddresses(t *testing.T) {
	for address, want := range map[string]string{"https://h.io/a/b.json?c=d": "b.json", "https://h.io/": "h.io", "https://h.io": "h.io", "http://[": "url"} {
		if got := Name(address); got != want {
			t.Errorf("%s is named %q, want %q", address, got, want)
		}
	}
}
