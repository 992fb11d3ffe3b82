package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"turns/query/lang"
)

// arguments are the arguments of all tools; each tool has some of them.
type arguments struct {
	Path      string
	File      string // file changed by a session, or to blame
	Session   string
	Other     string
	Query     string
	Where     string
	Slice     string
	By        string
	For       string
	At        *int
	Limit     int
	MaxTokens int
	Next      string
	Part      string // the conversation of a file with several, set from Session
}

// synonyms are other names that models give to arguments. A name that a tool has itself is never
// a synonym there.
var synonyms = map[string]string{
	"file": "path", "folder": "path", "dir": "path", "directory": "path", "transcript": "path", "file_path": "path",
	"session_id": "session", "id": "session", "sessionid": "session",
	"pattern": "query", "text": "query", "q": "query", "regex": "query", "words": "query", "filter": "query", "keyword": "query",
	"sessions": "where", "session_filter": "where",
	"index": "at", "message": "at", "number": "at", "message_number": "at",
	"n": "limit", "max": "limit", "count": "limit", "max_results": "limit", "top": "limit",
	"tokens": "max_tokens", "cursor": "next", "page": "next", "page_token": "next", "token": "next",
	"group_by": "by", "groupby": "by", "provider": "for", "b": "other", "second": "other", "range": "slice", "messages": "slice",
	"path_a": "path", "path_b": "other", "a": "path", "path1": "path", "path2": "other",
}

// read parses the arguments of a tool. An unknown argument is an error that lists the valid ones.
func (t *tool) read(raw json.RawMessage) (*arguments, error) {
	a := &arguments{}
	if len(raw) == 0 || string(raw) == "null" {
		return a, nil
	}
	var named map[string]json.RawMessage
	if err := json.Unmarshal(raw, &named); err != nil {
		return nil, fmt.Errorf("reading the arguments of %s: %w", t.name, err)
	}
	given := map[string]string{} // names used for each argument
	for _, name := range slices.Sorted(maps.Keys(named)) {
		value, to := named[name], t.means(name)
		if to == "" {
			return nil, fmt.Errorf("%s has no argument %q; valid: %s", t.name, name, t.valid())
		}
		if before := given[to]; before != "" {
			return nil, fmt.Errorf("%s: %q and %q are the same argument", t.name, before, name)
		}
		given[to] = name
		if err := a.set(to, value); err != nil {
			return nil, fmt.Errorf("%s: %q is %s: %w", t.name, name, value, err)
		}
	}
	return a, nil
}

// means returns the tool's argument for a name; "" if none.
func (t *tool) means(name string) string {
	if t.has(name) || name == "session" && t.has("path") {
		return name
	}
	name = strings.ToLower(name)
	to := cmp.Or(synonyms[name], name)
	if t.has(to) || to == "session" && t.has("path") {
		return to
	}
	if t.has("where") && !t.has("query") && to == "query" { // sessions has only one filter
		return "where"
	}
	return ""
}

// valid lists the arguments of the tool.
func (t *tool) valid() string {
	var names []string
	for _, p := range t.parameters() {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}

// set sets a value. It accepts texts as numbers and numbers as texts, because models mix them up.
func (a *arguments) set(name string, raw json.RawMessage) error {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return err
	}
	text := ""
	switch v := value.(type) {
	case nil:
		return nil
	case string:
		text = v
	case float64:
		text = strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return fmt.Errorf("want a text or a number")
	}
	texts := map[string]*string{
		"path": &a.Path, "file": &a.File, "session": &a.Session, "other": &a.Other, "query": &a.Query, "where": &a.Where, "slice": &a.Slice,
		"by": &a.By, "for": &a.For, "next": &a.Next,
	}
	if to := texts[name]; to != nil {
		*to = text
		return nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(text), "#"))
	if err != nil {
		return fmt.Errorf("want a number")
	}
	switch name {
	case "at":
		a.At = &n
	case "limit":
		a.Limit = n
	case "max_tokens":
		a.MaxTokens = n
	}
	return nil
}

// splitSearch splits a search query into words to find and a filter of messages: terms with a known
// key are the filter, the rest are words. A query with only terms finds any text.
func splitSearch(query string) (words, filter string) {
	var plain, terms []string
	for _, token := range tokens(query) {
		key, _, ok := strings.Cut(strings.TrimPrefix(token, "-"), ":")
		if ok && lang.LangLookup(key) != nil {
			terms = append(terms, token)
		} else {
			plain = append(plain, token)
		}
	}
	filter = strings.Join(terms, " ")
	switch {
	case len(plain) == 0:
		return `/\S/`, filter
	case len(plain) == 1 && len(plain[0]) > 2 && plain[0][0] == '"' && strings.HasSuffix(plain[0], `"`):
		return plain[0][1 : len(plain[0])-1], filter
	}
	return strings.Join(plain, " "), filter
}

// tokens splits at blanks outside of quotes and regular expressions.
func tokens(s string) []string {
	var all []string
	var quote rune
	start, escaped := -1, false
	for i, r := range s {
		switch {
		case start < 0 && unicode.IsSpace(r):
		case start < 0:
			start = i
			if r == '"' || r == '/' {
				quote = r
			}
		case escaped:
			escaped = false
		case quote != 0 && r == '\\':
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && unicode.IsSpace(r):
			all, start = append(all, s[start:i]), -1
		case quote == 0 && r == '"':
			quote = r
		}
	}
	if start >= 0 && quote == '/' { // a path rather than an expression
		return append(all, strings.Fields(s[start:])...)
	}
	if start >= 0 {
		all = append(all, s[start:])
	}
	return all
}

// anyOf returns a pattern that matches any of the words, and a filter for messages that contain
// them all; ok is false for fewer than two words and for expressions.
func anyOf(words, filter string) (pattern, all string, ok bool) {
	list := strings.Fields(words)
	if len(list) < 2 || strings.HasPrefix(words, "/") {
		return "", "", false
	}
	var found, terms []string
	for _, w := range list {
		found, terms = append(found, quoteRegexp(w)), append(terms, lang.Quote(w))
	}
	if filter != "" {
		terms = append(terms, filter)
	}
	return "/" + strings.Join(found, "|") + "/i", strings.Join(terms, " "), true
}

// quoteRegexp quotes a word for a pattern between slashes.
func quoteRegexp(w string) string {
	var b strings.Builder
	for _, r := range w {
		if slices.Contains([]rune(`\.+*?()|[]{}^$/`), r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
