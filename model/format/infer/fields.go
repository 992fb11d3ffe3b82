package infer

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"turns/model/format/described"
	"turns/model/jsonspan"
)

// field has the values of objects of one kind at one path.
type field struct {
	path   []string
	values []*value
	ends   bool // the values are the last words of lists
}

func (f *field) name() string {
	path := described.Quoted(f.path[0])
	for _, key := range f.path[1:] {
		if key == described.Pairs {
			path += key
			continue
		}
		path += "." + described.Quoted(key)
	}
	return path
}

// depth returns the depth of a field, without lists of pairs and the types of their values.
func (f *field) depth() int {
	if i := slices.Index(f.path, described.Pairs); i > 0 {
		return max(i+1, len(f.path)-2)
	}
	return len(f.path)
}

// last returns the last key of the path, in lower case without separators.
func (f *field) last() string { return plain(f.path[len(f.path)-1]) }

func plain(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' || r == '.' {
			return -1
		}
		return r
	}, name))
}

// view has the fields of objects, in order of appearance: scalars, and values with contents.
type view struct {
	objs                    []*value
	scalars, objects, lists []*field
	seen                    map[string]*field
}

// maxFieldDepth limits the depth in an object to search for fields.
const maxFieldDepth = 4

func viewOf(objs []*value) *view {
	w := &view{objs: objs, seen: map[string]*field{}}
	for _, o := range objs {
		w.collect(o, nil)
	}
	return w
}

func (w *view) collect(o *value, path []string) {
	for i, k := range o.keys {
		v := o.list[i]
		if v.kind == jsonspan.Null || !writable(k) {
			continue
		}
		way := append(slices.Clip(path), k)
		list := &w.scalars
		switch {
		case v.kind == jsonspan.Array || v.isMap():
			list = &w.lists
		case v.kind == jsonspan.Object:
			list = &w.objects
		}
		key := strings.Join(way, "\x00") + string(rune('0'+int(v.kind)))
		f := w.seen[key]
		if f == nil {
			if len(w.seen) > 400 {
				continue
			}
			f = &field{path: way}
			w.seen[key] = f
			*list = append(*list, f)
		}
		f.values = append(f.values, v)
		if v.inner != nil {
			w.collect(v.inner, way)
		}
		if list == &w.objects && f.depth() < maxFieldDepth {
			if v.pairs {
				way = append(slices.Clip(way), described.Pairs)
			}
			w.collect(v, way)
		}
	}
}

// writable reports whether a key or a value is allowed in a description.
func writable(s string) bool {
	return s != "" && utf8.ValidString(s) && !strings.ContainsAny(s, "=|![]\\\"\n\r\t\x00") && strings.TrimSpace(s) == s
}

// share returns the share of the values for which is returns true.
func (f *field) share(is func(*value) bool) float64 {
	return float64(f.count(is)) / float64(len(f.values))
}

func (f *field) count(is func(*value) bool) (n int) {
	for _, v := range f.values {
		if is(v) {
			n++
		}
	}
	return n
}

// mostOf reports whether n is more than half of a number, and halfOf whether it is half or more.
func mostOf(n, of int) bool { return n*2 > of }

func halfOf(n, of int) bool { return n*2 >= of }

// most, all and any report whether is returns true for more than half of the values, for all of
// them and for one or more.
func (f *field) most(is func(*value) bool) bool { return mostOf(f.count(is), len(f.values)) }

func (f *field) all(is func(*value) bool) bool { return f.count(is) == len(f.values) }

func (f *field) any(is func(*value) bool) bool { return slices.ContainsFunc(f.values, is) }

// packed reports whether most values are strings with JSON.
func (f *field) packed() bool { return f.most(func(v *value) bool { return v.packed }) }

// timeScore is 0 for a field unless nine of ten values are dates, or seconds since 1970. Those with
// a usual name come first.
func (f *field) timeScore() float64 {
	switch times := f.share(func(v *value) bool {
		return v.kind == jsonspan.String && looksLikeTime(v.text) || v.kind == jsonspan.Number && timeNumber(string(v.raw))
	}); {
	case times < 0.9:
		return 0
	case named(f, timeNames):
		return 3
	}
	return 1
}

func (f *field) strings() bool { return f.values[0].kind == jsonspan.String }

// distinct returns the number of different values. Long texts may begin alike, as prompts from one
// template do.
func (f *field) distinct() int {
	seen := map[string]bool{}
	for _, v := range f.values {
		if v.size > maxText {
			seen[string(v.raw)] = true
			continue
		}
		seen[v.scalarText()] = true
	}
	return len(seen)
}

func (f *field) size() float64 {
	n := 0
	for _, v := range f.values {
		n += len(v.raw)
	}
	return float64(n) / float64(len(f.values))
}

// Frequent names of fields, in lower case without underscores. They are hints; no decision depends
// on them.
var (
	textNames = []string{"content", "text", "message", "body", "value", "msg", "prompt", "contenttext", "outputtext", "markdown", "utterance", "say"}
	nameNames = []string{"name", "tool", "toolname", "function", "functionname", "recipientname"}
	argsNames = []string{"arguments", "args", "input", "params", "parameters", "toolinput", "kwargs", "toolargs", "functionargs", "actioninput"}
	// the action of a call, if there are no other arguments
	workNames = []string{"command", "cmd", "query", "code"}
	outNames  = []string{"output", "result", "content", "response", "returnvalue", "toolresult", "stdout", "observation", "text", "toolresponse", "toolusereult"}
	dullNames = []string{"cwd", "version", "title", "id", "uuid", "model", "branch", "gitbranch", "path", "agent", "author", "username", "status", "level", "description",
		"signature", "thoughtsignature", "encryptedcontent", "url", "host", "logger", "file", "filename", "sessionid", "hash", "finishreason", "stopreason", "subtype", "slug", "summary", "system", "tools", "tags", "options", "reason"}
	errorNames = []string{"iserror", "error", "failed", "status", "success", "exitcode", "state", "outcome"}
	thinkNames = []string{"reasoning", "reasoningcontent", "thinking", "thought", "thoughts"}
	timeNames  = []string{"timestamp", "time", "ts", "createdat", "created", "date", "datetime", "at", "starttime", "startedat"}
	usageNames = []string{"usage", "tokens", "tokenusage", "usagemetadata", "metrics"}
)

func named(f *field, names []string) bool { return slices.Contains(names, f.last()) }

// isOut reports whether a field's name is that of a result, such as "aggregated_output" or
// "result_preview".
func (f *field) isOut() bool {
	words := strings.FieldsFunc(f.path[len(f.path)-1], func(r rune) bool { return r == '_' || r == '-' })
	return named(f, outNames) || len(words) > 1 && (slices.Contains(outNames, plain(words[len(words)-1])) || plain(words[0]) == "result" && !strings.HasSuffix(f.last(), "id"))
}

// isKindLike reports whether the values of a field may be kinds: few words that repeat.
func (f *field) isKindLike() bool {
	return f.strings() && len(f.values) >= 4 && !mostOf(f.distinct(), len(f.values)) &&
		f.share(func(v *value) bool { return strings.ContainsAny(v.text, " \n") || !isASCII(v.text) }) < 0.1
}

// textScore returns how much a field looks like a speaker's text; 0 is not at all.
func textScore(f *field, of int) float64 {
	if !f.strings() || f.most(notText) {
		return 0
	}
	spaces := f.share(func(v *value) bool { return strings.ContainsAny(v.text, " \n") || !isASCII(v.text) })
	size := 0.0
	for _, v := range f.values {
		size += float64(v.size)
	}
	size /= float64(len(f.values))
	distinct := float64(f.distinct()) / float64(len(f.values))
	if f.distinct() == 1 && len(f.values) > 2 {
		distinct = 0 // the same text everywhere is not informative
		if spaces == 0 && !named(f, textNames) {
			return 0
		}
	}
	if spaces == 0 && !named(f, textNames) && f.share(func(v *value) bool { return described.ClassOf(v.text) != described.NoClass }) > 0.9 {
		return 0
	}
	if spaces == 0 && named(f, dullNames) {
		return 0
	}
	score := float64(len(f.values)) / float64(of) * math.Log(size+1.5) * (0.15 + spaces) * (0.2 + distinct)
	switch {
	case named(f, textNames):
		score *= 2.5
	case f.share(func(v *value) bool { return looksLikeID(v.text) }) > 0.6:
		return 0
	case named(f, dullNames) || named(f, timeNames):
		score *= 0.15
	case named(f, thinkNames):
		score *= 0.5
	}
	return score * math.Pow(0.93, float64(len(f.path)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// notText reports whether a string is not a text but an id, a time, a path, JSON or binary data.
func notText(v *value) bool {
	s := v.text
	if v.inner != nil {
		return true
	}
	if strings.ContainsAny(s, " \n") {
		return looksLikeTime(s)
	}
	return v.packed || looksLikeTime(s) || looksLikeModel(s) || isUUID(s) || longID(s) || timeNumber(s) ||
		strings.HasPrefix(s, "http") || strings.HasPrefix(s, "data:") || len(s) > 3 && (s[0] == '/' || s[0] == '~') || v.size > 200 && isASCII(s)
}

// best returns the field with the highest score above 0.
func best(fields []*field, score func(*field) float64) *field {
	var top *field
	most := 0.0
	for _, f := range fields {
		if s := score(f); s > most {
			top, most = f, s
		}
	}
	return top
}
