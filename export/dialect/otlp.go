package dialect

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"turns/export"
	"turns/export/shape"
	"turns/model"
	"turns/query/label"
	"turns/query/provider"
)

// otlp writes spans of OpenTelemetry with the conventions for generative AI (1.38), like the
// collector's file exporter: a line is an ExportTraceServiceRequest in JSON.
//
// A turn is a trace: a span for each answer of the model ("chat") and each call of a tool
// ("execute_tool") under one for the turn ("invoke_agent"). The span of a call made by another call
// is under the span of that call. A chat has only the messages since the previous answer: the size
// of the export grows with the conversation, not with its square.
//
// The attributes turns.* contain facts that the conventions cannot express: turns.input and
// turns.output the position of each message, its time, and 1 if a program wrote it as the user;
// turns.outcome, and outcome in a response, how a call ended; turns.nesting "script" for a call
// that runs other calls and counts separately, "poll" for a wait for one.
type otlp struct {
	*sheet
	conversation string // of the current spans
	session      uint32
	begun        bool
	turn         int
	from, to     int64                // begin of the turn, and its last known time, Unix ms
	pending      shape.Object         // messages before the next answer
	places       shape.Object         // and their positions
	marks        []*label.Placed      // their annotations
	asked        int64                // time of the last of them, Unix ms
	spans        int                  // number in the trace
	tools        map[model.CallID]int // numbers of the spans in the trace for calls
	answer       provider.Wire        // the last results, which may be followed by a further one
	count        int                  // spans in the current line
}

func otlpSpec() spec {
	return spec{
		Format: export.Format{Name: "otlp", Help: "OpenTelemetry spans with GenAI attributes, one line of OTLP JSON per answer", Ext: ".jsonl"},
		make:   func(s *sheet) dialect { return &otlp{sheet: s} },
		tune:   func(s *sheet) { s.Layout = shape.Layout{} }, // one request per line
	}
}

func (d *otlp) begin([]string) {}

func (d *otlp) end() {
	d.endTurn()
	if len(d.sel.Snap.Totals()) > 0 {
		d.report.Note("usage recorded only for the session is missing: spans have the usage of responses")
	}
	rewound := 0
	for n := range d.sel.Snap.Rows() {
		if h := d.sel.Snap.HeadRow(model.ID(n)); h.Flags&model.Rewound != 0 && h.Usage != model.NoRow {
			rewound++
		}
	}
	d.report.NoteCount(rewound, "%s that a rewind erased left out, with its cost", "response", "responses")
}

func (d *otlp) message(m *provider.Wire) {
	if !d.begun || m.Session != d.session {
		d.endTurn()
		d.begun, d.session, d.turn = true, m.Session, 0
		d.conversation = cmp.Or(d.sel.Snap.Sessions()[m.Session].Field("session"), "conversation "+strconv.Itoa(int(m.Session)+1))
	}
	if m.Role == model.User && !m.Has(model.ToolResult) && d.spans > 0 {
		d.endTurn()
		d.turn++
	}
	d.saw(m.Time)
	if m.Role == model.Assistant {
		d.chat(m)
		return
	}
	if k := len(d.answer.Blocks); k > 0 && d.further(m) && m.Blocks[0].ID == d.answer.Blocks[k-1].ID {
		d.answer.Blocks = append(d.answer.Blocks, m.Blocks...)
		return
	}
	d.note(m) // a result without a call is only in its message: a span would be read as a call
}

// further reports whether a message has only a further result of a call that was still running. In
// a separate message it would be read as a result without a call.
func (d *otlp) further(m *provider.Wire) bool {
	return m.ID != model.NoID && m.Has(model.ToolResult) && len(m.Blocks) == 1 && len(d.sel.Snap.Answers(m.ID)) == 0
}

// saw extends the turn to a time.
func (d *otlp) saw(at int64) {
	if at != 0 && (d.from == 0 || at < d.from) {
		d.from = at
	}
	d.to = max(d.to, at)
}

// note adds a message to the input of the next answer.
func (d *otlp) note(m *provider.Wire) {
	d.noteAnswer()
	if len(d.pending.Buf) == 0 {
		d.pending.Open('[')
		d.places.Open('[')
	}
	d.marks = append(d.marks, d.labels(m)...)
	d.pending.Element()
	d.writeMessage(&d.pending, m)
	d.places.Element()
	d.place(&d.places, m)
	d.asked = max(d.asked, m.Time)
}

func (d *otlp) place(o *shape.Object, m *provider.Wire) {
	o.Buf = append(o.Buf, '[')
	o.Buf = strconv.AppendInt(o.Buf, int64(m.Index), 10)
	o.Buf = append(o.Buf, ',')
	o.Buf = strconv.AppendInt(o.Buf, m.Time, 10)
	if m.ID != model.NoID && d.sel.Snap.HeadRow(m.ID).Flags&model.Injected != 0 {
		o.Buf = append(o.Buf, ",1"...)
	}
	o.Buf = append(o.Buf, ']')
}

// writeMessage writes a message with its parts.
func (d *otlp) writeMessage(o *shape.Object, m *provider.Wire) {
	o.Open('{')
	o.String("role", m.Role.String())
	o.OpenList("parts")
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch {
		case b.Kind == model.Media && b.File != nil:
			otlpFile(o, b.File)
			continue
		case b.Kind == model.Words && b.Null:
			continue
		}
		o.Item()
		switch b.Kind {
		case model.ToolCall:
			o.String("type", "tool_call")
			o.String("id", b.ID)
			o.String("name", b.Name)
			otlpValue(o, "arguments", b)
			if r := b.Result; r != nil && r.Inside && !b.InText {
				o.Close("}")
				o.Item()
				otlpResult(o, r)
			}
		case model.ToolResult:
			otlpResult(o, b)
		case model.Reasoning:
			o.String("type", "reasoning")
			o.String("content", b.Text)
		default:
			o.String("type", "text")
			o.String("content", b.Text)
		}
		o.Close("}")
	}
	o.Close("]")
	if m.Role == model.Assistant {
		o.String("finish_reason", cmp.Or(stopWords[m.Stop], "stop"))
	}
	o.Close("}")
}

// stopWords are the words of the conventions for why a model stopped.
var stopWords = map[model.Stop]string{
	model.StopTool: "tool_call", model.StopLength: "length", model.StopRefusal: "content_filter", model.StopError: "error",
}

// otlpValue writes arguments or a result: JSON unchanged, otherwise as a string.
func otlpValue(o *shape.Object, name string, b *provider.WireBlock) {
	if b.JSON {
		o.Key(name)
		o.Value([]byte(b.Text))
		return
	}
	o.String(name, b.Text)
}

func otlpResult(o *shape.Object, b *provider.WireBlock) {
	o.String("type", "tool_call_response")
	o.String("id", b.ID)
	o.Optional("name", b.Name)
	if failed := b.Outcome.Failed(); failed || b.Outcome == model.Success {
		o.Raw("is_error", strconv.FormatBool(failed))
	}
	o.String("outcome", b.Outcome.String())
	if len(b.Media) == 0 {
		otlpValue(o, "response", b)
		return
	}
	o.OpenList("response")
	if b.Text != "" {
		o.Item()
		o.String("type", "text")
		o.String("text", b.Text)
		o.Close("}")
	}
	for i := range b.Media {
		if a := b.Media[i].File; a != nil {
			otlpFile(o, a)
		}
	}
	o.Close("]")
}

func otlpFile(o *shape.Object, a *provider.Attachment) {
	o.Item()
	kind, _, whole := strings.Cut(a.MIME, "/")
	name, value := "content", a.Data
	switch {
	case a.URL != "":
		o.String("type", "uri")
		name, value = "uri", a.URL
	case a.ID != "":
		o.String("type", "file")
		name, value = "file_id", a.ID
	default:
		o.String("type", "blob")
	}
	if whole {
		o.String("mime_type", a.MIME)
	}
	o.String("modality", kind)
	o.String(name, value)
	o.Close("}")
}

// chat writes an answer of the model, with its input.
func (d *otlp) chat(m *provider.Wire) {
	d.noteAnswer()
	d.span("chat", m.Model, 0, d.asked, m.Time, func() {
		d.text("gen_ai.operation.name", "chat")
		d.known("gen_ai.request.model", m.Model)
		d.known("gen_ai.response.model", m.Model)
		d.known("gen_ai.response.id", m.Own)
		d.input()
		var out, at shape.Object
		out.Open('[')
		out.Element()
		d.writeMessage(&out, m)
		out.Close("]")
		d.place(&at, m)
		d.text("gen_ai.output.messages", string(out.Buf))
		d.text("turns.output", string(at.Buf))
		d.known("gen_ai.response.finish_reasons", stopWords[m.Stop])
		d.usage(m.Usage)
		d.annotate(append(d.marks, d.labels(m)...))
		d.marks = nil
	}, m.Stop == model.StopError)
	d.results(m)
	d.endRequest()
}

// results writes a span for each call that has its result or is known only from a script. Results
// in separate messages are added to the next answer.
func (d *otlp) results(m *provider.Wire) {
	var calls []model.CallRow
	if m.ID != model.NoID {
		calls = d.sel.Snap.Calls(m.ID)
	}
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Kind != model.ToolCall {
			continue
		}
		call := model.CallRow{Call: model.Call{Result: model.NoID, Took: model.NoTook}}
		if len(calls) > 0 {
			call, calls = calls[0], calls[1:]
		}
		r := b.Result
		if r == nil {
			continue
		}
		if b.InText {
			b.Result = &provider.WireBlock{Content: model.Content{ID: b.ID, Outcome: call.Outcome, Null: true}}
			d.tool(&call, b, m.Time, m.Time)
			continue
		}
		at := m.Time
		if call.Result != model.NoID {
			at = d.sel.Snap.HeadRow(call.Result).Time
		}
		from := m.Time
		if took, ok := call.Duration(); ok {
			at = cmp.Or(at, m.Time+took.Milliseconds())
			from = at - took.Milliseconds()
		}
		d.saw(at)
		d.tool(&call, b, from, at)
		if r.Inside {
			continue // it is part of the answer
		}
		if len(d.answer.Blocks) == 0 || d.answer.ID != call.Result || call.Result == model.NoID {
			d.noteAnswer()
			d.answer = provider.Wire{ID: call.Result, Index: -1, Role: model.Tool, Time: at}
			if call.Result != model.NoID {
				d.answer.Index = d.sel.Snap.Pos(call.Result)
			}
		}
		d.answer.Blocks = append(d.answer.Blocks, *r)
	}
}

// noteAnswer adds the last results to the input of the next answer.
func (d *otlp) noteAnswer() {
	m := d.answer
	if d.answer = (provider.Wire{}); len(m.Blocks) > 0 {
		d.note(&m)
	}
}

// input writes the messages since the previous answer.
func (d *otlp) input() {
	if len(d.pending.Buf) == 0 {
		return
	}
	d.pending.Close("]")
	d.places.Close("]")
	d.text("gen_ai.input.messages", string(d.pending.Buf))
	d.text("turns.input", string(d.places.Buf))
	d.pending, d.places, d.asked = shape.Object{Buf: d.pending.Buf[:0]}, shape.Object{Buf: d.places.Buf[:0]}, 0
}

func (d *otlp) usage(u *model.Usage) {
	if u == nil || u.Scope != model.Each {
		return
	}
	d.number("gen_ai.usage.input_tokens", max(u.Input, 0)+max(u.CacheRead, 0)+max(u.CacheWrite, 0))
	d.number("gen_ai.usage.output_tokens", max(u.Output, 0))
	for _, count := range [...]struct {
		name string
		n    int64
	}{
		{"gen_ai.usage.cache_read.input_tokens", u.CacheRead},
		{"gen_ai.usage.cache_write.input_tokens", u.CacheWrite},
		{"gen_ai.usage.reasoning.output_tokens", u.Reasoning},
	} {
		if count.n > 0 {
			d.number(count.name, count.n)
		}
	}
	if u.HourCache {
		d.text("turns.cache_ttl", "1h")
	}
	if u.HasCost {
		d.attribute("llm.cost.total", "doubleValue", func() { d.Buf = strconv.AppendFloat(d.Buf, u.Cost, 'f', -1, 64) })
	}
}

// labels returns the annotations of a message and its calls. Those of the session are written once,
// at the first turn.
func (d *otlp) labels(m *provider.Wire) []*label.Placed {
	all := d.opts.Labels.Of(d.sel.Snap, m.ID)
	return slices.DeleteFunc(all, func(p *label.Placed) bool { return p.ID == model.NoID })
}

// annotate writes the annotations of the messages of a span, or of the session, under the names of
// OpenInference.
func (d *otlp) annotate(marks []*label.Placed) {
	for i, m := range marks {
		at := "annotation." + strconv.Itoa(i) + "."
		d.text(at+"name", cmp.Or(m.Name, string(m.Kind)))
		d.text(at+"annotator_kind", "HUMAN")
		if m.Kind != label.Note {
			d.text(at+"label", m.String())
		}
		if x, ok := m.Number(); ok {
			d.attribute(at+"score", "doubleValue", func() { d.Buf = strconv.AppendFloat(d.Buf, x, 'f', -1, 64) })
		}
		if m.Kind == label.Note {
			d.text(at+"explanation", m.Text)
		}
		d.known(at+"identifier", m.By)
	}
}

// tool writes the span of a call, under the span of the call that made it if that is in the turn.
func (d *otlp) tool(row *model.CallRow, call *provider.WireBlock, from, to int64) {
	r := call.Result
	name := cmp.Or(call.Name, r.Name)
	under := 0
	if maker, ok := row.Parent(); ok {
		under = d.tools[maker]
	}
	d.span("execute_tool", name, under, from, to, func() {
		d.text("gen_ai.operation.name", "execute_tool")
		d.text("gen_ai.tool.name", name)
		d.text("gen_ai.tool.call.id", r.ID)
		d.text("gen_ai.tool.call.arguments", call.Text)
		d.text("gen_ai.tool.call.result", r.Text)
		d.text("turns.outcome", r.Outcome.String())
		d.known("turns.nesting", nesting(row))
		if r.Outcome.Failed() {
			d.text("error.type", r.Outcome.String())
		}
	}, r.Outcome.Failed())
	if row.Flags&model.HasNested != 0 {
		if d.tools == nil {
			d.tools = map[model.CallID]int{}
		}
		d.tools[row.ID] = d.spans
	}
}

// nesting returns "script" for a call that runs others, "poll" for a wait for one, and "text"
// for a call known only from a script; "" for all others.
func nesting(row *model.CallRow) string {
	switch {
	case row.InText():
		return "text"
	case row.Flags&model.Carries == 0:
		return ""
	case row.Flags&model.HasNested != 0:
		return "script"
	}
	return "poll"
}

// endTurn writes the messages without an answer, and the span of the turn.
func (d *otlp) endTurn() {
	d.noteAnswer()
	if len(d.pending.Buf) > 0 {
		d.span("chat", "", 0, d.asked, d.asked, func() {
			d.text("gen_ai.operation.name", "chat")
			d.input()
			d.annotate(d.marks)
			d.marks = nil
		}, false)
	}
	if d.spans > 0 {
		agent := d.about("agent")
		d.span("invoke_agent", agent, 0, d.from, d.to, func() {
			d.text("gen_ai.operation.name", "invoke_agent")
			d.known("gen_ai.agent.name", agent)
			if d.turn == 0 {
				d.annotate(d.opts.Labels.OfRun(d.session))
			}
		}, false)
	}
	d.endRequest()
	d.from, d.to, d.spans = 0, 0, 0
	clear(d.tools)
}

// about returns a field of the spans' conversation.
func (d *otlp) about(field string) string {
	return d.sel.Snap.Sessions()[d.session].Field(field)
}

// span writes a span with its attributes, under the span with a number: 0 is that of the turn.
func (d *otlp) span(op, what string, under int, from, to int64, attributes func(), failed bool) {
	if d.count == 0 {
		d.Open('{')
		d.list("resourceSpans")
		d.OpenObject("resource")
		d.attributes(func() {
			d.text("service.name", cmp.Or(d.about("agent"), cmp.Or(d.sel.Snap.Format(), "unknown")))
			d.known("service.version", d.about("version"))
		})
		d.Close("}")
		d.list("scopeSpans")
		d.Raw("scope", `{"name":"turns"}`)
		d.String("schemaUrl", "https://opentelemetry.io/schemas/1.38.0")
		d.OpenList("spans")
	}
	d.count++
	to = cmp.Or(to, from)
	if from == 0 || from > to {
		from = to
	}
	n := 0
	if op != "invoke_agent" {
		d.spans++
		n = d.spans
	}
	d.Item()
	d.String("traceId", otlpID(d.conversation, d.turn, -1))
	d.String("spanId", otlpID(d.conversation, d.turn, n)[:16])
	if n > 0 {
		d.String("parentSpanId", otlpID(d.conversation, d.turn, under)[:16])
	}
	d.String("name", strings.TrimSpace(op+" "+what))
	kind := int64(1) // internal
	if op == "chat" {
		kind = 3 // client
	}
	d.Int("kind", kind)
	d.String("startTimeUnixNano", strconv.FormatInt(from*1e6, 10))
	d.String("endTimeUnixNano", strconv.FormatInt(to*1e6, 10))
	d.attributes(func() {
		d.text("gen_ai.conversation.id", d.conversation)
		attributes()
	})
	if failed {
		d.Raw("status", `{"code":2}`)
	}
	d.Close("}")
}

// endRequest ends a request.
func (d *otlp) endRequest() {
	if d.count == 0 {
		return
	}
	d.endLine("]}]}]}")
	d.Fresh, d.count = true, 0
}

// list opens a list of one object.
func (d *otlp) list(name string) {
	d.OpenList(name)
	d.Item()
}

func (d *otlp) attributes(write func()) {
	d.OpenList("attributes")
	write()
	d.Close("]")
}

func (d *otlp) attribute(key, kind string, value func()) {
	d.Item()
	d.String("key", key)
	d.OpenObject("value")
	d.Key(kind)
	value()
	d.Close("}}")
}

// known writes a text attribute unless it is empty.
func (d *otlp) known(key, value string) {
	if value != "" {
		d.text(key, value)
	}
}

func (d *otlp) text(key, value string) {
	d.attribute(key, "stringValue", func() { d.Buf = model.AppendQuoted(d.Buf, []byte(value)) })
}

// number writes an integer, which OTLP represents as a string.
func (d *otlp) number(key string, n int64) {
	d.attribute(key, "intValue", func() { d.Buf = model.AppendQuoted(d.Buf, strconv.AppendInt(nil, n, 10)) })
}

// otlpID returns the same id for a span in every export, so that a receiver recognises it. Trace
// ids have 32 digits, span ids the first 16 of them.
func otlpID(conversation string, turn, span int) string {
	sum := sha256.Sum256([]byte(conversation + "\x00" + strconv.Itoa(turn) + "\x00" + strconv.Itoa(span)))
	return hex.EncodeToString(sum[:16])
}
