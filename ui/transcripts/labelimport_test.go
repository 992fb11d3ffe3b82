package transcripts

import (
	"strings"
	"testing"
)

// TestImportsOfOthers reads hostile files of labels: each is refused with a short reason, and no
// label steers a terminal or is a formula.
func TestImportsOfOthers(t *testing.T) {
	for name, c := range map[string]struct{ text, err string }{
		"nothing":                         {" \n", "empty"},
		"UTF-16":                          {"\xff\xfes\x00e\x00", "UTF-8"},
		"bytes":                           {"session,label\na,#\xff\n", "UTF-8"},
		"NUL":                             {"session,label\na,#b\x00\n", "UTF-8"},
		"deep JSON":                       {strings.Repeat("[", 1_000_000), "max depth"},
		"values, not objects":             {"[1,2]", "not an object"},
		"half an object":                  {`{"session":"a",`, "unexpected EOF"},
		"a quote without an end":          {"session,label\n\"a\n", "quoted-field"},
		"XML":                             {`<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]>`, "quote"},
		"columns without end":             {strings.Repeat("a,", 100_000) + "\n", "no known column"},
		"escape codes":                    {"session,label\na,#\x1b]0;b\a\n", "a label is a word"},
		"another direction":               {"session,label\na,#\u202eb\n", "a label is a word"},
		"a label that looks like another": {"session,label\na,#b\u200bc\n", "a label is a word"},
		"a sign for a label":              {"session,label\na,=\n", "a label is a word"},
		"a label with emoji":              {"session,label\na,#\U0001F469\u200d\U0001F4BB\n", ""},
	} {
		rows, err := Imports([]byte(c.text))
		switch {
		case c.err == "" && err != nil, c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) && !strings.Contains(err.Error(), `\"`)):
			t.Errorf("%s: %+v, %v", name, rows, err)
		case err != nil && (len(err.Error()) > 1000 || strings.ContainsAny(err.Error(), "\x1b\u202e\x00")):
			t.Errorf("%s: the error is %q", name, err)
		}
	}
}
