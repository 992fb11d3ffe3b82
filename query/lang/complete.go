package lang

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Candidate is one thing that could stand at the cursor.
type Candidate struct {
	Text  string // what to put there, quoted where it needs it; a key has its colon
	Count int    // how often it occurs; 0 unknown or none
	Note  string // one line of help
}

// Completion is what could replace src[From:To].
type Completion struct {
	From, To   int
	Key        Key  // of the values offered
	Values     bool // values of Key are offered, not keys
	Candidates []Candidate
}

// Complete offers what could stand at the cursor, a byte offset in src: keys, or values of a key. values gives those that only a run
// knows (tools, models) and counts for the others; it is asked with the text before the cursor and gives the best first. It may be nil.
func Complete(src string, cursor int, values func(key Key, prefix string) []Candidate) Completion {
	cursor = min(max(cursor, 0), len(src))
	l := NewLexer(src)
	for {
		l.off += langSpaces(src[l.off:])
		for l.off < len(src) && strings.IndexByte("()|-!", src[l.off]) >= 0 {
			l.off++
			l.off += langSpaces(src[l.off:])
		}
		if l.off >= cursor {
			return langCompleteKeys("", cursor, langAhead(src, cursor, true))
		}
		start := l.off
		if n := langKeyLen(src[start:]); n > 0 {
			if l.off += n + 1; cursor < l.off {
				return langCompleteKeys(src[start:cursor], start, l.off)
			}
			if c, ok := langCompleteValue(l, src[start:start+n], cursor, values); ok {
				return c
			}
			continue
		}
		switch langSkip(l, false); {
		case cursor > l.off || src[start] == '"' || src[start] == '/' && l.off-start > 1 && l.src[l.off-1] == '/':
			if cursor <= l.off {
				return Completion{From: cursor, To: cursor}
			}
		default:
			return langCompleteKeys(src[start:cursor], start, langAhead(src, cursor, true))
		}
	}
}

// langCompleteValue completes the value at the cursor after a key, or steps over all of them.
func langCompleteValue(l *lexer, name string, cursor int, values func(Key, string) []Candidate) (Completion, bool) {
	key := LangLookup(name)
	opStart := l.off
	if key == nil || key.Kind != TakesText {
		l.op()
	}
	op := l.src[opStart:l.off]
	if cursor < l.off { // within the operator
		return Completion{From: cursor, To: cursor}, true
	}
	for {
		start := l.off
		langSkip(l, true)
		if cursor <= l.off {
			if key == nil {
				return Completion{From: cursor, To: cursor}, true
			}
			c := langCompleteValues(key, l.src[start:cursor], op, values)
			c.From, c.To = start, l.off
			return c, true
		}
		if !l.comma() {
			return Completion{}, false
		}
	}
}

// langSkip steps over one value, right or wrong: what is being typed is rarely complete.
func langSkip(l *lexer, inValue bool) {
	start := l.off
	if l.off == len(l.src) {
		return
	}
	switch l.src[l.off] {
	case '"':
		if _, err := l.quoted(inValue); err != nil && l.off == start {
			l.off = len(l.src)
		}
		return
	case '/':
		if _, ok := l.Regex(inValue); ok {
			return
		}
	}
	l.off = langAhead(l.src, start, !inValue)
}

// langAhead is the end of the word around off.
func langAhead(src string, off int, commas bool) int {
	for i, r := range src[off:] {
		if unicode.IsSpace(r) || r == ')' || r == '|' || r == '(' && i > 0 || r == ',' && !commas {
			return off + i
		}
	}
	return len(src)
}

// langCompleteKeys offers keys that begin with what was typed, and the conditions (is:error) that do.
func langCompleteKeys(typed string, from, to int) Completion {
	c := Completion{From: from, To: to}
	prefix := strings.ToLower(strings.TrimSuffix(typed, ":"))
	var others []Candidate
	for i := 1; i < len(langKeys); i++ {
		k := &langKeys[i]
		found := Candidate{Text: k.Name + ":", Note: k.Help}
		if strings.HasPrefix(k.Name, prefix) {
			c.Candidates = append(c.Candidates, found)
		} else if slices.ContainsFunc(k.Aliases, func(a string) bool { return strings.HasPrefix(a, prefix) }) {
			others = append(others, found)
		}
	}
	c.Candidates = append(c.Candidates, others...)
	if utf8.RuneCountInString(prefix) < 2 {
		return c
	}
	for _, k := range langKeys[1:] {
		if k.Key != KeyIs && k.Key != KeyHas {
			continue
		}
		for _, v := range k.Values {
			if strings.HasPrefix(v.Name, prefix) {
				c.Candidates = append(c.Candidates, Candidate{Text: k.Name + ":" + v.Name, Note: v.Help})
			}
		}
	}
	return c
}

// langCompleteValues offers values that begin with what was typed, then those that have it inside.
func langCompleteValues(key *KeyInfo, typed, op string, values func(Key, string) []Candidate) Completion {
	c := Completion{Key: key.Key, Values: true}
	plain := typed
	if strings.HasPrefix(typed, `"`) {
		plain = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(strings.TrimSuffix(typed[1:], `"`))
	}
	var found []Candidate
	if values != nil {
		found = slices.Clone(values(key.Key, plain))
	}
	for i := range key.Values {
		v := &key.Values[i]
		at := slices.IndexFunc(found, func(c Candidate) bool { return strings.EqualFold(c.Text, v.Name) })
		if at < 0 {
			found = append(found, Candidate{Text: v.Name, Note: v.Help})
		} else if found[at].Note == "" {
			found[at].Note = v.Help
		}
	}
	if key.Kind.Ordered() {
		if _, isNumber := langNumber(plain); isNumber && key.Kind == TakesDuration {
			for _, unit := range [...]string{"ms", "s", "m", "h"} {
				found = append(found, Candidate{Text: plain + unit})
			}
		}
		for _, e := range key.Examples {
			compares := strings.ContainsAny(e, "<>=") || strings.Contains(e, "..")
			offered := slices.ContainsFunc(found, func(c Candidate) bool { return c.Text == e })
			if plain == "" && op == "" || !compares && !offered {
				found = append(found, Candidate{Text: e})
			}
		}
	}
	prefix := strings.ToLower(plain)
	var inside []Candidate
	for _, f := range found {
		text := strings.ToLower(f.Text)
		starts, has := strings.HasPrefix(text, prefix), strings.Contains(text, prefix)
		if !key.Kind.Ordered() { // an example is written as it is
			f.Text = Quote(f.Text)
		}
		if starts {
			c.Candidates = append(c.Candidates, f)
		} else if has && utf8.RuneCountInString(prefix) > 1 { // one letter is in nearly everything
			inside = append(inside, f)
		}
	}
	c.Candidates = append(c.Candidates, inside...)
	if key.Kind == TakesWhole && key.Any != "" && plain == "" {
		c.Candidates = append(c.Candidates, Candidate{Text: "*", Note: key.Any})
	}
	return c
}

// Quote writes a value so that it is taken as it stands wherever a value can stand: bare where that is safe, else in quotes.
func Quote(value string) string {
	switch value {
	case "", "AND", "OR", "NOT", "&&":
		return langQuoted(value)
	}
	if strings.IndexByte(`-!/<>=`, value[0]) >= 0 || langKeyLen(value) > 0 || strings.ContainsAny(value, `()|",*?`) ||
		strings.ContainsFunc(value, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return langQuoted(value)
	}
	return value
}

func langQuoted(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// Key is what a term is about.
type Key uint8

// The keys. Those about a call (tool, is, dur, …) that stand in one And speak of one and the same call.
const (
	KeyAny Key = iota // no key: everything a reader sees
	KeyRole
	KeyTool
	KeyText
	KeyContent
	KeyReasoning
	KeyArgs
	KeyResult
	KeyTitle
	KeyName
	KeyIs
	KeyHas
	KeyKind
	KeyOutcome
	KeyValidity
	KeyEnd
	KeyIndex
	KeyTurn
	KeyStep
	KeyTime
	KeyDur
	KeyTokens
	KeySize
	KeyCost
	KeyModel
	KeyID
	KeyInteraction
	KeySession
	KeyThread
	KeyFile
	KeyProject
)

// String is the key as written before the colon; nothing for KeyAny.
func (k Key) String() string {
	for i := range langKeys {
		if langKeys[i].Key == k {
			return langKeys[i].Name
		}
	}
	return ""
}

// ValueKind is what the values of a key look like and how they match.
type ValueKind uint8

// The kinds of values.
const (
	TakesText     ValueKind = iota // substring or regex
	TakesWhole                     // whole value, with globs, or regex
	TakesPath                      // whole path or its last parts, with globs, or regex
	TakesEnum                      // a name from a list
	TakesNumber                    // whole number, range
	TakesCount                     // number with k, M, G
	TakesSize                      // bytes, kB, MB, GB, KiB, …
	TakesCost                      // decimal, perhaps after $
	TakesDuration                  // with a unit
	TakesTime                      // time of day, date, instant, 2h, yesterday
)

// Ordered reports whether values of the kind can be compared, and so take operators and ranges.
func (k ValueKind) Ordered() bool { return k >= TakesNumber }

// KeyInfo describes one key as it can be written. Times have several names, each with its operator.
type KeyInfo struct {
	Key      Key
	Name     string
	Aliases  []string
	Kind     ValueKind
	Op       Op // what the name itself says: after means OpGe
	Help     string
	Examples []string    // as error messages show them; of ordered kinds also what completion offers
	Any      string      // what * stands for
	Values   []EnumValue // of TakesEnum all there are; of role the usual ones
}

// EnumValue is one name that a key takes.
type EnumValue struct {
	Name    string
	Help    string
	Aliases []string
}

// Keys lists all keys, in the order in which help shows them.
func Keys() []KeyInfo { return slices.Clone(langKeys[1:]) }

// examples joins the examples as a sentence has them.
func (k *KeyInfo) examples() string {
	last := len(k.Examples) - 1
	if last < 1 {
		return strings.Join(k.Examples, "")
	}
	return strings.Join(k.Examples[:last], ", ") + " or " + k.Examples[last]
}

// enum is the canonical spelling of a name, nothing for an unknown one.
func (k *KeyInfo) enum(text string) string {
	text = strings.ToLower(text)
	for i := range k.Values {
		if v := &k.Values[i]; v.Name == text || slices.Contains(v.Aliases, text) {
			return v.Name
		}
	}
	return ""
}

// LangLookup finds a key by name or alias, in any case; nil where there is none.
func LangLookup(name string) *KeyInfo {
	name = strings.ToLower(name)
	for i := 1; i < len(langKeys); i++ {
		if k := &langKeys[i]; k.Name == name || slices.Contains(k.Aliases, name) {
			return k
		}
	}
	return nil
}

// langNearestKey is the key whose name is least mistyped as s, or nothing.
func langNearestKey(s string) string {
	var names []string
	for i := 1; i < len(langKeys); i++ {
		names = append(append(names, langKeys[i].Name), langKeys[i].Aliases...)
	}
	return langNearest(s, names)
}

// Add gives the filter with one more term, or with its negation. A term that is there already is not added again; one that says the
// opposite is replaced. The rest stays as it was written.
func (f *Filter) Add(term string, negate bool) (*Filter, error) {
	add, err := Parse(term)
	if err != nil || add.root == nil {
		return f, err
	}
	opposite := Node(&Not{Kid: add.root})
	if not, ok := add.root.(*Not); ok {
		opposite = not.Kid
	}
	if negate {
		add.root, opposite = opposite, add.root
	}
	var kids []Node
	switch root := f.Root().(type) {
	case nil:
	case *And:
		kids = slices.Clone(root.Kids)
	default:
		kids = []Node{root}
	}
	for i, k := range kids {
		if langSame(k, add.root) {
			return f, nil
		}
		if langSame(k, opposite) {
			kids[i] = add.root
			return Parse(langAll(kids))
		}
	}
	src := strings.TrimSpace(f.Source())
	if _, ok := f.Root().(*Or); ok {
		src = "(" + src + ")"
	}
	added := langAll([]Node{add.root})
	if _, ok := add.root.(*Term); !ok && strings.ContainsRune(added, ' ') && !strings.HasPrefix(added, "-") && src != "" {
		added = "(" + added + ")"
	}
	want := langAll(append(kids, add.root))
	if both, err := Parse(strings.TrimSpace(src + " " + added)); err == nil && both.String() == want {
		return both, nil
	}
	return Parse(want) // a slash in the new term ended what had been no regex: write all of it anew
}

// And gives the filter that holds where both do. Terms about a call may hold for different calls in each.
func (f *Filter) And(g *Filter) *Filter {
	switch {
	case f.Empty():
		return g
	case g.Empty():
		return f
	}
	both := &Filter{root: &And{Pos: f.root.Position(), Kids: []Node{f.root, g.root}}}
	both.src = both.String()
	return both
}

// langAll prints nodes that must all hold.
func langAll(kids []Node) string {
	f := &Filter{}
	switch len(kids) {
	case 0:
	case 1:
		f.root = kids[0]
	default:
		f.root = &And{Kids: kids}
	}
	return f.String()
}

// langKeys is all there is to know about keys; the first is for terms without one.
var langKeys = []KeyInfo{
	{Key: KeyAny, Kind: TakesText},
	{Key: KeyRole, Name: "role", Aliases: []string{"from"}, Kind: TakesWhole, Any: "any role",
		Help: "who said it", Examples: []string{"role:user", "role:tool,assistant"},
		Values: []EnumValue{
			{Name: "user", Help: "what the user said"},
			{Name: "assistant", Help: "what the model said"},
			{Name: "tool", Help: "results of tools"},
			{Name: "system", Help: "system prompts"},
			{Name: "developer", Help: "developer prompts"},
		}},
	{Key: KeyTool, Name: "tool", Aliases: []string{"call", "function"}, Kind: TakesWhole, Any: "any tool; globs: read_*, mcp__github__*",
		Help: "calls of a tool and their results", Examples: []string{"tool:Bash", "tool:read_*"}},
	{Key: KeyIs, Name: "is", Kind: TakesEnum, Help: "a state or trait", Examples: []string{"is:error", "is:pending"}, Values: langIs},
	{Key: KeyHas, Name: "has", Aliases: []string{"with"}, Kind: TakesEnum, Help: "what a message holds",
		Examples: []string{"has:reasoning", "has:image"}, Values: langHas},
	{Key: KeyText, Name: "text", Aliases: []string{"body"}, Kind: TakesText, Help: "words anywhere in it",
		Examples: []string{"text:retry", `text:"not found"`, `text:/time ?out/i`}},
	{Key: KeyContent, Name: "content", Kind: TakesText, Help: "words in the content, results included; not reasoning, not arguments",
		Examples: []string{"content:retry", `content:"not found"`}},
	{Key: KeyReasoning, Name: "reasoning", Aliases: []string{"thinking", "thought"}, Kind: TakesText, Help: "words in the reasoning",
		Examples: []string{"reasoning:retry", `reasoning:"let me"`}},
	{Key: KeyArgs, Name: "args", Aliases: []string{"arg", "arguments", "input", "params"}, Kind: TakesText, Help: "words in the arguments of a call",
		Examples: []string{"args:main.go", `args:"rm -rf"`}},
	{Key: KeyResult, Name: "result", Aliases: []string{"results", "output"}, Kind: TakesText, Help: "words in the result of a call",
		Examples: []string{"result:panic", `result:"exit 1"`}},
	{Key: KeyDur, Name: "dur", Aliases: []string{"duration", "took"}, Kind: TakesDuration, Help: "how long a call took",
		Examples: []string{"500ms", "5s", "2m", "1h"}},
	{Key: KeyTokens, Name: "tokens", Aliases: []string{"token", "tok"}, Kind: TakesCount, Help: "tokens of a message, counted",
		Examples: []string{">1k", "500..2k"}},
	{Key: KeySize, Name: "size", Aliases: []string{"bytes"}, Kind: TakesSize, Help: "bytes of a message",
		Examples: []string{">100kB", "1MB..5MB"}},
	{Key: KeyCost, Name: "cost", Aliases: []string{"price"}, Kind: TakesCost, Help: "cost in dollars, where recorded",
		Examples: []string{">0.10", "1..5"}},
	{Key: KeyIndex, Name: "index", Aliases: []string{"msg", "message"}, Kind: TakesNumber, Help: "number of a message, from 0",
		Examples: []string{"5", "5..10", ">100"}},
	{Key: KeyTurn, Name: "turn", Kind: TakesNumber, Help: "number of a turn, from 0", Examples: []string{"3", "3..9", ">10"}},
	{Key: KeyStep, Name: "step", Kind: TakesNumber, Help: "number of a step in its turn, from 0", Examples: []string{"0", "2..4", ">10"}},
	{Key: KeyTime, Name: "time", Kind: TakesTime, Help: "a time or a range of them",
		Examples: []string{"10:30..11:00", "2026-02-11..2026-02-14", ">22:41"}},
	{Key: KeyTime, Name: "after", Aliases: []string{"since"}, Kind: TakesTime, Op: OpGe, Help: "from that time on", Examples: langTimes},
	{Key: KeyTime, Name: "before", Kind: TakesTime, Op: OpLt, Help: "up to that time, without it", Examples: langTimes},
	{Key: KeyTime, Name: "until", Kind: TakesTime, Op: OpLe, Help: "up to that time, with it", Examples: langTimes},
	{Key: KeyTime, Name: "on", Aliases: []string{"date", "day", "at"}, Kind: TakesTime, Help: "on that day, or in that minute",
		Examples: []string{"2026-02-11", "yesterday", "22:41"}},
	{Key: KeyModel, Name: "model", Kind: TakesWhole, Any: "any model", Help: "the model that answered",
		Examples: []string{"model:gpt-5", "model:claude-*"}},
	{Key: KeyFile, Name: "file", Aliases: []string{"path", "files"}, Kind: TakesPath, Help: "a file that a call names",
		Examples: []string{"file:main.go", "file:*_test.go"}},
	{Key: KeyName, Name: "name", Kind: TakesWhole, Help: "the name of who spoke, where recorded", Examples: []string{"name:planner", "name:agent-*"}},
	{Key: KeyKind, Name: "kind", Aliases: []string{"type"}, Kind: TakesEnum, Help: "the kind of a row", Examples: []string{"kind:call", "kind:reasoning"},
		Values: []EnumValue{
			{Name: "text", Help: "words", Aliases: []string{"words", "message"}},
			{Name: "reasoning", Help: "reasoning", Aliases: []string{"thinking"}},
			{Name: "call", Help: "tool calls", Aliases: []string{"tool_call", "tool_use"}},
			{Name: "result", Help: "tool results", Aliases: []string{"tool_result"}},
			{Name: "event", Help: "bookkeeping", Aliases: []string{"note"}},
		}},
	{Key: KeyOutcome, Name: "outcome", Aliases: []string{"status"}, Kind: TakesEnum, Help: "how a call ended",
		Examples: []string{"outcome:failed", "outcome:partial"},
		Values: []EnumValue{
			{Name: "ok", Help: "succeeded", Aliases: []string{"success", "succeeded", "completed"}},
			{Name: "failed", Help: "failed", Aliases: []string{"failure", "error"}},
			{Name: "partial", Help: "succeeded in part"},
			{Name: "pending", Help: "no result yet", Aliases: []string{"running"}},
			{Name: "denied", Help: "not allowed", Aliases: []string{"rejected"}},
			{Name: "interrupted", Help: "stopped by the user", Aliases: []string{"aborted"}},
			{Name: "cancelled", Help: "given up because another failed", Aliases: []string{"canceled"}},
			{Name: "timeout", Help: "ran out of time"},
			{Name: "unknown", Help: "the transcript does not say"},
		}},
	{Key: KeyValidity, Name: "validity", Kind: TakesEnum, Help: "whether it still counts",
		Examples: []string{"validity:invalidated", "validity:superseded"},
		Values: []EnumValue{
			{Name: "active", Help: "still counts", Aliases: []string{"valid"}},
			{Name: "invalidated", Help: "declared wrong", Aliases: []string{"invalid"}},
			{Name: "superseded", Help: "replaced by a later one"},
			{Name: "archived", Help: "put away"},
		}},
	{Key: KeyInteraction, Name: "interaction", Kind: TakesWhole, Help: "id of an interaction", Examples: []string{"interaction:11111111*"}},
	{Key: KeyID, Name: "id", Kind: TakesWhole, Help: "id of a message or call", Examples: []string{"id:toolu_01*"}},
	{Key: KeyThread, Name: "thread", Aliases: []string{"agent", "subagent"}, Kind: TakesWhole, Help: "an agent within the run",
		Examples: []string{"thread:main", "thread:explore*"}},
	{Key: KeySession, Name: "session", Aliases: []string{"conversation"}, Kind: TakesWhole, Help: "id of a session", Examples: []string{"session:8463c716*"}},
	{Key: KeyTitle, Name: "title", Kind: TakesText, Help: "words in the title of a session", Examples: []string{"title:login", `title:"fix login"`}},
	{Key: KeyProject, Name: "project", Aliases: []string{"cwd", "dir", "folder"}, Kind: TakesPath, Help: "the folder of a session",
		Examples: []string{"project:turns", "project:~/src/*"}},
	{Key: KeyEnd, Name: "end", Aliases: []string{"ended"}, Kind: TakesEnum, Help: "how a run ended", Examples: []string{"end:failed", "end:open"},
		Values: []EnumValue{
			{Name: "finished", Help: "came to its end", Aliases: []string{"ok", "success", "done"}},
			{Name: "failed", Help: "ended in an error", Aliases: []string{"error", "failure"}},
			{Name: "interrupted", Help: "was stopped", Aliases: []string{"aborted"}},
			{Name: "open", Help: "still goes on, or was left", Aliases: []string{"running"}},
			{Name: "unknown", Help: "the transcript does not say"},
		}},
}

var langTimes = []string{"22:41", "2026-02-11", "yesterday", "2h"}

var langIs = []EnumValue{
	{Name: "error", Help: "calls that failed, API errors", Aliases: []string{"failed", "failure", "errored"}},
	{Name: "pending", Help: "calls without a result", Aliases: []string{"running"}},
	{Name: "orphan", Help: "results without a call"},
	{Name: "denied", Help: "calls that were not allowed", Aliases: []string{"rejected"}},
	{Name: "interrupted", Help: "stopped by the user", Aliases: []string{"aborted"}},
	{Name: "cancelled", Help: "given up because another failed", Aliases: []string{"canceled"}},
	{Name: "timeout", Help: "ran out of time", Aliases: []string{"timedout"}},
	{Name: "retry", Help: "tried again after a failure"},
	{Name: "background", Help: "calls that went to the background"},
	{Name: "parallel", Help: "calls that ran at the same time"},
	{Name: "prompt", Help: "what the user asked, each opening a turn"},
	{Name: "injected", Help: "text that a program put into the user's mouth"},
	{Name: "synthetic", Help: "made by the agent, not the model"},
	{Name: "sidechain", Help: "inside a subagent", Aliases: []string{"subagent"}},
	{Name: "event", Help: "bookkeeping", Aliases: []string{"note"}},
	{Name: "partial", Help: "not complete"},
	{Name: "truncated", Help: "cut by the agent or a limit"},
	{Name: "redacted", Help: "removed on purpose"},
	{Name: "compacted", Help: "replaced by a summary"},
	{Name: "rewound", Help: "taken back by a rewind"},
	{Name: "inherited", Help: "copied from the conversation it was forked from"},
	{Name: "live", Help: "on the branch that counts"},
	{Name: "superseded", Help: "replaced by a later message"},
	{Name: "invalidated", Help: "declared wrong"},
	{Name: "archived", Help: "put away"},
	{Name: "marked", Help: "marked by you"},
	{Name: "unreadable", Help: "records that could not be read", Aliases: []string{"damaged"}},
}

var langHas = []EnumValue{
	{Name: "text", Help: "words", Aliases: []string{"content"}},
	{Name: "reasoning", Help: "reasoning", Aliases: []string{"thinking"}},
	{Name: "call", Help: "tool calls", Aliases: []string{"calls", "tool", "tools"}},
	{Name: "result", Help: "tool results", Aliases: []string{"results"}},
	{Name: "error", Help: "a failed call or an API error", Aliases: []string{"errors"}},
	{Name: "image", Help: "an image", Aliases: []string{"images", "media"}},
	{Name: "file", Help: "an attached file", Aliases: []string{"files", "attachment"}},
	{Name: "diff", Help: "an edit shown as a diff", Aliases: []string{"patch"}},
	{Name: "code", Help: "a block of code"},
	{Name: "link", Help: "a link", Aliases: []string{"links", "url"}},
	{Name: "usage", Help: "recorded token usage"},
}
