package prose

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"unicode"

	"turns/model"
	"turns/model/format/described"
)

// drawnHeadings are headings that programs print. Each names a speaker, so every speaker other than
// the user is an assistant of that name:
//
//	---------- TextMessage (user) ----------                 AutoGen's Console
//	================================ Human Message =====     LangChain's pretty_print
//	user_proxy (to writer):                                  AutoGen before 0.4
//	USER  [2026-05-16 23:12:37]                              scripts, between two rules
var drawnHeadings = []heading{
	{name: "what a program prints under the names of speakers", sign: "-=", drawn: true,
		is: lazy(`^(?:-{6,}|={6,}) +(?:[A-Z]\w*(?:Message|Event)\w* \()?([^=*~()\n]{1,60}?)\)? +(?:-{6,}|={6,})[ \t]*$`)},
	{name: "what a program prints under who speaks to whom", sign: "(", drawn: true,
		is: lazy(`^([\p{L}][^()\n]{0,50}?) \(to [^()\n]{1,50}\):[ \t]*$`)},
	{name: "what a program prints under a speaker and a time", sign: "[", drawn: true,
		is: lazy(`^([\p{L}][\p{L} _-]{0,30}?) +\[\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\]\n]{0,20}\][ \t]*$`)},
}

// maxTeam limits the number of speakers under a program's headings.
const maxTeam = 12

// team returns the names under a program's headings that no known word explains. Without a user,
// the first speaker is the user. It returns nil for banners of other programs: one of them must
// name a user or a model.
func (s sections) team(text []byte) map[string]described.Class {
	names := map[string]described.Class{}
	first, users := "", 0
	for line := range bytes.Lines(text) {
		m := s.is().FindSubmatch(bytes.TrimRight(line, "\r\n"))
		if m == nil || bytes.EqualFold(m[1], []byte("summary")) {
			continue
		}
		name := string(m[1])
		first = cmp.Or(first, name)
		if _, seen := names[name]; seen {
			continue
		}
		class := described.SpeakerOf(name)
		switch {
		case class == described.NoClass && isProxy(name):
			class = described.User
		case class == described.NoClass:
			class = described.Assistant
		}
		if names[name] = class; class == described.User {
			users++
		}
	}
	if len(names) > maxTeam || len(names) < 2 {
		return nil
	}
	if users == 0 {
		if s.sign != "(" {
			return nil
		}
		names[first] = described.User
	}
	return names
}

// isProxy reports whether a name is that of a user's proxy: "user_proxy", "Admin".
func isProxy(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "user") || strings.Contains(name, "human") || strings.Contains(name, "proxy") || name == "admin"
}

// chapterNames returns the two speakers named in the Markdown headings of a record: "## Ada" and
// "## Bob" repeat. The first to speak is the user. It returns nil for other texts.
func (s sections) chapterNames(text []byte) (names map[string]described.Class, level string) {
	if !record().Match(text[:min(len(text), shortOpening)]) {
		return nil, ""
	}
	count := map[string]int{}
	var again []string
	for line := range bytes.Lines(text) {
		if m := s.is().FindSubmatch(bytes.TrimRight(line, "\r\n ")); m != nil {
			key := string(line[:len(line)-len(bytes.TrimLeft(line, "#"))]) + " " + string(m[1])
			if count[key]++; count[key] == 2 {
				again = append(again, key)
			}
		}
	}
	var often []string
	for _, key := range again {
		if count[key] > 2 {
			often = append(often, key)
		}
	}
	if len(often) != 2 {
		return nil, ""
	}
	a, first, _ := strings.Cut(often[0], " ")
	b, second, _ := strings.Cut(often[1], " ")
	if a != b || !looksLikePerson(first) || !looksLikePerson(second) {
		return nil, ""
	}
	if above := a[1:]; above != "" && bytes.Count(text, []byte("\n"+above+" "))*4 > count[often[0]]+count[often[1]] {
		return nil, "" // chapters, as in a change log
	}
	if bytes.Index(text, []byte("\n"+often[1])) < bytes.Index(text, []byte("\n"+often[0])) {
		first, second = second, first
	}
	return map[string]described.Class{first: described.User, second: described.Assistant}, a
}

// looksLikePerson reports whether a heading may be a name: a few words that begin with capitals.
func looksLikePerson(name string) bool {
	words := strings.Fields(name)
	for _, w := range words {
		if r := []rune(w)[0]; unicode.IsLower(r) || !unicode.IsLetter(r) {
			return false
		}
	}
	return len(words) > 0 && len(words) <= 3
}

var (
	// [Prompt tokens: 241, Completion tokens: 93]
	printedTokens = lazy(`(?m)^\[Prompt tokens: (\d+), Completion tokens: (\d+)\]\s*$`)
	// drawn around messages by programs: lines of dashes, ">>>>>>>> USING AUTO REPLY..."
	drawnLine = lazy(`(?m)^(?:-{20,}|={20,}|>{8} .*)[ \t]*$`)
	// LangChain: Tool Calls:\n  search (call_1)\n Call ID: call_1\n  Args:\n    query: boats
	printedCalls = lazy(`(?m)^Tool Calls:[ \t]*\n`)
	printedCall  = lazy(`(?m)^  (\S+) \([^)\n]*\)\n Call ID: (\S+)\n  Args:\n((?:    .*(?:\n|$))*)`)
	printedArg   = lazy(`(?m)^    (\w+): ?(.*)$`)
	// AutoGen: ***** Suggested tool call (call_1): search *****\nArguments:\n{…}\n****
	suggestedCall = lazy(`(?s)\*{5} Suggested (?:tool|function) call(?: \(([^)\n]+)\))?: (\S+) \*{5}\s*Arguments: *\n(.*?)\n\*{5,}`)
	calledTool    = lazy(`(?s)^\s*\*{5} Response from calling (?:tool|function) \(?([^)\s]+)\)? \*{5}\n(.*?)\n?\*{5,}`)
	namedResult   = lazy(`(?s)^\s*Name: (\S+)\s*\n\n(.*)$`)
)

// printedTools extracts the calls from the output of AutoGen and LangChain.
func printedTools(text []byte) (rest []byte, tools []tool) {
	if trimmed := bytes.TrimSpace(text); bytes.HasPrefix(trimmed, []byte("[FunctionCall(")) {
		var calls []struct{ ID, Name, Arguments string }
		if json.Unmarshal(emitLiteral(nil, trimmed), &calls) == nil {
			for _, c := range calls {
				tools = append(tools, tool{id: c.ID, name: c.Name, args: c.Arguments})
			}
			return nil, tools
		}
	}
	if at := printedCalls().FindIndex(text); at != nil {
		for _, m := range printedCall().FindAllSubmatch(text[at[1]:], -1) {
			args := []byte{'{'}
			for _, a := range printedArg().FindAllSubmatch(m[3], -1) {
				args = field(args, a[1], a[2])
			}
			tools = append(tools, tool{id: string(m[2]), name: string(m[1]), args: string(append(args, '}'))})
		}
		if len(tools) > 0 {
			return text[:at[0]], tools
		}
	}
	for _, m := range suggestedCall().FindAllSubmatch(text, -1) {
		tools = append(tools, tool{id: string(m[1]), name: string(m[2]), args: string(bytes.TrimSpace(m[3]))})
	}
	if len(tools) > 0 {
		return suggestedCall().ReplaceAll(text, nil), tools
	}
	return text, nil
}

// printedResults appends the message of results printed by AutoGen and LangChain; for other texts
// it returns dst unchanged.
func printedResults(dst, text []byte) []byte {
	type result struct {
		Content string
		ID      string `json:"call_id"`
		Failed  bool   `json:"is_error"`
	}
	var results []result
	trimmed := bytes.TrimSpace(text)
	if bytes.HasPrefix(trimmed, []byte("[FunctionExecutionResult(")) {
		_ = json.Unmarshal(emitLiteral(nil, trimmed), &results)
	} else if m := calledTool().FindSubmatch(text); m != nil {
		results = []result{{Content: string(m[2]), ID: string(m[1])}}
	}
	if len(results) == 0 {
		return dst
	}
	dst = append(key(field(append(dst, '{'), []byte("role"), []byte("user")), []byte("content")), '[')
	for i, r := range results {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendResult(dst, r.ID, r.Content, r.Failed)
	}
	return append(dst, ']', '}')
}

// appendPrinted appends the message under a program's heading.
func appendPrinted(dst []byte, w who, text []byte) []byte {
	if m := printedTokens().FindSubmatch(text); m != nil {
		w.usage = `{"input_tokens":` + string(m[1]) + `,"output_tokens":` + string(m[2]) + `}`
		text = printedTokens().ReplaceAll(text, nil)
	}
	text = drawnLine().ReplaceAll(text, nil)
	if out := printedResults(dst, text); len(out) > len(dst) {
		return out
	}
	if m := namedResult().FindSubmatch(text); m != nil && w.role == model.Tool {
		return namedTool(dst, m[1], m[2])
	}
	if w.role != model.Assistant {
		return appendParts(dst, w, text, nil)
	}
	text, tools := printedTools(text)
	return appendParts(dst, w, text, tools)
}
