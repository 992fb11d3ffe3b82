package prose

import (
	"bytes"
	"regexp"
	"strconv"
	"unicode/utf8"

	"turns/model"
)

// export is the form of one program's texts. Each piece begins with a line of that form.
type export struct {
	name string
	// sign is in every such text; searching for it is cheap
	sign string
	// begin matches the first line of a piece
	begin func() *regexp.Regexp
	// parts matches a piece. Its groups are fields of the JSON: a question and its answer, or one
	// of them as a message. The lines of "quoted" have marks; "answered" is the time of an answer.
	parts func() *regexp.Regexp
	// model matches the model that the program names once for all answers; nil if it does not
	model func() *regexp.Regexp
	// bounds matches the places of all answers, by characters from 1; nil if the program records
	// none. A line that begins a piece is not inside an answer.
	bounds func() *regexp.Regexp
	// fenced means that a line of code in an answer may look like the first line of a piece
	fenced bool
	// log means that the fields are those of a program's own log, which a known format reads
	log bool
}

// localTime matches a browser's toLocaleString.
const localTime = `\d[\d/.-]+, \d[\d:.]+(?:\s[AP]M)?`

var exports = []export{
	// crewAIInc/crewAI, utilities/file_handler.py: output_log_file as text
	{name: "text", sign: `: task_name="`, log: true,
		begin: lazy(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: task_name="`),
		parts: lazy(`(?s)^(?P<timestamp>\S+ \S+): task_name="(?P<task_name>.*?)", task="(?P<task>.*?)", agent="(?P<agent>.*?)", status="(?P<status>\w+)"(?:, output="(?P<output>.*)")?\s*$`)},
	// simonw/llm: llm logs
	{name: "Markdown of llm logs", sign: "\n## Prompt\n",
		begin: lazy(`^# \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*(?: +conversation: \S+ id: \S+)?\s*$`),
		parts: lazy(`(?s)^# (?P<timestamp>\S+)[^\n]*\n(?:\s*Model: \*\*(?P<model>[^*\n]+)\*\*[^\n]*\n)?.*?## Prompt\n(?P<user>.*?)\n## Response\n(?P<assistant>.*)$`)},
	// ChatGPTNextWeb/NextChat, app/components/exporter.tsx
	{name: "Markdown of NextChat", sign: "From You:\n",
		begin: lazy(`^## (?:Message )?From (?:You|ChatGPT):\s*$`),
		parts: lazy(`(?s)^## (?:Message )?From (?:You:(?P<user>.*)|ChatGPT:(?P<assistant>.*))$`)},
	{name: "Markdown of NextChat", sign: "\n## 来自你的消息:\n",
		begin: lazy(`^## 来自(?:你的| ?ChatGPT ?的)消息:\s*$`),
		parts: lazy(`(?s)^## 来自(?:你的消息:(?P<user>.*)| ?ChatGPT ?的消息:(?P<assistant>.*))$`)},
	// agoramachina/claude-exporter
	{name: "Markdown of Claude Exporter", sign: "\n## Prompt:\n",
		begin: lazy(`^## (?:Prompt|Response):\s*$`),
		parts: lazy(`(?s)^## (?:Response:\s*(?P<answered>` + localTime + `)\n(?P<assistant>.*)|Prompt:\s*(?P<timestamp>` + localTime + `)\n(?P<user>.*))$`)},
	// revivalstack/ai-chat-exporter
	{name: "Markdown of AI Chat Exporter", sign: "\n### chat-1\n",
		begin: lazy(`^### chat-\d+\s*$`),
		parts: lazy(`(?s)^### chat-\d+\s+(?P<quoted>> .*?)\n###### [^\n]+ said:\n(?P<assistant>.*?)(?:\n---\s+###### \[top\].*)?$`)},
	// karthink/gptel: a chat in a file; each prompt is a heading
	{name: "a chat of gptel", sign: "\n:GPTEL_BOUNDS: ",
		begin: lazy(`^\*\*\* \S`), model: lazy(`(?m)^:GPTEL_MODEL: (.+)$`), bounds: lazy(`(?m)^:GPTEL_BOUNDS: (.+)$`),
		parts: lazy(`(?s)^\*\*\* (?P<user>[^\n]+)\n(?P<assistant>.*?)(?:\n\*\*\*\s*)?$`)},
	{name: "a chat of gptel", sign: "\n<!-- gptel--bounds: ", fenced: true,
		begin: lazy(`^### \S`), model: lazy(`(?m)^<!-- gptel-model: (.+?) -->`), bounds: lazy(`(?m)^<!-- gptel--bounds: (.+?) -->`),
		parts: lazy(`(?s)^### (?P<user>[^\n]+)\n(?P<assistant>.*?)(?:(?:\n###\s*)?\n<!-- Local Variables: -->.*)?$`)},
	// rksm/org-ai: a block of a chat
	{name: "a chat of org-ai", sign: "#+begin_ai",
		begin: lazy(`^\[(?:SYS|ME|AI)\]:`), model: lazy(`(?m)^#\+begin_ai.*? :model "?([^\s"]+)`),
		parts: lazy(`(?s)^\[(?:SYS\]:(?P<system>.*?)|ME\]:(?P<user>.*?)|AI\]:(?P<assistant>.*?))(?:\n#\+end_ai.*)?$`)},
	// Perplexity: Export to Markdown; its logo precedes the first question
	{name: "Markdown of Perplexity", sign: "perplexity.ai/pplx-", fenced: true,
		begin: lazy(`^# \S`),
		parts: lazy(`(?s)^# (?P<user>[^\n]+)\n(?P<assistant>.*)$`)},
	// logancyang/obsidian-copilot: a saved chat
	{name: "a note of Obsidian Copilot", sign: "\n[Timestamp: ",
		begin: lazy(`^\*\*(?:user|ai)\*\*: `), model: lazy(`(?m)^modelKey: "?([^"|\n]+)`),
		parts: lazy(`(?s)^\*\*(?:user\*\*: (?P<user>.*?)|ai\*\*: (?P<assistant>.*?))\n\[Timestamp: (?P<timestamp>[^\]\n]+)\]\s*$`)},
	// sigoden/aichat: messages.md
	{name: "messages of aichat", sign: "# CHAT: ",
		begin: lazy(`^# CHAT: .*\[\d{4}-`),
		parts: lazy(`(?s)^# CHAT: [^\n]*\[(?P<timestamp>[^\]\n]+)\][^\n]*\n(?P<user>.*?)\n-{8}\n(?P<assistant>.*?)(?:\n-{8}\s*)?$`)},
}

// lookForExports finds a text that a program wrote. Most of its pieces must have their parts.
func lookForExports(text []byte) *layout {
	for _, e := range exports {
		if !bytes.Contains(text, []byte(e.sign)) {
			continue
		}
		x := exported{export: e}
		if e.model != nil {
			if m := e.model().FindSubmatch(text); m != nil {
				x.by = string(m[1])
			}
		}
		all, read, asked, answered := 0, 0, 0, 0
		for rest := text; len(rest) > 0; {
			piece, n := x.cut(rest, true)
			if rest = rest[n:]; !e.begin().Match(firstLine(piece)) {
				continue
			}
			all++
			if p := x.read(piece); p != nil {
				read++
				asked += min(1, len(p["user"])+len(p["status"]))
				answered += min(1, len(p["assistant"])+len(p["status"]))
			}
		}
		if read*2 > all && asked > 0 && answered > 0 && !x.splitsAnswers(text) {
			return &layout{e.name, !e.log, x.cut, x.appendTo}
		}
	}
	return nil
}

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return line
}

// exported reads the pieces of an export.
type exported struct {
	export
	by string // the model of all answers
}

// cut cuts before the next piece.
func (x exported) cut(text []byte, eof bool) ([]byte, int) {
	var f fence
	return cutBefore(text, eof, func(line []byte) bool {
		if x.fenced && (f.reads(0, line) || f.mark != nil) {
			return false
		}
		return x.begin().Match(bytes.TrimRight(line, "\r\n"))
	})
}

var span = lazy(`\((\d+) (?:\. )?(\d+)\)`)

// splitsAnswers reports whether a line that begins a piece is inside an answer.
func (x exported) splitsAnswers(text []byte) bool {
	if x.bounds == nil {
		return false
	}
	m := x.bounds().FindSubmatch(text)
	if m == nil {
		return true
	}
	spans := span().FindAllSubmatch(m[1], -1)
	place := 1
	for len(text) > 0 {
		_, n := x.cut(text, true)
		place += utf8.RuneCount(text[:n])
		text = text[n:]
		for _, s := range spans {
			from, _ := strconv.Atoi(string(s[1]))
			if to, _ := strconv.Atoi(string(s[2])); from < place && place < to {
				return true
			}
		}
	}
	return false
}

// read returns the parts of a piece; nil if the piece has another form.
func (x exported) read(piece []byte) map[string][]byte {
	m := x.parts().FindSubmatch(bytes.ReplaceAll(piece, []byte("\r\n"), []byte("\n")))
	if m == nil {
		return nil
	}
	found := map[string][]byte{}
	for i, name := range x.parts().SubexpNames() {
		if v := bytes.TrimSpace(m[i]); name != "" && len(v) > 0 {
			found[name] = v
		}
	}
	if v := found["answered"]; v != nil {
		found["timestamp"] = v
	}
	if v := found["quoted"]; v != nil {
		found["user"] = quoteMark().ReplaceAll(v, nil)
	}
	return found
}

// appendTo appends a piece as JSON.
func (x exported) appendTo(dst, piece []byte) []byte {
	found := x.read(piece)
	if found == nil {
		return dst
	}
	if x.log {
		return appendFields(dst, x.parts().SubexpNames(), found)
	}
	w := who{time: string(found["timestamp"]), model: string(found["model"])}
	if w.model == "" {
		w.model = x.by
	}
	user, assistant := found["user"], withoutRules(found["assistant"])
	switch {
	case len(user) > 0 && len(assistant) > 0:
		found["timestamp"], found["model"], found["assistant"] = []byte(w.time), []byte(w.model), assistant
		return appendFields(dst, []string{"timestamp", "model", "user", "assistant"}, found)
	case len(user) > 0:
		w.role, w.model = model.User, ""
		return appendParts(dst, w, withoutRules(user), nil)
	case len(assistant) > 0:
		w.role = model.Assistant
		return appendParts(dst, w, assistant, nil)
	}
	w.role, w.model = model.System, ""
	return appendParts(dst, w, found["system"], nil)
}

// appendFields appends an object without empty fields.
func appendFields(dst []byte, names []string, values map[string][]byte) []byte {
	dst = append(dst, '{')
	for _, name := range names {
		if v := values[name]; len(v) > 0 {
			dst = field(dst, []byte(name), v)
		}
	}
	return append(dst, '}')
}
