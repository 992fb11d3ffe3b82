package copilot

import (
	"fmt"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// The variants of vscode-copilot.
const (
	vscodeSession = iota // a chat session
	VscodeReplay         // an exported chat replay
	vscodeLog            // a log of edits to a chat session
)

// vscodeUsers lists the user folders of VS Code and its relatives; all have the same subfolders.
var vscodeUsers = []string{
	"~/.config/Code/User", "~/.config/Code - Insiders/User", "~/.config/VSCodium/User",
	"~/Library/Application Support/Code/User", "~/Library/Application Support/Code - Insiders/User", "~/Library/Application Support/VSCodium/User",
	"~/AppData/Roaming/Code/User", "~/AppData/Roaming/Code - Insiders/User", "~/AppData/Roaming/VSCodium/User",
	"~/.vscode-server/data/User", "~/.vscode-server-insiders/data/User",
}

// vscodePlaces returns the folders of chats: those of the editor, and since Copilot Chat 0.47 those
// of the agent. A window without a folder has a separate place.
func vscodePlaces() (places []string) {
	for _, user := range vscodeUsers {
		places = append(places,
			user+"/workspaceStorage/*/chatSessions/*.json*", user+"/globalStorage/emptyWindowChatSessions/*.json*",
			user+"/workspaceStorage/*/GitHub.copilot-chat/transcripts/*.jsonl", user+"/globalStorage/github.copilot-chat/transcripts/*.jsonl",
		)
	}
	return places
}

const vscodeTitle = "VS Code Copilot Chat"

// VSCodeFormat reads the chat sessions of VS Code: a document with a list of requests, each with
// its response, or (since 2026) a log of edits that build the document. It also reads exported chat
// replays.
func VSCodeFormat() *model.Format {
	return &model.Format{
		Name:   "vscode-copilot",
		Title:  vscodeTitle,
		Where:  vscodePlaces(),
		Detect: vscodeDetect,
		Lists: func(m model.Match) []string {
			if m.Variant == VscodeReplay {
				return []string{"prompts"}
			}
			return []string{"requests"}
		},
		Unroll: &model.Unroll{Replay: VscodeReplayLog, Edits: func(m model.Match) bool { return m.Variant == vscodeLog }},
		Parse:  vscodeParse,
	}
}

func vscodeDetect(s *model.Sample) model.Match {
	if n := vscodeOps(s); n > 0 {
		return model.Match{Score: 93, Variant: vscodeLog, Reason: fmt.Sprintf("%d edits (kind, k, v) that make a chat session", n)}
	}
	doc := kit.SampleDocument(s)
	if doc == nil {
		return model.Match{}
	}
	switch known := vscodeKnown(doc); {
	case known.requests && known.score >= 2:
		return model.Match{Score: 93, Reason: "requests with a sessionId and a responder, as VS Code writes chat sessions"}
	case known.prompts && known.score >= 1:
		return model.Match{Score: 90, Variant: VscodeReplay, Reason: "prompts with logs and the time of their export"}
	}
	return model.Match{}
}

type vscodeKeys struct {
	requests, prompts bool
	score             int
}

// vscodeKnown reads the keys of a document, which may be cut off.
func vscodeKnown(doc []byte) (k vscodeKeys) {
	c := jsonspan.New(doc)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "requests":
			k.requests = c.Kind() == jsonspan.Array
		case "prompts":
			k.prompts = c.Kind() == jsonspan.Array
		case "sessionId", "responderUsername", "requesterUsername", "creationDate", "initialLocation", "lastMessageDate",
			"exportedAt", "totalPrompts", "totalLogEntries":
			k.score++
		}
		c.Skip()
	}
	if list := kit.Elements(doc, "requests", 1); len(list) > 0 && kit.HasKey(list[0], "requestId") && kit.HasKey(list[0], "response") {
		k.score++
	}
	if list := kit.Elements(doc, "prompts", 1); len(list) > 0 && !kit.HasKey(list[0], "logs") {
		k.prompts = false
	}
	return k
}

// vscodeOps returns the number of edits of a chat session in a sample; zero if it is not a log of
// edits.
func vscodeOps(s *model.Sample) int {
	if s.Shape != model.Lines || len(s.Records) == 0 {
		return 0
	}
	state := false
	for _, line := range s.Records {
		kind, ok := jsonspan.ParseInt(jsonspan.Get(line, "kind"))
		switch {
		case !ok || kind < 0 || kind > 3:
			return 0
		case kind == 0:
			known := vscodeKnown(jsonspan.Get(line, "v"))
			state = state || known.requests && known.score > 0 || known.score > 1
		case jsonspan.KindOf(jsonspan.Get(line, "k")) != jsonspan.Array:
			return 0
		}
	}
	if !state {
		return 0
	}
	return len(s.Records)
}

func vscodeParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	switch {
	case c.Kind() != jsonspan.Object:
		kit.Note(fs, "record").AddText(model.OtherBlock, model.ValueText(c.Skip()))
	case rec.List == "requests":
		var r vscodeRequest
		r.read(&c)
		if c.Err == nil {
			r.emit(fs)
		}
	case rec.List == "prompts":
		vscodePrompt(&c, fs)
	default:
		vscodeAbout(&c, fs)
	}
	return kit.Finish(&c, fs)
}

var vscodeAboutNames = kit.Names{
	"sessionId": "session", "customTitle": "title", "responderUsername": "agent",
	"initialLocation": "location", "pendingRequests": "pending_requests",
}

func vscodeAbout(c *jsonspan.Cursor, fs *model.Facts) {
	f := fs.Add(model.About)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "creationDate", "exportedAt":
			f.Time = kit.ReadMoment(c)
		default:
			vscodeAboutNames.Keep(f, c)
		}
	}
}

// vscodeRequest holds the raw values of a prompt and its response.
type vscodeRequest struct {
	id, responseID, message, response, variables []byte
	model, stamp, canceled, slash, usage         []byte
	result, failure, elapsed, output             []byte
	meta                                         vscodeMetadata
}

// vscodeMetadata holds the raw metadata of a result.
type vscodeMetadata struct{ model, prompt, output, rounds, results []byte }

var vscodeMetadataFields = kit.TableOf(func(m *vscodeMetadata) kit.Fields {
	return kit.Fields{
		kit.Raw("resolvedModel", &m.model), kit.Raw("promptTokens", &m.prompt),
		kit.Raw("outputTokens", &m.output), kit.Raw("toolCallRounds", &m.rounds),
		kit.Raw("toolCallResults", &m.results),
	}
})

func (m *vscodeMetadata) read(c *jsonspan.Cursor) {
	vscodeMetadataFields.ReadAll(c, m)
}

var vscodeRequestFields = kit.TableOf(func(r *vscodeRequest) kit.Fields {
	return kit.Fields{
		kit.Raw("requestId", &r.id), kit.Raw("responseId", &r.responseID),
		kit.Raw("message", &r.message), kit.Raw("response", &r.response),
		kit.Raw("variableData", &r.variables), kit.Raw("modelId", &r.model),
		kit.Raw("timestamp", &r.stamp), kit.Raw("isCanceled", &r.canceled),
		kit.Raw("slashCommand", &r.slash), kit.Raw("usage", &r.usage),
		kit.Raw("completionTokens", &r.output),
	}
})

func (r *vscodeRequest) read(c *jsonspan.Cursor) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "result":
			from := c.Pos
			r.readResult(c)
			r.result = c.Buf[from:c.Pos]
		default:
			vscodeRequestFields.Read(c, r)
		}
	}
}

func (r *vscodeRequest) readResult(c *jsonspan.Cursor) {
	fields := kit.Fields{kit.Raw("errorDetails", &r.failure), kit.Raw("usage", &r.usage)}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "metadata":
			r.meta.read(c)
		case "timings":
			r.elapsed = jsonspan.Get(c.Skip(), "totalElapsed")
		default:
			fields.Read(c)
		}
	}
}

func (r *vscodeRequest) emit(fs *model.Facts) {
	f := fs.Add(model.Say)
	f.Role = model.User
	f.Key = kit.HashValue(r.id)
	f.Time = kit.MomentOf(r.stamp)
	text := r.message
	if jsonspan.KindOf(text) == jsonspan.Object {
		text = jsonspan.Get(text, "text")
	}
	f.AddText(model.Words, model.ValueText(text))
	kit.Keep(f, "command", jsonspan.Get(r.slash, "name"))
	vscodeVariables(f, jsonspan.Get(r.variables, "variables"))
	if kit.IsNull(r.response) && jsonspan.KindOf(r.result) != jsonspan.Object {
		return // not yet answered
	}
	r.emitResponse(fs.Add(model.Say))
}

// vscodeVariables adds the attachments of a prompt: files, selections, images.
func vscodeVariables(f *model.Fact, list []byte) {
	for v := range jsonspan.List(list) {
		if jsonspan.KindOf(v) != jsonspan.Object {
			continue
		}
		m := f.Add(model.Media)
		m.Name = model.ValueText(jsonspan.Get(v, "kind"))
		m.Text = model.ValueText(jsonspan.Get(v, "name"))
		value := jsonspan.Get(v, "value")
		for _, path := range [...][]byte{jsonspan.Get(value, "fsPath"), jsonspan.Get(value, "path"), jsonspan.Get(value, "uri", "path")} {
			if kit.IsString(path) {
				m.Text = model.ValueText(path)
				break
			}
		}
		if m.Text.Absent() {
			m.Text = model.ValueText(v)
		}
	}
}

func (r *vscodeRequest) emitResponse(f *model.Fact) {
	f.Role = model.Assistant
	f.Key = kit.HashValue(r.responseID)
	if f.Key == 0 {
		f.Key = kit.HashValue(r.id).With([]byte("response"))
	}
	f.Time = kit.MomentOf(r.stamp)
	if ms, ok := jsonspan.ParseInt(r.elapsed); ok && f.Time.Ms > 0 {
		f.Time.Ms += ms
	}
	f.Model = model.ValueText(r.model)
	if !kit.IsEmpty(r.meta.model) {
		f.Model = model.ValueText(r.meta.model)
	}
	r.emitUsage(f)
	r.emitItems(f)
	switch {
	case !kit.IsEmpty(r.failure):
		f.Flags |= model.APIError
		f.Outcome, f.Stop = model.Failure, model.StopError
		message := jsonspan.Get(r.failure, "message")
		if kit.IsTrue(jsonspan.Get(r.failure, "responseIsFiltered")) {
			f.Flags |= model.Refused
			f.Stop = model.StopRefusal
		}
		if string(kit.Inside(jsonspan.Get(r.failure, "code"))) == "canceled" || kit.IsTrue(r.canceled) {
			f.Flags = f.Flags&^model.APIError | model.Interrupted
			f.Outcome, f.Stop = model.Stopped, model.StopAborted
		}
		if len(f.Blocks) == 0 && !kit.IsEmpty(message) {
			f.AddText(model.Words, model.ValueText(message))
		} else {
			kit.Keep(f, "error", message)
		}
	case kit.IsTrue(r.canceled):
		f.Flags |= model.Interrupted
		f.Outcome, f.Stop = model.Stopped, model.StopAborted
	}
}

func (r *vscodeRequest) emitUsage(f *model.Fact) {
	prompt, output := r.meta.prompt, r.meta.output
	if jsonspan.KindOf(r.usage) == jsonspan.Object {
		kit.ReadObject(r.usage,
			kit.Raw("promptTokens", &prompt), kit.Raw("outputTokens", &output),
			kit.Raw("completionTokens", &output),
		)
	}
	output = kit.Or(output, r.output)
	u := kit.NoUsage(model.Each)
	if n, ok := jsonspan.ParseInt(prompt); ok {
		u.Input = n
	}
	if n, ok := jsonspan.ParseInt(output); ok {
		u.Output = n
	}
	if u.Input >= 0 || u.Output >= 0 {
		f.Usage = u
	}
}

// vscodePrompt adds a prompt of a replay with its log: requests, each of which repeats the full
// history before its answer, and tool calls with their results.
func vscodePrompt(c *jsonspan.Cursor, fs *model.Facts) {
	f := fs.Add(model.Say)
	f.Role = model.User
	var logs []byte
	fields := kit.Fields{kit.Key("promptId", &f.Key), kit.Raw("logs", &logs)}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "prompt":
			f.AddText(model.Words, model.ValueText(c.Skip()))
		default:
			fields.Read(c)
		}
	}
	if jsonspan.KindOf(logs) != jsonspan.Array {
		return
	}
	in := jsonspan.New(logs)
	for in.Array(); in.More(); {
		kind := kit.LookAt(in, "kind")
		v := in.Skip()
		switch string(kind) {
		case "request":
			vscodeLogged(fs.Add(model.Say), v)
		case "toolCall":
			vscodeLoggedCall(fs.Add(model.Say), v)
		default:
			kit.Note(fs, "record").Name = model.EscapedText(kind)
		}
	}
}

func vscodeLogged(f *model.Fact, v []byte) {
	f.Role = model.Assistant
	var name, response, message, value, status, reason []byte
	c := jsonspan.New(v)
	fields := kit.Fields{kit.Raw("name", &name), kit.Raw("response", &response)}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "metadata":
			vscodeLoggedMetadata(f, c.Skip())
		default:
			fields.Read(&c)
		}
	}
	kit.Keep(f, "request", name)
	c = jsonspan.New(response)
	kit.ReadFields(&c,
		kit.Raw("message", &message), kit.Raw("value", &value), kit.Word("type", &status),
		kit.Raw("reason", &reason),
	)
	message = kit.Or(message, value)
	kit.AddContent(f, message)
	if o, ok := kit.OutcomeOfStatus(status); ok && o.Failed() {
		f.Flags |= model.APIError
		f.Outcome, f.Stop = o, model.StopError
		if len(f.Blocks) == 0 {
			f.AddText(model.Words, model.ValueText(reason))
		}
	}
}

func vscodeLoggedMetadata(f *model.Fact, v []byte) {
	c := jsonspan.New(v)
	fields := kit.Fields{kit.Text("model", &f.Model), kit.Time("endTime", &f.Time)}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "usage":
			f.Usage = kit.ReadUsage(&c)
		default:
			fields.Read(&c)
		}
	}
}

var vscodeCallFields = kit.TableOf(func(call *vscodeCall) kit.Fields {
	return kit.Fields{
		kit.Raw("id", &call.id), kit.Raw("tool", &call.name), kit.Raw("args", &call.args),
		kit.Raw("response", &call.result),
	}
})

func vscodeLoggedCall(f *model.Fact, v []byte) {
	f.Role = model.Assistant
	var call vscodeCall
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "time":
			f.Time = kit.ReadMoment(&c)
		case "thinking":
			if t := jsonspan.Get(c.Skip(), "text"); !kit.IsEmpty(t) {
				f.AddText(model.Reasoning, model.ValueText(t))
			}
		default:
			vscodeCallFields.Read(&c, &call)
		}
	}
	id, name := model.ValueText(call.id), model.ValueText(call.name)
	b := f.Add(model.ToolCall)
	b.ID, b.Name, b.Text = id, name, model.ValueText(call.args)
	if one := kit.SoleElement(call.result); kit.IsString(one) {
		call.result = one
	}
	if call.result != nil {
		kit.AddResult(f, id, name, call.result, model.Unknown)
	}
}
