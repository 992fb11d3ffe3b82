package gemini

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/format/openai"
	"turns/model/jsonspan"
)

// APIFormat reads Gemini's generateContent API: lists of contents, requests, responses, logs of
// both, and the files of AI Studio.
func APIFormat() *model.Format {
	return &model.Format{
		Name:    "gemini",
		Highest: 85,
		Deltas:  true,
		Title:   "Gemini API contents",
		Detect:  geminiAPIDetect,
		Lists:   geminiAPILists,
		Parse:   geminiAPIParse,
		Words:   []model.AddedWord{{Word: "code_execution", Where: []string{"executableCode", "executable_code", "codeExecutionResult"}}},
	}
}

var geminiAPIKind = &kit.FrameKind{
	Paths:  []string{kit.WholeList, "contents", "request.contents", "history", "messages", "chunkedPrompt.chunks"},
	Marks:  []string{`"parts"`, `"candidates"`, `"chunkedPrompt"`},
	Judge:  geminiAPIJudge,
	Score:  82,
	Reason: "role and parts as Gemini's API has them",
}

// geminiAPIWhole is the variant of a document with a single record.
const geminiAPIWhole = 60

func geminiAPIDetect(s *model.Sample) model.Match {
	doc := kit.SampleDocument(s)
	if doc != nil && geminiAPIIsExchange(doc) {
		return model.Match{Score: 84, Variant: geminiAPIWhole, Reason: "a request or response of Gemini's API"}
	}
	m := geminiAPIKind.Detect(s)
	if m.Score > 0 && m.Variant == 0 && doc != nil && s.Shape == model.Document {
		m.Variant = geminiAPIWhole
	}
	return m
}

// geminiAPIIsExchange reports whether an object is a request with its response,
// or a response.
func geminiAPIIsExchange(v []byte) bool {
	if jsonspan.KindOf(v) != jsonspan.Object {
		return false
	}
	if len(kit.Elements(v, "candidates", 1)) > 0 && (kit.HasKey(v, "usageMetadata") || kit.HasKey(v, "modelVersion") || kit.HasKey(v, "responseId")) {
		return true
	}
	in := jsonspan.Get(v, "request")
	return len(kit.Elements(in, "contents", 1)) > 0 && kit.HasKey(v, "response")
}

func geminiAPILists(m model.Match) []string {
	if m.Variant == geminiAPIWhole {
		return nil
	}
	return geminiAPIKind.Lists(m)
}

func geminiAPIJudge(v []byte) int {
	if list := kit.Elements(v, "contents", 1); geminiAPIIsExchange(v) || len(list) > 0 && geminiAPIJudge(list[0]) > 0 {
		return kit.Certain
	}
	return geminiAPIVote(v)
}

var geminiAPIVote = kit.Judge(
	"+ role=model & text & isThought|tokenCount",
	"- role:string & !role=user|model|function",
	"- uuid|kind",
	"~ role:string & text",
	"- parts[].type|parts[].part_kind",
	"+ parts[](text|functionCall|functionResponse|inlineData|fileData|executableCode|codeExecutionResult|toolCall|toolResponse|thoughtSignature)",
	"+ parts[](function_call|function_response|inline_data|file_data|executable_code|code_execution_result)",
)

func geminiAPIParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	p := geminiAPIParser{fs: fs}
	switch {
	case rec.Variant == geminiAPIWhole:
		p.record(&c)
	case kit.FrameRest(rec) && c.Kind() == jsonspan.Object:
		geminiAPIAbout(&c, fs)
	case kit.FrameRest(rec):
		kit.FrameHolder(&c, fs)
	default:
		if rec.Variant == 0 {
			p.lone = kit.FrameOf(rec)
		}
		p.record(&c)
	}
	if fs.Len() == 0 && c.Err == nil {
		kit.Note(fs, "empty")
	}
	return kit.Finish(&c, fs)
}

// geminiAPIAbout works like kit.FrameAbout, for a document whose request may be nested.
func geminiAPIAbout(c *jsonspan.Cursor, fs *model.Facts) {
	start := c.Pos
	kit.FrameAbout(c, fs, 0)
	if c.Err == nil {
		for _, wrap := range [...]string{"request", "chunkedPrompt", "runSettings"} {
			v := jsonspan.Get(c.Buf[start:c.Pos], wrap)
			if system := jsonspan.Get(v, "systemInstruction"); system != nil {
				kit.FrameSystem(fs, 0, system)
			}
			if name := jsonspan.Get(v, "model"); name != nil {
				kit.Keep(fs.At(0), "model", name)
			}
		}
	}
}

type geminiAPIParser struct {
	fs            *model.Facts
	lone, session model.Key // lone is the session to use if the record is a conversation
}

// record reads a content, a list of contents, a request, a response, or a line with both.
func (p *geminiAPIParser) record(c *jsonspan.Cursor) {
	if c.Kind() == jsonspan.Array {
		p.session = p.lone
		for c.Array(); c.More(); {
			p.nextContent(c)
		}
		return
	}
	if !kit.StartObject(c, p.fs) {
		return
	}
	if kit.LookFor(*c, "contents", "request", "candidates", "response") == "" {
		p.nextContent(c)
		return
	}
	p.session = p.lone
	before, from := *c, p.fs.Len()
	p.exchange(c)
	if one, ok := kit.ReadAgain(c, before, p.fs, from); ok {
		p.exchange(&one)
	}
}

// exchange adds a request and its response.
func (p *geminiAPIParser) exchange(c *jsonspan.Cursor) {
	before, at := *c, p.fs.Len()
	f := p.fs.Add(model.About)
	f.Session = p.session
	var request, response, contents, system []byte
	fields := kit.Fields{
		kit.Raw("request", &request), kit.Raw("response", &response),
		kit.Raw("contents", &contents), kit.Raw("systemInstruction", &system),
		kit.Raw("system_instruction", &system),
	}
	for c.Object(); c.Key(); {
		if fields.Take(c) {
			continue
		}
		switch string(c.Name) {
		case "candidates", "usageMetadata", "modelVersion", "responseId", "promptFeedback", "createTime":
			p.fs.Drop()
			*c = before
			p.response(c)
			return
		case "uri":
			v := c.Skip()
			if _, name, ok := bytes.Cut(kit.Inside(v), []byte("/models/")); ok {
				name, _, _ = bytes.Cut(name, []byte(":"))
				f.Keep("model", model.EscapedText(name))
			}
			kit.KeepNamed(f, []byte("uri"), v)
		default:
			kit.FrameField(f, c)
		}
	}
	if len(f.Extra) == 0 {
		p.fs.Drop()
	}
	if jsonspan.KindOf(request) == jsonspan.Object {
		in := jsonspan.New(request)
		p.exchange(&in)
	}
	kit.FrameSystem(p.fs, p.session, system)
	in := jsonspan.New(contents)
	for in.Array(); in.More(); {
		p.nextContent(&in)
	}
	switch jsonspan.KindOf(response) {
	case jsonspan.Object:
		in := jsonspan.New(response)
		p.response(&in)
	case jsonspan.String:
		p.stream(response)
	}
	if p.fs.Len() == at {
		f := kit.Note(p.fs, "empty")
		f.Session = p.session
		if c.Err != nil {
			f.AddText(model.OtherBlock, model.ValueText(kit.ReadSince(c, before.Pos)))
		}
	}
}

// stream reads a response recorded as a stream of events: each event continues the previous one.
func (p *geminiAPIParser) stream(v []byte) {
	key := model.Hash(v)
	found := false
	kit.FrameEvents(v, func(event []byte) {
		at := p.fs.Len()
		in := jsonspan.New(event)
		p.response(&in)
		for i := at; i < p.fs.Len(); i++ {
			if f := p.fs.At(i); f.Op == model.Say {
				f.Key, f.Join = key, model.Extend
				found = true
			}
		}
	})
	if !found {
		f := p.fs.Add(model.Say)
		f.Role, f.Session = model.Assistant, p.session
		b := f.Add(model.OtherBlock)
		b.Name, b.Text = kit.ChatStreamName, model.ValueText(v)
	}
}

// response adds the candidates of a response. A blocked prompt is an error.
func (p *geminiAPIParser) response(c *jsonspan.Cursor) {
	c.Kind() // skips white space
	start := c.Pos
	var candidates, usage, version, id, feedback, failure, time []byte
	kit.ReadFields(c,
		kit.Raw("candidates", &candidates), kit.Raw("usageMetadata", &usage),
		kit.Raw("modelVersion", &version), kit.Raw("responseId", &id),
		kit.Raw("promptFeedback", &feedback), kit.Raw("error", &failure),
		kit.Raw("createTime", &time),
	)
	at := p.fs.Len()
	in := jsonspan.New(candidates)
	for in.Array(); in.More(); {
		p.candidate(&in)
	}
	if p.fs.Len() == at {
		if kit.IsNull(feedback) && kit.IsNull(failure) {
			f := kit.Note(p.fs, "response") // a count of tokens
			f.Session = p.session
			f.AddText(model.OtherBlock, model.ValueText(kit.ReadSince(c, start)))
			return
		}
		f := p.fs.Add(model.Say)
		f.Role, f.Session = model.Assistant, p.session
		p.blocked(f, feedback, failure)
	}
	f := p.fs.At(at)
	f.Usage, f.Model, f.Time = kit.GeminiCLITokens(usage), model.ValueText(version), kit.MomentOf(time)
	f.Usage.Key = kit.HashValue(id)
	if f.Usage.Scope == model.NoUsage {
		f.Usage.Key = 0
	}
	kit.Keep(f, "id", id)
}

func (p *geminiAPIParser) blocked(f *model.Fact, feedback, failure []byte) {
	f.Flags |= model.APIError
	f.Outcome, f.Stop = model.Failure, model.StopError
	text := jsonspan.Get(failure, "message")
	if !kit.IsNull(feedback) {
		f.Flags |= model.Refused
		f.Stop = model.StopRefusal
		text = jsonspan.Get(feedback, "blockReasonMessage")
		kit.Keep(f, "promptFeedback", feedback)
	}
	if kit.IsString(text) {
		f.AddText(model.Words, model.ValueText(text))
	}
	kit.Keep(f, "error", failure)
}

func (p *geminiAPIParser) candidate(c *jsonspan.Cursor) {
	var content, reason []byte
	var extra []model.Field
	fields := kit.Fields{kit.Raw("content", &content), kit.Word("finishReason", &reason), kit.Word("finish_reason", &reason)}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "groundingMetadata", "citationMetadata", "safetyRatings", "finishMessage":
			name := string(c.Name)
			if v := c.Skip(); !kit.IsEmpty(v) {
				extra = append(extra, model.Field{Name: name, Value: model.ValueText(v)})
			}
		default:
			fields.Read(c)
		}
	}
	if content == nil {
		content = []byte("{}")
	}
	in := jsonspan.New(content)
	p.content(&in, reason)
	f := p.fs.Last()
	if f.Op == model.Note {
		f.Op, f.Name, f.Role = model.Say, model.Text{}, model.Assistant
		f.Blocks = f.Blocks[:0]
		kit.SetStop(f, reason)
	}
	f.Extra = append(f.Extra, extra...)
}

// nextContent reads the content at the cursor.
func (p *geminiAPIParser) nextContent(c *jsonspan.Cursor) {
	before, from := *c, p.fs.Len()
	p.content(c, nil)
	if one, ok := kit.ReadAgain(c, before, p.fs, from); ok {
		p.content(&one, nil)
	}
}

// content reads the message of a user, the model or a function.
func (p *geminiAPIParser) content(c *jsonspan.Cursor, reason []byte) {
	c.Kind() // skips white space
	start := c.Pos
	f := p.fs.Add(model.Say)
	f.Session = p.session
	var role, parts, text []byte
	thought, response := false, reason != nil
	fields := kit.Fields{
		kit.Word("role", &role), kit.Raw("parts", &parts), kit.Flag("isThought", &thought),
		kit.Word("finishReason", &reason),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "text": // AI Studio
			text = c.Skip()
		default:
			fields.ReadOrKeep(f, c)
		}
	}
	switch {
	case role != nil:
		kit.SetRole(f, role)
	case response:
		f.Role = model.Assistant
	case parts != nil:
		f.Role = model.User // the role may be left out
	default:
		kit.TurnToNote(f, nil, kit.ReadSince(c, start))
		return
	}
	if reason != nil {
		kit.SetStop(f, reason)
	}
	text, parts = geminiAPIMirrored(text, parts)
	switch {
	case text != nil && thought:
		f.AddText(model.Reasoning, model.ValueText(text))
	case text != nil:
		f.AddText(model.Words, model.ValueText(text))
	}
	in := jsonspan.New(parts)
	if in.Kind() == jsonspan.Array {
		for in.Array(); in.More(); {
			geminiAPINextPart(f, &in)
		}
	} else {
		kit.GeminiCLIParts(f, parts)
	}
	if f.Role == model.User {
		kit.SplitUser(p.fs)
	}
}

// geminiAPIMirrored returns the text and the parts of a chunk of AI Studio without repetition: the
// parts may repeat the text in pieces.
func geminiAPIMirrored(text, parts []byte) (once, others []byte) {
	var said []byte
	onlyText := true
	for part := range jsonspan.List(parts) {
		piece := jsonspan.Get(part, "text")
		onlyText = onlyText && piece != nil
		said = append(said, kit.Inside(piece)...)
	}
	switch {
	case text == nil || len(said) == 0 || !bytes.Equal(said, kit.Inside(text)):
		return text, parts
	case onlyText:
		return text, nil
	}
	return nil, parts
}

var geminiAPICode = model.StringText("code_execution")

// geminiAPINextPart adds the next part of a list.
func geminiAPINextPart(f *model.Fact, list *jsonspan.Cursor) {
	if geminiAPIOwn(*list) {
		geminiAPIPart(f, list.Skip())
		return
	}
	before, mark := *list, kit.MarkOf(f)
	kit.GeminiCLIPart(f, list)
	if one, ok := kit.SkipBroken(list, before); ok {
		mark.TakeBack(f)
		kit.GeminiCLIPart(f, &one)
	}
}

// geminiAPIOwn reports whether a part has a field that occurs only in the API's parts.
func geminiAPIOwn(c jsonspan.Cursor) bool {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "executableCode", "executable_code", "codeExecutionResult", "code_execution_result", "toolCall", "toolResponse",
			"function_call", "function_response", "thoughtSignature", "videoMetadata":
			return true
		}
		c.Skip()
	}
	return false
}

// geminiAPIPart adds a part, in the spelling of the API or of the Python SDK.
func geminiAPIPart(f *model.Fact, v []byte) {
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "executableCode", "executable_code":
			b := f.Add(model.ToolCall)
			b.Name, b.Text = geminiAPICode, model.ValueText(jsonspan.Get(c.Skip(), "code"))
			return
		case "codeExecutionResult", "code_execution_result":
			in := c.Skip()
			b := f.Add(model.ToolResult)
			b.Name, b.Text = geminiAPICode, model.ValueText(jsonspan.Get(in, "output"))
			switch s := jsonspan.GetString(in, "outcome"); {
			case bytes.HasSuffix(s, []byte("_OK")):
				b.Outcome = model.Success
			case bytes.HasSuffix(s, []byte("DEADLINE_EXCEEDED")):
				b.Outcome = model.TimedOut
			case s != nil:
				b.Outcome = model.Failure
			}
			return
		case "toolCall", "toolResponse":
			kind := model.ToolCall
			if string(c.Name) == "toolResponse" {
				kind = model.ToolResult
			}
			in := c.Skip()
			b := f.Add(kind)
			b.ID, b.Name = model.ValueText(jsonspan.Get(in, "id")), model.ValueText(jsonspan.Get(in, "toolType"))
			for _, name := range [...]string{"args", "response"} {
				if x := jsonspan.Get(in, name); x != nil {
					b.Text = model.ValueText(x)
				}
			}
			return
		case "function_call":
			kit.GeminiCLIFunctionCall(f, &c)
			return
		case "function_response":
			kit.GeminiCLIFunctionResponse(f, &c)
			return
		case "thoughtSignature":
			if c.Skip(); len(bytes.TrimSpace(v)) > 0 && !kit.HasKey(v, "text") && !kit.HasKey(v, "functionCall") && !kit.HasKey(v, "inlineData") &&
				!kit.HasKey(v, "toolCall") && !kit.HasKey(v, "toolResponse") && !kit.HasKey(v, "executableCode") {
				f.Add(model.Reasoning).Name = openai.ResponsesEncrypted
				return
			}
		case "videoMetadata":
			kit.KeepNumbered(f, "videoMetadata", c.Skip())
		default:
			c.Skip()
		}
	}
	whole := jsonspan.New(v)
	kit.GeminiCLIPart(f, &whole)
}
