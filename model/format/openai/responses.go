package openai

import (
	"bytes"
	"slices"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// ResponsesFormat reads OpenAI's Responses API: lists of items, responses, requests with their
// responses, and the events of a stream.
func ResponsesFormat() *model.Format {
	return &model.Format{
		Name:    "openai-responses",
		Highest: 85,
		Title:   "OpenAI Responses items",
		Detect:  responsesDetect,
		Lists:   responsesLists,
		Parse:   responsesParse,
	}
}

var responsesKind = &kit.FrameKind{
	Paths: []string{kit.WholeList, "items", "output", "input", "data", "history", "messages"},
	Marks: []string{`"function_call`, `"input_text"`, `"output_text"`, `"response"`, `"response.`, `_call"`, `"reasoning"`,
		`"item_reference"`},
	Judge:  responsesJudge,
	Score:  82,
	Reason: "items of the Responses API",
}

// responsesWhole is the variant of a document with one record: a request with its response.
const responsesWhole = 60

func responsesDetect(s *model.Sample) model.Match {
	m := responsesKind.Detect(s)
	if doc := kit.SampleDocument(s); doc != nil && jsonspan.KindOf(doc) == jsonspan.Object {
		switch {
		case responsesIsExchange(doc):
			return model.Match{Score: 84, Variant: responsesWhole, Reason: "a request or response of the Responses API"}
		case m.Score == 0 && responsesIsItems(doc):
			return model.Match{Score: 60, Variant: 2, Reason: "a model and items with role and content"}
		}
	}
	return m
}

// responsesIsItems reports whether a document has bare messages under items, as in transcripts of
// the API.
func responsesIsItems(doc []byte) bool {
	list := kit.Elements(doc, "items", kit.SampleLimit)
	return !slices.ContainsFunc(list, func(v []byte) bool { return responsesJudge(v) < 0 }) && len(list) > 0 && kit.HasKey(doc, "model")
}

// responsesIsExchange reports whether an object is a request with its response, or only a response.
func responsesIsExchange(v []byte) bool {
	marked := false // it may be a request or a response
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "request", "response", "body":
			if in := c.Skip(); jsonspan.KindOf(in) == jsonspan.Object && responsesIsEnvelope(in) {
				return true
			}
		case "object", "input":
			marked = true
			c.Skip()
		default:
			c.Skip()
		}
	}
	return marked && responsesIsEnvelope(v)
}

func responsesIsEnvelope(v []byte) bool {
	if kit.HasPrefix(jsonspan.GetString(v, "object"), "response") && (kit.HasKey(v, "output") || kit.HasKey(v, "input_tokens")) {
		return true
	}
	in := jsonspan.Get(v, "input")
	if in == nil || !kit.HasKey(v, "model") || kit.HasKey(v, "messages") {
		return false
	}
	if kit.IsString(in) {
		return kit.HasKey(v, "instructions") || kit.HasKey(v, "reasoning") || kit.HasKey(v, "previous_response_id") || kit.HasKey(v, "store")
	}
	list := kit.Elements(in, kit.WholeList, 20)
	return !slices.ContainsFunc(list, func(item []byte) bool { return responsesJudge(item) < 0 }) && len(list) > 0
}

func responsesLists(m model.Match) []string {
	if m.Variant == responsesWhole {
		return nil
	}
	return responsesKind.Lists(m)
}

func responsesJudge(v []byte) int {
	typ := jsonspan.GetString(v, "type")
	bare := jsonspan.KindOf(v) == jsonspan.Object && jsonspan.GetString(v, "role") == nil && !kit.HasKey(v, "uuid") && !kit.HasKey(v, "parts") && !kit.HasKey(v, "sessionId")
	if bare && (responsesIsExchange(v) || !kit.HasPrefix(typ, "function_call") && responsesIsCall(typ)) {
		return kit.Certain
	}
	return responsesVote(v)
}

var responsesVote = kit.Judge(
	"- parts|uuid|sessionId",
	"+ type=message & content[].type=input_text|output_text|input_image|input_file",
	"+ role:string & !type:string & content[].type=input_text|output_text|input_image|input_file",
	"- role:string & tool_calls|tool_call_id|stop_reason",
	"~ role:string & type=message",
	"~ role:string & !type:string",
	"- role:string",
	"+ type=function_call|function_call_output & call_id",
	"+ type=function_call|function_call_result & callId",
	"+ type=reasoning & summary|encrypted_content",
	"+ type=response.*|item_reference|mcp_list_tools",
	"~ type=compaction",
)

// responsesIsCall reports whether a type is one of the API's tools.
func responsesIsCall(typ []byte) bool {
	switch string(bytes.TrimSuffix(typ, []byte("_output"))) {
	case "function_call", "custom_tool_call", "web_search_call", "file_search_call", "code_interpreter_call", "mcp_call", "image_generation_call",
		"local_shell_call", "shell_call", "apply_patch_call", "computer_call", "tool_search_call", "tool_search", "mcp_approval_request", "mcp_approval_response":
		return true
	}
	return false
}

func responsesParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	p := responsesParser{fs: fs, session: kit.FrameOf(rec)}
	switch {
	case kit.FrameRest(rec) && rec.Variant != responsesWhole:
		kit.FrameHolder(&c, fs)
	default:
		if rec.Variant == responsesWhole {
			p.session = 0
		}
		p.record(&c)
	}
	if fs.Len() == 0 && c.Err == nil {
		kit.Note(fs, "empty")
	}
	return kit.Finish(&c, fs)
}

// responsesParser adds items; key is that of their response, because all items of a response are
// one message.
type responsesParser struct {
	fs           *model.Facts
	session, key model.Key
}

// record reads an item, a list of items, or a wrapper of them.
func (p *responsesParser) record(c *jsonspan.Cursor) {
	if c.Kind() == jsonspan.Array {
		for c.Array(); c.More(); {
			p.key = 0
			p.record(c)
		}
		return
	}
	if !kit.StartObject(c, p.fs) {
		return
	}
	v := c.Skip()
	if c.Err != nil {
		return
	}
	typ := jsonspan.GetString(v, "type")
	switch {
	case kit.HasPrefix(typ, "response."):
		p.session = 0
		p.event(typ, v)
	case responsesIsExchange(v) || typ == nil && kit.HasKey(v, "response"):
		p.exchange(v)
	default:
		session := p.session
		p.session = 0
		p.item(v)
		p.session = session
	}
}

// exchange adds a request and its response.
func (p *responsesParser) exchange(v []byte) {
	at := p.fs.Len()
	f := p.fs.Add(model.About)
	f.Session = p.session
	var settings []model.Field
	var instructions, input, output, response, usage, id, status, failure, incomplete []byte
	c := jsonspan.New(v)
	fields := kit.Fields{
		kit.Raw("response", &response), kit.Raw("instructions", &instructions),
		kit.Raw("input", &input), kit.Raw("output", &output), kit.Raw("usage", &usage),
		kit.Raw("id", &id), kit.Raw("status", &status), kit.Raw("error", &failure),
		kit.Raw("incomplete_details", &incomplete),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "request", "body":
			if k := c.Kind(); k == jsonspan.Object {
				in := c.Skip()
				p.exchange(in)
				f = p.fs.At(at)
				continue
			}
			c.Skip()
		case "created_at":
			f.Time = kit.ReadMoment(&c)
		case "source", "uri", "model", "previous_response_id", "conversation", "metadata", "tools", "moderation", "error_code":
			kit.FrameField(f, &c)
		case "tool_choice", "temperature", "top_p", "max_output_tokens", "max_tool_calls", "parallel_tool_calls", "reasoning", "text", "include",
			"truncation", "store", "service_tier":
			settings = append(settings, model.Field{Name: string(c.Name), Value: model.ValueText(c.Skip())})
		default:
			fields.Read(&c)
		}
	}
	if output == nil { // a response repeats the settings of its request, including unset ones
		f = p.fs.At(at)
		for _, x := range settings {
			if !x.Value.IsNull() {
				f.Keep(x.Name, x.Value)
			}
		}
	}
	if output != nil || !kit.IsEmpty(failure) {
		p.response(at, v, output, usage, id, status, failure, incomplete)
		return
	}
	if !kit.IsNull(instructions) {
		kit.FrameSystem(p.fs, p.session, instructions)
	}
	p.input(input)
	switch {
	case jsonspan.KindOf(response) == jsonspan.Object:
		p.exchange(response)
	case kit.IsString(response):
		p.stream(response)
	}
}

func (p *responsesParser) input(v []byte) {
	switch {
	case kit.IsString(v):
		f := p.fs.Add(model.Say)
		f.Role, f.Session = model.User, p.session
		f.AddText(model.Words, model.ValueText(v))
	case jsonspan.KindOf(v) == jsonspan.Array:
		c := jsonspan.New(v)
		for c.Array(); c.More(); {
			p.item(c.Skip())
		}
	}
}

// response adds the items of a response as one message, and its outcome. The About fact at index at
// provides the time of the message.
func (p *responsesParser) response(at int, v, output, usage, id, status, failure, incomplete []byte) {
	about := *p.fs.At(at)
	if string(jsonspan.GetString(v, "object")) == "response.compaction" {
		f := p.fs.Add(model.Compact)
		f.Session, f.Time = p.session, about.Time
	}
	p.key = kit.HashValue(id)
	if p.key == 0 {
		p.key = model.Hash(v)
	}
	c := jsonspan.New(output)
	for c.Array(); c.More(); {
		p.item(c.Skip())
	}
	f := p.fs.Add(model.Say)
	f.Role, f.Session, f.Key, f.Time = model.Assistant, p.session, p.key, about.Time
	f.Model = model.ValueText(jsonspan.Get(v, "model"))
	f.Usage = kit.UsageOf(usage)
	kit.Keep(f, "id", id)
	p.key = 0
	switch {
	case !kit.IsEmpty(failure):
		f.Flags |= model.APIError
		f.Outcome, f.Stop = model.Failure, model.StopError
		text := jsonspan.Get(failure, "message")
		if !kit.IsString(text) {
			text = failure
		}
		f.AddText(model.Words, model.ValueText(text))
		kit.Keep(f, "error", failure)
	case !kit.IsEmpty(incomplete):
		kit.SetStop(f, jsonspan.GetString(incomplete, "reason"))
		kit.Keep(f, "incomplete_details", incomplete)
	default:
		kit.SetStop(f, kit.Inside(status))
	}
}

// stream adds the response at the end of a recorded stream of events, or the stream itself if it
// has no end.
func (p *responsesParser) stream(v []byte) {
	done := false
	kit.FrameEvents(v, func(event []byte) {
		switch string(jsonspan.GetString(event, "type")) {
		case "response.completed", "response.incomplete", "response.failed":
			if in := jsonspan.Get(event, "response"); in != nil && !done {
				done = true
				p.exchange(in)
			}
		}
	})
	if !done {
		f := p.fs.Add(model.Say)
		f.Role, f.Session = model.Assistant, p.session
		b := f.Add(model.OtherBlock)
		b.Name, b.Text = kit.ChatStreamName, model.ValueText(v)
	}
}

// event reads an event of a stream from a line: completed items are added, the end has the usage,
// other events are folded.
func (p *responsesParser) event(typ, v []byte) {
	switch string(typ) {
	case "response.output_item.done":
		if item := jsonspan.Get(v, "item"); item != nil {
			p.item(item)
			return
		}
	case "response.completed", "response.incomplete", "response.failed":
		in := jsonspan.Get(v, "response")
		f := p.fs.Add(model.Note)
		f.Name = model.EscapedText(typ)
		f.Model, f.Usage = model.ValueText(jsonspan.Get(in, "model")), kit.UsageOf(jsonspan.Get(in, "usage"))
		f.Stop = kit.StopOf(jsonspan.GetString(in, "status"))
		kit.Keep(f, "id", jsonspan.Get(in, "id"))
		kit.Keep(f, "error", jsonspan.Get(in, "error"))
		return
	}
	f := p.fs.Add(model.Note)
	f.Name = model.EscapedText(typ)
	f.AddText(model.OtherBlock, model.ValueText(v))
}

// AddMessages adds the items of a request to the Responses API, or its response. It returns false
// for any other value.
func AddMessages(fs *model.Facts, v []byte) bool {
	p := responsesParser{fs: fs}
	switch jsonspan.KindOf(v) {
	case jsonspan.Array:
		for item := range jsonspan.List(v) {
			if typ := jsonspan.GetString(item, "type"); responsesIsCall(typ) || string(typ) == "reasoning" {
				p.input(v)
				return true
			}
		}
	case jsonspan.Object:
		if jsonspan.KindOf(jsonspan.Get(v, "output")) != jsonspan.Array || !kit.HasPrefix(jsonspan.GetString(v, "object"), "response") {
			return false
		}
		at := fs.Len()
		p.exchange(v)
		if end, last := fs.Last(), fs.At(max(fs.Len()-2, 0)); fs.Len() > at+2 && last.Op == model.Say && len(end.Blocks) == 0 {
			last.Model, last.Usage, last.Time, last.Stop = end.Model, end.Usage, end.Time, end.Stop
			fs.Drop()
		}
		return true
	}
	return false
}
