package infer

import (
	"slices"
	"strings"

	"turns/model"
	"turns/model/format/described"
	"turns/model/jsonspan"
)

// value is a value of the sample.
type value struct {
	kind   jsonspan.Kind
	raw    []byte
	keys   []string // of an object
	list   []*value // members or elements
	parent *value
	text   string // first bytes of a string, decoded
	size   int    // recorded bytes of a string
	packed bool   // a string with JSON
	inner  *value // the message or call in a string
	pairs  bool   // an object recorded as a list of pairs of a name and a value
}

// The limits of the part to read, which is enough to recognise a format.
const (
	maxValues = 60_000
	maxNested = 16
	maxText   = 400
	maxPairs  = 400
)

// builder reads the sample.
type builder struct{ count int }

// build reads the value at the cursor; nil at the end of the input.
func (b *builder) build(c *jsonspan.Cursor, parent *value, depth int) *value {
	v := &value{kind: c.Kind(), parent: parent}
	if v.kind == jsonspan.End {
		return nil
	}
	b.count++
	from := c.Pos
	switch {
	case b.count > maxValues || depth > maxNested:
		c.Skip()
	case v.kind == jsonspan.Object:
		for c.Object(); c.Key(); {
			name := string(c.Name)
			if e := b.build(c, v, depth+1); e != nil {
				v.keys, v.list = append(v.keys, name), append(v.list, e)
			}
		}
		end := min(c.Pos, len(c.Buf))
		b.gather(v, c.Buf[min(from, end):end], depth)
	case v.kind == jsonspan.Array:
		for c.Array(); c.More(); {
			if e := b.build(c, v, depth+1); e != nil {
				v.list = append(v.list, e)
			}
		}
		if v.pair(); v.pairs {
			end := min(c.Pos, len(c.Buf))
			b.gather(v, c.Buf[min(from, end):end], depth)
		}
	case v.kind == jsonspan.String:
		raw := c.String()
		v.size = len(raw)
		t := model.EscapedText(raw)
		v.text = string(t.AppendBegin(nil, maxText))
		if len(v.text) > maxText {
			v.text = v.text[:maxText]
		}
		s := strings.TrimSpace(v.text)
		v.packed = len(s) > 1 && (s[0] == '{' && (strings.HasPrefix(strings.TrimSpace(s[1:]), `"`) || strings.TrimSpace(s[1:]) == "}") || s[0] == '[' && strings.HasPrefix(strings.TrimSpace(s[1:]), `{`))
		if v.packed && s[0] == '{' {
			b.unpack(v, raw, depth)
		}
	default:
		c.Skip()
	}
	end := min(c.Pos, len(c.Buf))
	v.raw = c.Buf[min(from, end):end]
	if c.Err != nil && v.kind != jsonspan.Object && v.kind != jsonspan.Array {
		return nil
	}
	return v
}

// pair makes an object from a list of pairs of a name and a value, each with a type: {"key":
// "tool.name", "value": {"stringValue": "ls"}}.
func (v *value) pair() {
	if len(v.list) > maxPairs {
		return
	}
	var keys []string
	var list []*value
	for _, e := range v.list {
		if len(e.keys) != 2 || e.list[0].kind != jsonspan.String || len(e.list[1].keys) != 1 || !writable(e.list[0].text) ||
			strings.Contains(e.list[0].text, " ") || roleOf(e.list[0].text) != model.NoRole || slices.Contains(keys, e.list[0].text) {
			return
		}
		keys, list = append(keys, e.list[0].text), append(list, e.list[1])
	}
	if len(keys) > 1 || len(keys) == 1 && strings.Contains(keys[0], ".") {
		v.kind, v.keys, v.list, v.pairs = jsonspan.Object, keys, list, true
	}
}

// unpack parses a string with the JSON of a message or a call, or of an object with messages.
func (b *builder) unpack(v *value, raw []byte, depth int) {
	c := jsonspan.New(model.EscapedText(raw).Append(nil))
	if in := b.build(&c, v, depth+1); in != nil && (in.speaks(0) || in.calls()) {
		v.inner = in
	}
}

// calls reports whether an object has exactly the name of a tool and its arguments.
func (v *value) calls() bool {
	return len(v.list) == 2 && v.list[0].kind == jsonspan.String && looksLikeName(v.list[0].text) && v.list[1].kind == jsonspan.Object
}

// maxSpoken limits the depth of JSON to search for messages.
const maxSpoken = 5

// speaks reports whether a value is or contains a message.
func (v *value) speaks(depth int) bool {
	return depth < maxSpoken && (v.speaker() != model.NoRole && len(v.list) > 1 || slices.ContainsFunc(v.list, func(e *value) bool { return e.speaks(depth + 1) }))
}

// gather makes lists from keys with dots and numbers: prompt.0.role.
func (b *builder) gather(v *value, whole []byte, depth int) {
	if len(v.keys) > maxPairs {
		return
	}
	var done []string
	for _, k := range v.keys {
		prefix := spread(k)
		if prefix == "" || slices.Contains(done, prefix) || slices.Contains(v.keys, prefix) {
			continue
		}
		done = append(done, prefix)
		c := jsonspan.New(described.Gather(whole, prefix, 0))
		if e := b.build(&c, v, depth+1); e != nil {
			v.keys, v.list = append(v.keys, prefix), append(v.list, e)
		}
	}
	var keys []string
	var list []*value
	for i, k := range v.keys {
		if !slices.Contains(done, spread(k)) {
			keys, list = append(keys, k), append(list, v.list[i])
		}
	}
	v.keys, v.list = keys, list
}

// spread returns the part before the first number of a dotted key: "prompt." of prompt.0.role.
func spread(key string) string {
	for i := range len(key) - 1 {
		if key[i] != '.' || key[i+1] < '0' || key[i+1] > '9' {
			continue
		}
		if number, _, ok := strings.Cut(key[i+1:], "."); i > 0 && ok && isNumber(number) {
			return key[:i+1]
		}
	}
	return ""
}

// at returns the value at a path of keys; nil if there is none.
func (v *value) at(path []string) *value {
	for _, key := range path {
		if key == described.Pairs {
			continue
		}
		if v != nil && v.inner != nil {
			v = v.inner
		}
		if v == nil || v.kind != jsonspan.Object {
			return nil
		}
		var next *value
		for i, k := range v.keys {
			if k == key {
				next = v.list[i]
				break
			}
		}
		v = next
	}
	return v
}

// scalarText returns a scalar in a form for comparison.
func (v *value) scalarText() string {
	if v.kind == jsonspan.String {
		return v.text
	}
	return string(v.raw)
}

// blank reports whether a value is empty: "", {} or [].
func (v *value) blank() bool { return len(v.raw) <= 2 && v.kind != jsonspan.Number }

// isMap reports whether the keys of an object are data, such as ids.
func (v *value) isMap() bool {
	if v.kind != jsonspan.Object || len(v.keys) < 2 || v.pairs {
		return false
	}
	ids, speak := 0, 0
	for i, k := range v.keys {
		if v.list[i].kind != jsonspan.Object {
			return false
		}
		if v.list[i].speaker() != model.NoRole {
			speak++ // like messages by their ids
		}
		if looksLikeID(k) || isNumber(k) || v.list[i].has(k) {
			ids++
		}
	}
	return ids*10 >= len(v.keys)*8 || speak == len(v.keys)
}

// has reports whether a string member of an object equals a text.
func (v *value) has(text string) bool {
	return slices.ContainsFunc(v.list, func(m *value) bool { return m.kind == jsonspan.String && m.text == text })
}

func isNumber(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}

// looksLikeID reports whether a text looks like a generated identifier: one word with digits in it,
// or a long hexadecimal one.
func looksLikeID(s string) bool {
	if len(s) < 2 || len(s) > 128 || strings.ContainsAny(s, " \t\n/\\,;(){}[]\"'<>=") {
		return false
	}
	digits := 0
	for _, r := range s {
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	return digits > 0 && !looksLikeTime(s) && !looksLikeModel(s)
}

// looksLikeTime reports whether a text is a date, perhaps with a time.
func looksLikeTime(s string) bool {
	return len(s) >= 10 && len(s) <= 40 && s[4] == '-' && s[7] == '-' && isNumber(s[:4]) && isNumber(s[5:7]) && isNumber(s[8:10])
}

// timeNumber reports whether a number is a recent Unix time, in seconds to nanoseconds.
func timeNumber(s string) bool {
	whole, _, _ := strings.Cut(s, ".")
	return isNumber(whole) && (len(whole) == 10 || len(whole) == 13 || len(whole) == 16 || len(whole) == 19) && whole[0] == '1' && whole[1] >= '3'
}

// families are the beginnings of model names.
var families = []string{"gpt-", "claude-", "gemini-", "o1", "o3", "o4-", "llama", "mistral", "qwen", "deepseek", "grok-", "anthropic.", "openai/", "anthropic/", "google/", "kimi-", "glm-"}

func looksLikeModel(s string) bool {
	if len(s) > 60 || strings.ContainsAny(s, " \n") {
		return false
	}
	s = strings.ToLower(s)
	for _, f := range families {
		// with its provider, or without
		if strings.HasPrefix(s, f) || strings.HasPrefix(s[strings.LastIndexByte(s, '/')+1:], f) {
			return true
		}
	}
	return false
}

// looksLikeName reports whether a text could be the name of a tool.
func looksLikeName(s string) bool {
	if len(s) == 0 || len(s) > 64 || !(s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z' || s[0] == '_' || s[0] == '$') {
		return false
	}
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.:/", r)) {
			return false
		}
	}
	return !looksLikeModel(s) && !isUUID(s) && !longID(s)
}

func isUUID(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-'
}

// plainID reports whether a word is an identifier from a program: call_read_123.
func plainID(s string) bool {
	return looksLikeID(s) && strings.ContainsAny(s, "_-") && s[0] >= 'a' && s[0] <= 'z' && isNumber(s[len(s)-1:])
}

// longID reports whether a word looks generated: many digits among letters.
func longID(s string) bool {
	if len(s) > 128 || strings.ContainsAny(s, " \n\t") {
		return false
	}
	digits, changes, was := 0, 0, false
	for _, r := range s {
		is := r >= '0' && r <= '9'
		if is {
			digits++
		}
		if is != was {
			changes++
		}
		was = is
	}
	return digits >= 4 && len(s) >= 8 || changes >= 6
}
