package otel

import (
	"bytes"
	"slices"
	"strconv"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// Format reads OpenTelemetry spans with the conventions for generative AI, as exporters write them
// (OTLP JSON in lines or a document, spans of the JavaScript and Python SDKs), the events and log
// records of the older conventions, and the spans of Vercel's AI SDK. Every span of a chat repeats
// the conversation, so repeated messages are recognized by their content.
func Format() *model.Format {
	return &model.Format{
		Name:     "otel",
		Highest:  88,
		Title:    "OpenTelemetry GenAI spans",
		Detect:   otelDetect,
		Lists:    otelLists,
		Parse:    otelParse,
		Order:    model.ByTime,
		Standard: true,
	}
}

// The variants describe where the spans are.
const (
	otelSpans = 1 + iota // a list
	otelDoc              // an OTLP document
	otelUnder            // under "spans"
	otelData             // under "data", as Phoenix answers
)

func otelDetect(s *model.Sample) model.Match {
	var list [][]byte
	var variant uint8
	switch doc := kit.SampleDocument(s); {
	case s.Shape == model.Document && jsonspan.KindOf(doc) == jsonspan.Array:
		list, variant = kit.Elements(doc, kit.WholeList, kit.SampleLimit), otelSpans
	case doc != nil && (kit.HasKey(doc, "resourceSpans") || kit.HasKey(doc, "resourceLogs")):
		list, variant = [][]byte{doc}, otelDoc
	case doc != nil && len(kit.Elements(doc, "spans", 1)) > 0:
		list, variant = kit.Elements(doc, "spans", kit.SampleLimit), otelUnder
	case doc != nil && kit.HasKey(doc, "data") && kit.HasKey(doc, "next_cursor"):
		list, variant = kit.Elements(doc, "data", kit.SampleLimit), otelData
	case s.Shape == model.Lines:
		list = s.Records
	case doc != nil && kit.HasKey(doc, "attributes"): // one span after another, as the Python SDK prints them
		for v, rest, err := jsonspan.Cut(doc); err == nil && len(list) < kit.SampleLimit; v, rest, err = jsonspan.Cut(rest) {
			list = append(list, v)
		}
	}
	// most spans of a program have nothing to do with its model
	spans, fit := 0, 0
	for _, v := range list {
		if !otelIsSpan(v) {
			continue
		}
		if spans++; otelIsMarked(v) {
			fit++
		}
	}
	if fit == 0 || spans*2 < len(list) {
		return model.Match{}
	}
	return model.Match{Score: 88, Variant: variant, Reason: "spans with attributes gen_ai.* or ai.*"}
}

// otelIsMarked reports whether a span is about a model or an agent.
func otelIsMarked(v []byte) bool {
	has := func(mark string) bool { return bytes.Contains(v, []byte(mark)) }
	return has(`"gen_ai.`) || has(`"ai.operationId"`) || slices.ContainsFunc(vendorMarks[:], has) || slices.ContainsFunc(agentMarks[:], has)
}

func otelIsSpan(v []byte) bool {
	return kit.HasKey(v, "resourceSpans") || kit.HasKey(v, "resourceLogs") || kit.HasKey(v, "attributes") && (kit.HasKey(v, "traceId") || kit.HasKey(v, "spanContext") || kit.HasKey(v, "context") ||
		kit.HasKey(v, "trace_id"))
}

func otelLists(m model.Match) []string {
	switch m.Variant {
	case otelSpans:
		return []string{kit.WholeList}
	case otelDoc:
		return []string{"resourceSpans.*.scopeSpans.*.spans", "resourceLogs.*.scopeLogs.*.logRecords"}
	case otelUnder:
		return []string{"spans"}
	case otelData:
		return []string{"data"}
	}
	return nil
}

func otelParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	switch {
	case rec.Variant > 0 && rec.List == "":
		e := otelExport{fs: fs, at: fs.Len()}
		f := fs.Add(model.About)
		if c.Kind() == jsonspan.Object {
			for c.Object(); c.Key(); {
				if n := string(c.Name); n == "resourceSpans" || n == "resourceLogs" {
					e.resources(&c)
				} else if n == "received" { // the same, as sent
					c.Skip()
				} else {
					kit.FrameField(f, &c)
				}
			}
		} else {
			c.Skip()
		}
	case !kit.StartObject(&c, fs):
	case otelIsExport(rec.Data):
		e := otelExport{fs: fs, at: fs.Len(), spans: true}
		fs.Add(model.About)
		for c.Object(); c.Key(); {
			if n := string(c.Name); n == "resourceSpans" || n == "resourceLogs" {
				e.resources(&c)
			} else {
				c.Skip()
			}
		}
	default:
		otelSpan(&c, fs)
	}
	return kit.Finish(&c, fs)
}

// otelIsExport reports whether an object is an OTLP export. It does not scan the spans.
func otelIsExport(v []byte) bool {
	for _, list := range [...]string{"resourceSpans", "resourceLogs"} {
		if !bytes.Contains(v, []byte(list)) {
			continue // avoids scanning a span
		}
		if _, ok := kit.Seek(v, list); ok {
			return true
		}
	}
	return false
}

// otelExport contains the state while an OTLP export is read.
type otelExport struct {
	fs    *model.Facts
	at    int  // the fact that describes the conversation
	spans bool // the spans are not separate records
}

// resources reads the source of the spans, and the spans.
func (e *otelExport) resources(c *jsonspan.Cursor) {
	for c.Array(); c.More(); {
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "resource":
				e.resource(c)
			case "scopeSpans", "scopeLogs":
				for c.Array(); c.More(); {
					for c.Object(); c.Key(); {
						if n := string(c.Name); e.spans && (n == "spans" || n == "logRecords") {
							e.list(c)
						} else {
							c.Skip()
						}
					}
				}
			default:
				c.Skip()
			}
		}
	}
}

func (e *otelExport) resource(c *jsonspan.Cursor) {
	for c.Object(); c.Key(); {
		if string(c.Name) != "attributes" {
			c.Skip()
			continue
		}
		for c.Array(); c.More(); {
			key, value := otelPair(c)
			switch string(key) {
			case "service.name":
				kit.Keep(e.fs.At(e.at), "agent", value)
			case "service.version":
				kit.Keep(e.fs.At(e.at), "version", value)
			}
		}
	}
}

func (e *otelExport) list(c *jsonspan.Cursor) {
	for c.Array(); c.More(); {
		before, from := *c, e.fs.Len()
		otelSpan(c, e.fs)
		if one, ok := kit.ReadAgain(c, before, e.fs, from); ok {
			otelSpan(&one, e.fs)
		}
	}
}

// otelPair returns the key of an OTLP attribute and its value without the type.
func otelPair(c *jsonspan.Cursor) (key, value []byte) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "key":
			key = c.String()
		case "value":
			for c.Object(); c.Key(); {
				list := string(c.Name) == "arrayValue"
				if value = c.Skip(); list {
					value = jsonspan.Get(value, "values")
				}
			}
		default:
			c.Skip()
		}
	}
	return key, value
}

// otelAttributes holds the known attributes; rest has all others.
type otelAttributes struct {
	op, conversation, agent, model, answered, id, finish   []byte
	input, output, system                                  []byte
	text, calls, object                                    []byte // Vercel's response
	tool, callID, args, result, fault                      []byte
	inTokens, outTokens, cacheRead, cacheWrite, reasonings int64
	places, place, outcome, nesting                        []byte // of spans that turns wrote
	hourCache                                              bool
	cost                                                   float64
	rest                                                   kit.Kept
	fs                                                     *model.Facts
	vendor                                                 vendor
	log                                                    agentLog
	numbered                                               otelNumbered
	messages                                               []otelOldMessage
}

// otelSpanFields contains the fields of a span.
type otelSpanFields struct {
	otelAttributes
	name, trace, span, parent []byte
	start, end                model.Moment
	startIn, endIn            int64 // microseconds in the millisecond
	failed                    bool
	message                   []byte // of the status
	body                      []byte // of a log record
}

var otelAttributeFields = kit.TableOf(func(a *otelAttributes) kit.Fields {
	return kit.Fields{
		kit.Word("gen_ai.operation.name", &a.op), kit.Word("ai.operationId", &a.op),
		kit.Raw("gen_ai.conversation.id", &a.conversation), kit.Raw("session.id", &a.conversation), kit.Raw("conversation.id", &a.conversation),
		kit.Raw("gen_ai.agent.name", &a.agent),
		kit.Raw("gen_ai.request.model", &a.model), kit.Raw("ai.model.id", &a.model), kit.Raw("model", &a.model),
		kit.Raw("gen_ai.response.model", &a.answered), kit.Raw("ai.response.model", &a.answered),
		kit.Raw("gen_ai.response.id", &a.id), kit.Raw("ai.response.id", &a.id),
		kit.Raw("gen_ai.response.finish_reasons", &a.finish), kit.Raw("ai.response.finishReason", &a.finish),
		kit.Rows("gen_ai.input.messages", &a.input), kit.Rows("ai.prompt.messages", &a.input),
		kit.Rows("gen_ai.output.messages", &a.output), kit.Rows("gen_ai.system_instructions", &a.system),
		kit.Raw("ai.response.text", &a.text), kit.Rows("ai.response.toolCalls", &a.calls), kit.Raw("ai.response.object", &a.object),
		kit.Raw("gen_ai.tool.name", &a.tool), kit.Raw("ai.toolCall.name", &a.tool),
		kit.Raw("gen_ai.tool.call.id", &a.callID), kit.Raw("ai.toolCall.id", &a.callID),
		kit.Raw("gen_ai.tool.call.arguments", &a.args), kit.Raw("ai.toolCall.args", &a.args),
		kit.Raw("gen_ai.tool.call.result", &a.result), kit.Raw("ai.toolCall.result", &a.result), kit.Raw("error.type", &a.fault),
		kit.Int("gen_ai.usage.input_tokens", &a.inTokens), kit.Int("gen_ai.usage.prompt_tokens", &a.inTokens),
		kit.Int("gen_ai.usage.output_tokens", &a.outTokens), kit.Int("gen_ai.usage.completion_tokens", &a.outTokens),
		kit.Int("gen_ai.usage.cache_read.input_tokens", &a.cacheRead), kit.Int("gen_ai.usage.cache_read_input_tokens", &a.cacheRead),
		kit.Int("gen_ai.usage.input_tokens.cached", &a.cacheRead), kit.Int("gen_ai.usage.cache_write.input_tokens", &a.cacheWrite),
		kit.Int("gen_ai.usage.cache_creation.input_tokens", &a.cacheWrite), kit.Int("gen_ai.usage.cache_creation_input_tokens", &a.cacheWrite),
		kit.Int("gen_ai.usage.cache_write_input_tokens", &a.cacheWrite), kit.Int("gen_ai.usage.input_tokens.cache_write", &a.cacheWrite),
		kit.Int("gen_ai.usage.reasoning.output_tokens", &a.reasonings), kit.Int("gen_ai.usage.reasoning_tokens", &a.reasonings),
		kit.Int("gen_ai.usage.output_tokens.reasoning", &a.reasonings),
		kit.Rows("turns.input", &a.places), kit.Rows("turns.output", &a.place), // see span.go
		kit.Word("turns.outcome", &a.outcome), kit.Word("turns.nesting", &a.nesting),
	}
})

func (a *otelAttributes) set(key, value []byte) {
	if kit.IsNull(value) || otelAttributeFields.Set(key, value, a) {
		return
	}
	switch string(key) {
	case "turns.cache_ttl":
		a.hourCache = bytes.Contains(value, []byte("1h"))
	case "llm.cost.total":
		a.cost, _ = strconv.ParseFloat(string(value), 64)
	case "virtual_parent.genai", "gen_ai.tool.description", "gen_ai.tool.definitions", "operation.name", "resource.name":
	default:
		if (kit.HasPrefix(key, "gen_ai.") || kit.HasPrefix(key, "llm.")) && a.numbered.set(key, value) || a.setVendor(key, value) {
			return
		}
		a.log.set(key, value)
		if !bytes.HasPrefix(key, []byte("ai.usage.")) && !kit.IsEmpty(value) {
			a.rest.Add(model.Field{Name: a.fs.Name(key), Value: model.ValueText(value)})
		}
	}
}

var otelSpanTable = kit.TableOf(func(s *otelSpanFields) kit.Fields {
	return kit.Fields{
		kit.Word("name", &s.name), kit.Raw("traceId", &s.trace), kit.Raw("trace_id", &s.trace),
		kit.Raw("spanId", &s.span), kit.Raw("span_id", &s.span),
		kit.Raw("parentSpanId", &s.parent), kit.Raw("parent_id", &s.parent),
		kit.Raw("parentId", &s.parent), kit.Raw("body", &s.body), kit.Word("eventName", &s.name),
		kit.Word("event_name", &s.name), kit.Word("span_kind", &s.vendor.kind),
	}
})

// read consumes a span of any exporter.
func (s *otelSpanFields) read(c *jsonspan.Cursor) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "spanContext", "context":
			s.read(c)
		case "startTimeUnixNano", "start_time", "startTime", "start_time_unix_nano", "timeUnixNano", "timestamp":
			s.start, s.startIn = otelTime(c.Skip())
		case "observedTimeUnixNano", "observed_timestamp":
			if t, within := otelTime(c.Skip()); s.start.Ms == 0 {
				s.start, s.startIn = t, within
			}
		case "endTimeUnixNano", "end_time", "endTime", "end_time_unix_nano":
			s.end, s.endIn = otelTime(c.Skip())
		case "status":
			v := c.Skip()
			code := jsonspan.Get(v, "code")
			if code == nil {
				code = jsonspan.Get(v, "status_code")
			}
			s.failed = string(code) == "2" || string(kit.Inside(code)) == "STATUS_CODE_ERROR" || string(kit.Inside(code)) == "ERROR"
			s.message = kit.Or(jsonspan.Get(v, "message"), jsonspan.Get(v, "description"))
		case "status_code": // Phoenix's
			s.failed = string(c.String()) == "ERROR"
		case "status_message":
			s.message = c.Skip()
		case "attributes":
			s.attributes(c)
		case "events":
			s.readEvents(c)
		default:
			otelSpanTable.Read(c, s)
		}
	}
}

func (s *otelSpanFields) attributes(c *jsonspan.Cursor) {
	if c.Kind() == jsonspan.Array {
		for c.Array(); c.More(); {
			s.attribute(otelPair(c))
		}
		return
	}
	for c.Object(); c.Key(); {
		key := c.Name
		s.attribute(key, c.Skip())
	}
}

func (s *otelSpanFields) attribute(key, value []byte) {
	switch string(key) {
	case "event.name":
		s.name = kit.Inside(value)
	case "events", "all_messages_events":
		if !s.listed(value) {
			s.set(key, value)
		}
	default:
		s.set(key, value)
	}
}

// otelTime reads nanoseconds, a date, or the JavaScript SDK's pair of seconds and nanoseconds.
// within is the number of microseconds in the millisecond, if recorded.
func otelTime(v []byte) (at model.Moment, within int64) {
	if digits := bytes.Trim(v, `"`); len(digits) == len("1781295600000000000") {
		if _, ok := kit.Digits(digits[:16]); ok { // it has more digits than a float
			us, _ := jsonspan.ParseInt(digits[:16])
			return kit.MomentOfMs(us / 1e3), us % 1e3
		}
	}
	if jsonspan.KindOf(v) != jsonspan.Array {
		if _, fraction, ok := bytes.Cut(kit.Inside(v), []byte(".")); ok && len(fraction) >= 6 {
			within, _ = kit.Digits(fraction[3:6])
		}
		return kit.MomentOf(v), within
	}
	if pair := kit.Elements(v, kit.WholeList, 2); len(pair) == 2 {
		s, _ := jsonspan.ParseInt(pair[0])
		ns, _ := jsonspan.ParseInt(pair[1])
		if s <= 0 || s > 1e11 {
			return model.Moment{}, 0
		}
		return kit.MomentOfMs(s*1000 + ns/1e6), max(ns, 0) % 1e6 / 1e3
	}
	return kit.MomentOf(v), 0
}
