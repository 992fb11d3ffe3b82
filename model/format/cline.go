package format

import (
	"bytes"

	"turns/model"
	"turns/model/jsonspan"
)

// clineFormat is what Cline and its relatives (Roo Code, the Kilo Code of old)
// keep of a task: the messages that the API saw, the messages that the user saw,
// or, since Cline's SDK, one document with both.
func clineFormat() *model.Format {
	return &model.Format{
		Name:  "cline",
		Title: "Cline, Roo Code or Kilo Code task",
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
			return []string{wholeList}
		},
		Parse: clineParse,
	}
}

// The variants.
const (
	clineAPI = iota // a list of messages of the Anthropic API
	clineUI         // a list of what the user saw
	clineSDK        // a document of the SDK
	clineMeta
)

func clineDetect(s *model.Sample) model.Match {
	doc := sampleDocument(s)
	if doc == nil {
		return model.Match{}
	}
	if list := elements(doc, wholeList, sampleLimit); len(list) > 0 {
		return clineDetectList(s, list)
	}
	if hasKey(doc, "sessionId") && hasKey(doc, "messages") && hasKey(doc, "version") && (hasKey(doc, "agent") || hasKey(doc, "updated_at")) {
		for _, m := range elements(doc, "messages", 10) {
			if jsonspan.GetString(m, "role") == nil || !hasKey(m, "content") {
				return model.Match{}
			}
		}
		return model.Match{Score: 88, Variant: clineSDK, Reason: "a document with version, sessionId, agent and messages"}
	}
	if hasKey(doc, "messages_path") && hasKey(doc, "session_id") {
		return model.Match{Score: 80, Variant: clineMeta, Reason: "a session's description with session_id and messages_path"}
	}
	return model.Match{}
}

func clineDetectList(s *model.Sample, list [][]byte) model.Match {
	ui, api, marks := 0, 0, 0
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
		case "user", "assistant": // calls are blocks or tags, the system prompt is not kept
			if hasKey(m, "content") && !hasKey(m, "tool_calls") {
				api++
			}
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
		return model.Match{Score: 78, Variant: clineAPI, Reason: "messages with role, content and ts or <environment_details>"}
	}
	return model.Match{}
}

func clineParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if rec.List == "" && c.Kind() == jsonspan.Array { // a list on one line, or what is left of it
		fs.Add(model.About)
		for c.Array(); c.More(); {
			clineElement(&c, rec.Variant, fs)
		}
		return finish(&c, fs)
	}
	if rec.List != "" {
		clineElement(&c, rec.Variant, fs)
		return finish(&c, fs)
	}
	if !startObject(&c, fs) {
		return finish(&c, fs)
	}
	var list, system []byte
	f := fs.Add(model.About)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "messages":
			list = c.Skip()
		case "system_prompt", "systemPrompt":
			system = c.Skip()
		case "sessionId", "session_id":
			keep(f, "session", c.Skip())
		case "version":
			keep(f, "format version", c.Skip())
		case "cwd":
			keep(f, "cwd", c.Skip())
		case "model":
			keep(f, "model", c.Skip())
		case "title":
			keep(f, "title", c.Skip())
		case "metadata":
			v := c.Skip()
			keep(f, "title", jsonspan.Get(v, "title"))
			keep(f, "parent", jsonspan.Get(v, "fork", "forkedFromSessionId"))
			keep(f, "metadata", v)
		case "started_at", "updated_at":
			f.Time = readMoment(&c)
		default:
			keepField(f, &c)
		}
	}
	if c.Err != nil {
		fs.Drop()
		return c.Err
	}
	if !isEmpty(system) {
		f := fs.Add(model.Say)
		f.Role = model.System
		f.AddText(model.Words, model.ValueText(system))
	}
	if !isNull(list) {
		m := jsonspan.New(list)
		for m.Array(); m.More(); {
			clineElement(&m, rec.Variant, fs)
		}
		if m.Err != nil {
			return m.Err
		}
	}
	return finish(&c, fs)
}

func clineElement(c *jsonspan.Cursor, variant uint8, fs *model.Facts) {
	if !startObject(c, fs) {
		return
	}
	f := fs.Add(model.Say)
	if variant == clineUI {
		clineSeen(c, fs)
	} else {
		clineMessage(c, f, fs)
	}
}

// clineMessage reads a message of the API.
func clineMessage(c *jsonspan.Cursor, f *model.Fact, fs *model.Facts) {
	var content []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "role":
			setRole(f, c.String())
		case "content":
			content = c.Skip()
		case "ts":
			f.Time = readMoment(c)
		case "id":
			f.Key = hashValue(c.Skip())
		case "modelInfo":
			v := c.Skip()
			for _, name := range [...]string{"id", "modelId"} {
				if id := jsonspan.Get(v, name); isString(id) {
					f.Model = model.ValueText(id)
				}
			}
		case "metrics":
			f.Usage = clineMetrics(c.Skip())
		default:
			keepField(f, c)
		}
	}
	if c.Err != nil {
		return
	}
	clineContent(f, content)
	switch f.Role {
	case model.User:
		unwrapWords(f, clineWrappers)
		clineResults(f)
		splitUserRecord(fs)
	case model.Assistant:
		clineCalls(f)
	}
}

// clineWrappers are the elements that Cline and its relatives put a prompt into.
var clineWrappers = []string{"task", "user_message", "feedback"}

func clineContent(f *model.Fact, content []byte) {
	if jsonspan.KindOf(content) != jsonspan.Array {
		addContent(f, content)
		return
	}
	c := jsonspan.New(content)
	for c.Array(); c.More(); {
		v := c.Skip()
		if string(jsonspan.GetString(v, "type")) == "file" && hasKey(v, "path") {
			b := f.Add(model.OtherBlock) // a file that the user named, with its text
			b.Name = model.ValueText(jsonspan.Get(v, "path"))
			b.Text = model.ValueText(jsonspan.Get(v, "content"))
			continue
		}
		addBlock(f, v)
	}
}

// clineMetrics reads the numbers of a response; the input includes what came from
// the cache.
func clineMetrics(v []byte) model.Usage {
	u := clineNames.read(v, model.Each)
	excludeCache(&u)
	return u
}

var clineNames = usageNames{
	input: "inputTokens", output: "outputTokens", cacheRead: "cacheReadTokens", cacheWrite: "cacheWriteTokens", cost: "cost",
}
