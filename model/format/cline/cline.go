package cline

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// Format reads the tasks of Cline and its relatives (Roo Code, the old Kilo Code): the messages
// that the API saw, the messages that the user saw, or, since Cline's SDK, one document with
// both.
func Format() *model.Format {
	return &model.Format{
		Name:   "cline",
		Title:  "Cline, Roo Code or Kilo Code task",
		Deltas: true,
		Where: []string{
			"~/.cline/data/sessions/*/*.messages.json",
			"~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/*/api_conversation_history.json",
			"~/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/*/api_conversation_history.json",
			"~/.config/Code/User/globalStorage/kilocode.kilo-code/tasks/*/api_conversation_history.json",
			"~/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/*/api_conversation_history.json",
			"~/Library/Application Support/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/*/api_conversation_history.json",
			"~/Library/Application Support/Code/User/globalStorage/kilocode.kilo-code/tasks/*/api_conversation_history.json",
		},
		Detect: clineDetect,
		Lists: func(m model.Match) []string {
			switch m.Variant {
			case clineSDK:
				return []string{"messages"}
			case clineMeta:
				return nil
			}
			return []string{kit.WholeList}
		},
		Parse: clineParse,
	}
}

// The variants of cline.
const (
	clineAPI = iota // a list of messages of the Anthropic API
	clineUI         // a list of the messages that the user saw
	clineSDK        // a document of the SDK
	clineMeta
	clineNative // as clineAPI, with calls as blocks, not in the model's words
)

func clineDetect(s *model.Sample) model.Match {
	doc := kit.SampleDocument(s)
	if doc == nil {
		return model.Match{}
	}
	if list := kit.Elements(doc, kit.WholeList, kit.SampleLimit); len(list) > 0 {
		return clineDetectList(s, list)
	}
	return clineDocument(s)
}

var clineDocument = kit.Clues(
	kit.Clue{In: kit.InDocument, Score: 88, Variant: clineSDK, Reason: "a document with version, sessionId, agent and messages",
		Is: kit.Signs{"sessionId & messages & version & agent|updated_at & !messages[](!role:string) & !messages[](!content)"}},
	kit.Clue{In: kit.InDocument, Score: 80, Variant: clineMeta, Reason: "a session's description with session_id and messages_path",
		Is: kit.Signs{"messages_path & session_id"}},
)

func clineDetectList(s *model.Sample, list [][]byte) model.Match {
	ui, api, marks, variant := 0, 0, 0, uint8(clineAPI)
	for _, m := range list {
		if ts, ok := jsonspan.ParseInt(jsonspan.Get(m, "ts")); ok && ts > 1e12 {
			switch kind := jsonspan.GetString(m, "type"); string(kind) {
			case "say", "ask":
				if jsonspan.GetString(m, string(kind)) != nil {
					ui++
				}
			}
			marks++
		}
		switch string(jsonspan.GetString(m, "role")) {
		case "user", "assistant": // calls are blocks or tags; the system prompt is not stored
			if kit.HasKey(m, "content") && !kit.HasKey(m, "tool_calls") {
				api++
			}
		}
		if bytes.Contains(m, []byte(`"tool_use"`)) {
			variant = clineNative
		}
		if bytes.Contains(m, []byte("<environment_details>")) || bytes.Contains(m, []byte("<task>")) {
			marks++
		}
	}
	named := bytes.HasSuffix([]byte(s.Path), []byte("api_conversation_history.json"))
	switch {
	case ui*2 > len(list):
		return model.Match{Score: 92, Variant: clineUI, Reason: "messages of type say and ask with ts"}
	case api == len(list) && (marks > 0 || named):
		return model.Match{Score: 78, Variant: variant, Reason: "messages with role, content and ts or <environment_details>"}
	}
	return model.Match{}
}

var clineAboutNames = kit.Names{
	"sessionId": "session", "session_id": "session", "version": "format version", "cwd": "cwd",
	"model": "model", "title": "title",
}

func clineParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if rec.List == "" && c.Kind() == jsonspan.Array { // a list on one line, or without its elements
		fs.Add(model.About)
		first := true
		for c.Array(); c.More(); first = false {
			clineElement(&c, rec.Variant, first, fs)
		}
		return kit.Finish(&c, fs)
	}
	if rec.List != "" {
		clineElement(&c, rec.Variant, rec.Ref.Off < int64(len(shortestSeen)), fs)
		return kit.Finish(&c, fs)
	}
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	var list, system []byte
	f := fs.Add(model.About)
	fields := kit.Fields{
		kit.Raw("messages", &list), kit.Raw("system_prompt", &system), kit.Raw("systemPrompt", &system),
		kit.Time("started_at", &f.Time), kit.Time("updated_at", &f.Time),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "metadata":
			v := c.Skip()
			kit.Keep(f, "title", jsonspan.Get(v, "title"))
			kit.Keep(f, "parent", jsonspan.Get(v, "fork", "forkedFromSessionId"))
			kit.Keep(f, "metadata", v)
		default:
			if !fields.Take(&c) {
				clineAboutNames.Keep(f, &c)
			}
		}
	}
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	if !kit.IsEmpty(system) {
		f := fs.Add(model.Say)
		f.Role = model.System
		f.AddText(model.Words, model.ValueText(system))
	}
	if !kit.IsNull(list) {
		m := jsonspan.New(list)
		for m.Array(); m.More(); {
			clineElement(&m, rec.Variant, false, fs)
		}
		if m.Err != nil {
			return m.Err
		}
	}
	return kit.Finish(&c, fs)
}

func clineElement(c *jsonspan.Cursor, variant uint8, first bool, fs *model.Facts) {
	if !kit.StartObject(c, fs) {
		return
	}
	f := fs.Add(model.Say)
	if variant == clineUI {
		clineSeen(c, first, fs)
	} else {
		clineMessage(c, f, variant == clineNative, fs)
	}
}

// clineMessage reads a message of the API. native: the calls are blocks.
func clineMessage(c *jsonspan.Cursor, f *model.Fact, native bool, fs *model.Facts) {
	var content []byte
	fields := kit.Fields{
		kit.Raw("content", &content), kit.Time("ts", &f.Time), kit.Key("id", &f.Key),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "role":
			kit.SetRole(f, c.String())
		case "modelInfo":
			f.Model = clineModel(c.Skip())
		case "metrics":
			f.Usage = clineMetrics(c.Skip())
		default:
			fields.ReadOrKeep(f, c)
		}
	}
	if c.Err != nil {
		return
	}
	clineContent(f, content)
	switch f.Role {
	case model.User:
		clineResults(f, native)
		cutIntroductions(f)
		kit.UnwrapWords(f, clineWrappers)
		kit.SplitUserRecord(fs)
	case model.Assistant:
		clineCalls(f)
	}
}

// clineModel returns the id in an entry's modelInfo.
func clineModel(info []byte) model.Text {
	for _, name := range [...]string{"modelId", "id"} {
		if id := jsonspan.Get(info, name); kit.IsString(id) {
			return model.ValueText(id)
		}
	}
	return model.Text{}
}

// clineWrappers are the elements that Cline and its relatives put a prompt into.
var clineWrappers = []string{"task", "user_message", "feedback", "answer"}

// introductions are the lines that Cline puts before the element with a prompt: when a task is
// resumed, and when the user is not content with its result.
var introductions = []struct{ words, element string }{
	{"New message to respond to with plan_mode_respond tool", "<user_message>"},
	{"New instructions for task continuation", "<user_message>"},
	{notContent, "<feedback>"},
}

// cutIntroductions removes the lines before the element with a prompt.
func cutIntroductions(f *model.Fact) {
	for i := range f.Blocks {
		b := &f.Blocks[i]
		if b.Kind != model.Words {
			continue
		}
		words := b.Text.TrimSpace() // Roo Code begins with empty lines
		for _, in := range introductions {
			if !words.HasPrefix(in.words) {
				continue
			}
			if at := bytes.Index(words.Raw(), []byte(in.element)); at > 0 {
				b.Text = words.Cut(at, words.Size())
			}
		}
	}
}

func clineContent(f *model.Fact, content []byte) {
	if jsonspan.KindOf(content) != jsonspan.Array {
		kit.AddContent(f, content)
		return
	}
	for v := range jsonspan.List(content) {
		if string(jsonspan.GetString(v, "type")) == "file" && kit.HasKey(v, "path") {
			b := f.Add(model.OtherBlock) // a file that the user named, with its text
			b.Name = model.ValueText(jsonspan.Get(v, "path"))
			b.Text = model.ValueText(jsonspan.Get(v, "content"))
			continue
		}
		kit.AddBlock(f, v)
	}
}

// clineMetrics reads the numbers of a response. Their input includes the tokens read from the
// cache.
func clineMetrics(v []byte) model.Usage {
	u := clineNames.Read(v, model.Each)
	kit.ExcludeCache(&u)
	return u
}

var clineNames = kit.UsageNames{
	Input: "inputTokens", Output: "outputTokens", CacheRead: "cacheReadTokens", CacheWrite: "cacheWriteTokens", Cost: "cost",
}
