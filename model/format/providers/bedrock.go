package providers

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// BedrockFormat reads the Converse API of Amazon Bedrock: messages whose blocks have a single key
// instead of a type, requests, responses, and the log of invocations.
func BedrockFormat() *model.Format {
	return &model.Format{
		Name:    "bedrock",
		Highest: 85,
		Title:   "Bedrock Converse messages",
		Detect:  bedrockDetect,
		Lists:   bedrockLists,
		Parse:   bedrockParse,
	}
}

var bedrockKind = &kit.FrameKind{
	Paths:  []string{kit.WholeList, "messages", "request.messages", "history", "conversation"},
	Marks:  []string{`"text"`, `"toolUse"`, `"toolResult"`, `"inputBodyJson"`},
	Judge:  bedrockJudge,
	Score:  80,
	Reason: "content blocks without a type, as Converse has them",
}

// BedrockWhole is the variant of a document with one record.
const BedrockWhole = 60

func bedrockDetect(s *model.Sample) model.Match {
	if doc := kit.SampleDocument(s); doc != nil && bedrockIsExchange(doc) {
		return model.Match{Score: 82, Variant: BedrockWhole, Reason: "a request or response of Converse"}
	}
	return bedrockKind.Detect(s)
}

func bedrockIsExchange(v []byte) bool {
	has := func(name string) bool { return bytes.Contains(v, []byte(name)) } // faster than reading fields
	if jsonspan.KindOf(v) != jsonspan.Object || !has(`"stopReason"`) && !has(`"inputBodyJson"`) && !has(`"request"`) {
		return false
	}
	if m := jsonspan.Get(v, "output", "message"); m != nil && kit.HasKey(v, "stopReason") {
		return true
	}
	if list := kit.Elements(jsonspan.Get(v, "input", "inputBodyJson"), "messages", 1); len(list) > 0 && bedrockJudge(list[0]) > 0 {
		return true
	}
	list := kit.Elements(jsonspan.Get(v, "request"), "messages", 1)
	return len(list) > 0 && kit.HasKey(v, "response") && bedrockJudge(list[0]) > 0
}

func bedrockLists(m model.Match) []string {
	if m.Variant == BedrockWhole {
		return nil
	}
	return bedrockKind.Lists(m)
}

func bedrockJudge(v []byte) int {
	if bedrockIsExchange(v) {
		return kit.Certain
	}
	return bedrockVote(v)
}

var bedrockVote = kit.Judge(
	"- !role=user|assistant",
	"~ content:list & !content[0]",
	"- content[].type",
	"+ content[](text|toolUse|toolResult|reasoningContent|image|document|video|cachePoint|guardContent|citationsContent)",
)

func bedrockParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	p := bedrockParser{fs: fs}
	switch {
	case kit.FrameRest(rec) && rec.Variant != BedrockWhole:
		kit.FrameHolder(&c, fs)
		for _, x := range fs.At(0).Extra {
			if x.Name == "stopReason" {
				fs.At(0).Stop = kit.StopOf(x.Value.Raw())
			}
		}
	case kit.StartObject(&c, fs):
		before := c
		p.record(&c, rec)
		if one, ok := kit.ReadAgain(&c, before, fs, 0); ok {
			p.record(&one, rec)
		}
	}
	if fs.Len() == 0 && c.Err == nil {
		kit.Note(fs, "empty")
	}
	return kit.Finish(&c, fs)
}

// BedrockMessages adds the messages of a request or a response of Converse. It returns false for
// other values.
func BedrockMessages(fs *model.Facts, v []byte) bool {
	p := bedrockParser{fs: fs}
	c := jsonspan.New(v)
	switch {
	case bedrockIsExchange(v):
		p.exchange(&c)
		return true
	case jsonspan.KindOf(v) != jsonspan.Array:
		return false
	}
	if first := kit.Elements(v, kit.WholeList, 1); len(first) == 0 || jsonspan.KindOf(jsonspan.Get(first[0], "content")) != jsonspan.Array {
		return false
	}
	for _, m := range kit.Elements(v, kit.WholeList, kit.SampleLimit) {
		if bedrockJudge(m) < 0 {
			return false
		}
	}
	for c.Array(); c.More(); {
		if c.Kind() == jsonspan.Object {
			p.message(&c)
		} else {
			c.Skip()
		}
	}
	return fs.Len() > 0
}

type bedrockParser struct {
	fs      *model.Facts
	session model.Key
}

// record adds a message, or an exchange.
func (p *bedrockParser) record(c *jsonspan.Cursor, rec model.Record) {
	if kit.LookFor(*c, "role", "messages") == "role" && !kit.HasKey(c.Buf[c.Pos:], "messages") {
		p.message(c)
		return
	}
	if rec.Variant == 0 {
		p.session = kit.FrameOf(rec)
	}
	p.exchange(c)
}

// exchange adds a request, a response, or an object with both.
func (p *bedrockParser) exchange(c *jsonspan.Cursor) {
	at, start := p.fs.Len(), c.Pos
	f := p.fs.Add(model.About)
	f.Session = p.session
	var nested [2][]byte
	var system, messages, message, usage, stop, metrics []byte
	fields := kit.Fields{
		kit.Raw("message", &message), kit.Raw("system", &system), kit.Raw("messages", &messages),
		kit.Raw("usage", &usage), kit.Word("stopReason", &stop), kit.Raw("metrics", &metrics),
		kit.Time("timestamp", &f.Time),
	}
	for c.Object(); c.Key(); {
		if fields.Take(c) {
			continue
		}
		switch string(c.Name) {
		case "request", "input", "inputBodyJson":
			nested[0] = c.Skip()
		case "response", "outputBodyJson":
			nested[1] = c.Skip()
		case "output":
			if out := c.Skip(); jsonspan.Get(out, "message") != nil {
				message = jsonspan.Get(out, "message")
			} else {
				nested[1] = out
			}
		default:
			kit.FrameField(f, c)
		}
	}
	if len(f.Extra) == 0 && f.Time.Ms == 0 {
		p.fs.Drop()
	}
	v := kit.ReadSince(c, start)
	if jsonspan.KindOf(nested[0]) == jsonspan.Object {
		in := jsonspan.New(nested[0])
		p.exchange(&in)
	}
	kit.FrameSystem(p.fs, p.session, system)
	in := jsonspan.New(messages)
	for in.Array(); in.More(); {
		before, from := in, p.fs.Len()
		p.message(&in)
		if one, ok := kit.ReadAgain(&in, before, p.fs, from); ok {
			p.message(&one)
		}
	}
	if jsonspan.KindOf(message) == jsonspan.Object {
		in := jsonspan.New(message)
		p.message(&in)
		g := p.fs.Last()
		g.Usage = kit.AnyUsage(usage)
		kit.SetStop(g, stop)
		kit.Keep(g, "metrics", metrics)
	}
	if jsonspan.KindOf(nested[1]) == jsonspan.Object {
		in := jsonspan.New(nested[1])
		p.exchange(&in)
	}
	if p.fs.Len() == at {
		kit.Note(p.fs, "record").AddText(model.OtherBlock, model.ValueText(v))
	}
}

func (p *bedrockParser) message(c *jsonspan.Cursor) {
	c.Kind() // skip white space
	start := c.Pos
	f := p.fs.Add(model.Say)
	f.Session = p.session
	var content []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "role":
			kit.SetRole(f, c.String())
		case "content":
			content = c.Skip()
		default:
			kit.KeepField(f, c)
		}
	}
	if f.Role == model.NoRole {
		kit.TurnToNote(f, nil, kit.ReadSince(c, start))
		return
	}
	if kit.IsString(content) {
		f.AddText(model.Words, model.ValueText(content))
	}
	in := jsonspan.New(content)
	if in.Kind() == jsonspan.Array {
		for in.Array(); in.More(); {
			bedrockNextBlock(f, model.Text{}, &in)
		}
	}
	if f.Role == model.User {
		kit.SplitUser(p.fs)
	}
}

// bedrockNextBlock adds the next block of a list.
func bedrockNextBlock(f *model.Fact, id model.Text, list *jsonspan.Cursor) {
	before, mark := *list, kit.MarkOf(f)
	bedrockBlock(f, id, list)
	if one, ok := kit.SkipBroken(list, before); ok {
		mark.TakeBack(f)
		bedrockBlock(f, id, &one)
	}
}

// bedrockBlock adds a block; its single key is its type.
func bedrockBlock(f *model.Fact, id model.Text, c *jsonspan.Cursor) {
	c.Kind() // skip white space
	start := c.Pos
	if c.Object(); !c.Key() {
		return
	}
	name := c.Name
	in := c.Skip()
	for c.Key() {
		c.Skip()
	}
	switch string(name) {
	case "text":
		f.AddText(model.Words, model.ValueText(in))
	case "toolUse":
		bedrockCall(f, in)
	case "toolResult":
		bedrockResult(f, in)
	case "reasoningContent":
		text := jsonspan.Get(in, "reasoningText", "text")
		b := f.Add(model.Reasoning)
		b.Text = model.ValueText(text)
		if text == nil {
			b.Name = kit.AgentCRedacted
		}
	case "image", "document", "video":
		bedrockMedia(f, id, name, in)
	case "cachePoint":
	case "citationsContent":
		parts := jsonspan.New(jsonspan.Get(in, "content"))
		for parts.Array(); parts.More(); {
			bedrockNextBlock(f, id, &parts)
		}
		kit.KeepNumbered(f, "citations", jsonspan.Get(in, "citations"))
	default:
		b := f.Add(model.OtherBlock)
		b.Name, b.Text = model.PlainText(name), model.ValueText(kit.ReadSince(c, start))
	}
}

func bedrockCall(f *model.Fact, v []byte) {
	c := jsonspan.New(v)
	kit.ReadCall(f, &c)
}

// bedrockResult adds a result: its single text or JSON value, otherwise the list unchanged.
func bedrockResult(f *model.Fact, v []byte) {
	var id, content, status []byte
	kit.ReadObject(v,
		kit.Raw("toolUseId", &id), kit.Raw("content", &content), kit.Word("status", &status),
	)
	text := model.ValueText(content)
	if one := kit.SoleElement(content); one != nil {
		for _, name := range [...]string{"text", "json"} {
			if x := jsonspan.Get(one, name); x != nil {
				text = model.ValueText(x)
			}
		}
	}
	outcome, _ := kit.OutcomeOfStatus(status)
	switch outcome {
	case model.Failure:
		outcome = kit.FailureOf(text)
	case model.Unknown:
		outcome = kit.OutcomeOfText(text)
	}
	b := f.Add(model.ToolResult)
	b.ID, b.Text, b.Outcome = model.ValueText(id), text, outcome
	list := jsonspan.New(content)
	for list.Array(); list.More(); {
		if kit.LookFor(list, "text", "json") == "" {
			bedrockNextBlock(f, model.ValueText(id), &list)
		} else {
			list.Skip()
		}
	}
}

func bedrockMedia(f *model.Fact, id model.Text, kind, v []byte) {
	mime := kit.MediaType(string(kind))
	if t := kit.MediaType(string(jsonspan.GetString(v, "format"))); !t.Empty() {
		mime = t
	} else if string(kind) == "document" {
		mime = kit.MediaType("file")
	}
	kit.KeepNumbered(f, "filename", jsonspan.Get(v, "name"))
	source := jsonspan.Get(v, "source")
	for _, path := range [...][]string{{"bytes"}, {"s3Location", "uri"}, {"text"}} {
		if place := jsonspan.Get(source, path...); place != nil {
			kit.AddMedia(f, id, mime, place)
			return
		}
	}
	kit.AddMedia(f, id, mime, v)
}
