package otel

import (
	"bytes"
	"strconv"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// Other conventions than those for generative AI: OpenInference (Arize, LlamaIndex, Phoenix),
// LangSmith's exporter and Traceloop's. They record the kind of a span in their own attribute, and
// have input and output as one value each.

// vendor holds the attributes of a span in another convention.
type vendor struct {
	kind, name, in, out []byte // inside, value, values
	// LangSmith records complete requests and answers; other exporters number the messages.
	prompt, completion []byte
}

// vendorMarks lists the texts that identify spans of other conventions. Phoenix moves the kind out
// of the attributes.
var vendorMarks = [...]string{`"openinference.span.kind"`, `"traceloop.span.kind"`, `"langsmith.span.kind"`, `"llm.model_name"`, `"llm.input_messages.0.`}

// vendorOps maps the span kinds of other conventions to operations.
var vendorOps = map[string]string{
	"LLM": "chat", "llm": "chat", "TOOL": "execute_tool", "tool": "execute_tool", "AGENT": "invoke_agent", "agent": "invoke_agent",
	"CHAIN": "invoke_workflow", "chain": "invoke_workflow", "workflow": "invoke_workflow", "task": "invoke_workflow",
}

// hidden replaces a value in OpenInference's spans if its settings hide inputs or outputs.
const hidden = "__REDACTED__"

var vendorFields = kit.TableOf(func(a *otelAttributes) kit.Fields {
	x := &a.vendor
	return kit.Fields{
		kit.Word("openinference.span.kind", &x.kind), kit.Word("traceloop.span.kind", &x.kind), kit.Word("langsmith.span.kind", &x.kind),
		kit.Raw("traceloop.entity.name", &x.name), kit.Raw("tool.name", &x.name), kit.Raw("langsmith.trace.name", &x.name),
		kit.Raw("input.value", &x.in), kit.Raw("traceloop.entity.input", &x.in),
		kit.Raw("output.value", &x.out), kit.Raw("traceloop.entity.output", &x.out),
		kit.Raw("gen_ai.prompt", &x.prompt), kit.Raw("gen_ai.completion", &x.completion),
		kit.Raw("agent.name", &a.agent), kit.Raw("tool_call.id", &a.callID), kit.Raw("tool.id", &a.callID),
		kit.Raw("llm.model_name", &a.answered), kit.Raw("llm.finish_reason", &a.finish),
		kit.Int("llm.token_count.prompt", &a.inTokens), kit.Int("llm.token_count.completion", &a.outTokens),
		kit.Int("llm.token_count.prompt_details.cache_read", &a.cacheRead),
		kit.Int("llm.token_count.prompt_details.cache_write", &a.cacheWrite),
		kit.Int("llm.token_count.completion_details.reasoning", &a.reasonings),
		kit.Raw("langsmith.metadata.thread_id", &a.conversation), kit.Raw("langsmith.metadata.session_id", &a.conversation),
		kit.Raw("traceloop.association.properties.session_id", &a.conversation),
		kit.Raw("traceloop.association.properties.thread_id", &a.conversation),
	}
})

// setVendor stores an attribute and reports whether it belongs to these conventions. A hidden value
// is the same as no content.
func (a *otelAttributes) setVendor(key, value []byte) bool {
	return string(kit.Inside(value)) != hidden && vendorFields.Set(key, value, a)
}

// settle converts the attributes of another convention to the standard ones.
func (s *otelSpanFields) settle() {
	x := &s.vendor
	if len(x.kind) == 0 {
		return
	}
	if op := vendorOps[string(x.kind)]; op != "" && s.op == nil {
		s.op = []byte(op)
	}
	prompt, completion := x.in, x.out
	if x.prompt != nil || x.completion != nil {
		prompt, completion = x.prompt, x.completion
	}
	switch string(s.op) {
	case "execute_tool":
		s.tool = kit.Or(s.tool, x.name)
		s.args = kit.Or(s.args, prompt)
		s.result = kit.Or(s.result, completion)
		s.settleLangchain(completion)
	case "chat", "text_completion":
		if hasLangchain(prompt) || hasLangchain(completion) { // the numbered messages lack the calls
			s.numbered = otelNumbered{}
		}
		if s.input == nil && s.output == nil && !s.hasOld() {
			s.readValue(prompt, otelUser, false)
			s.readValue(completion, otelAssistant, true)
		}
	default:
		for _, v := range [...]struct {
			name  string
			value []byte
		}{{"input", prompt}, {"output", completion}} {
			if !kit.IsEmpty(v.value) {
				s.rest.Add(model.Field{Name: s.fs.Name([]byte(v.name)), Value: model.ValueText(v.value)})
			}
		}
	}
}

// readValue adds a request or an answer that is one value: JSON in a string, or a text.
func (s *otelSpanFields) readValue(v, role []byte, answer bool) {
	if kit.IsEmpty(v) {
		return
	}
	doc := kit.RowsJSON(v)
	for _, list := range [...]string{"messages", "choices", "generations"} {
		if x := jsonspan.Get(doc, list); jsonspan.KindOf(x) == jsonspan.Array {
			s.flat(x, role, answer, 0)
			return
		}
	}
	if jsonspan.KindOf(doc) == jsonspan.Array {
		s.flat(doc, role, answer, 0)
		return
	}
	fields := append(append([]byte(`{"content":`), v...), '}')
	s.messages = append(s.messages, otelOldMessage{role, fields, answer})
}

// flat adds messages, and lists of messages from a batch.
func (s *otelSpanFields) flat(list, role []byte, answer bool, depth int) {
	for v := range jsonspan.List(list) {
		if jsonspan.KindOf(v) == jsonspan.Array && depth < 4 {
			s.flat(v, role, answer, depth+1)
			continue
		}
		if reason := jsonspan.Get(v, "finish_reason"); kit.IsString(reason) && s.finish == nil {
			s.finish = reason
		}
		// a choice, a generation
		if m := jsonspan.Get(v, "message"); jsonspan.KindOf(m) == jsonspan.Object {
			v = m
		}
		who := otelRole(v, role)
		// in the form of LangChain's objects
		if m := jsonspan.Get(v, "kwargs"); jsonspan.KindOf(m) == jsonspan.Object {
			if kind := kit.Or(jsonspan.GetString(m, "type"), langchainClass(v)); len(kind) > 0 {
				who = kind
			}
			v = m
		}
		s.messages = append(s.messages, otelOldMessage{who, v, answer})
	}
}

// hasLangchain reports whether a value, usually JSON in a string, has messages as LangChain
// serializes its objects.
func hasLangchain(v []byte) bool {
	return bytes.Contains(v, []byte("langchain_core")) && bytes.Contains(v, []byte("kwargs"))
}

// settleLangchain reads the output of a tool that is a message of LangChain: the id of the call,
// the result and its outcome.
func (s *otelSpanFields) settleLangchain(output []byte) {
	if !hasLangchain(output) {
		return
	}
	doc := kit.RowsJSON(output)
	if inner := jsonspan.Get(doc, "output"); inner != nil {
		doc = inner
	}
	m := jsonspan.Get(doc, "kwargs")
	if content := jsonspan.Get(m, "content"); content != nil {
		s.result = content
	}
	s.callID = kit.Or(s.callID, jsonspan.Get(m, "tool_call_id"))
	s.failed = s.failed || string(jsonspan.GetString(m, "status")) == "error"
}

// langchainClass returns the kind of a message from the name of its class: ai of AIMessageChunk.
func langchainClass(v []byte) []byte {
	names := kit.Elements(v, "id", 8)
	if len(names) == 0 {
		return nil
	}
	kind, _, ok := bytes.Cut(kit.Inside(names[len(names)-1]), []byte("Message"))
	if !ok {
		return nil
	}
	return bytes.ToLower(kind)
}

// openInference parses the key of a field of an OpenInference message and returns its standard
// name.
func openInference(key []byte) (prompt bool, n int, field []byte, ok bool) {
	rest, ok := bytes.CutPrefix(key, []byte("llm.input_messages."))
	if prompt = ok; !ok {
		if rest, ok = bytes.CutPrefix(key, []byte("llm.output_messages.")); !ok {
			return false, 0, nil, false
		}
	}
	number, field, ok := bytes.Cut(rest, []byte(".message."))
	n, err := strconv.Atoi(string(number))
	return prompt, n, field, ok && err == nil && n >= 0 && n < maxNumber
}

// setPart stores a field of a part of an OpenInference message.
func (m *otelFields) setPart(rest, value []byte) bool {
	number, field, ok := bytes.Cut(rest, []byte(".message_content."))
	n, err := strconv.Atoi(string(number))
	return ok && err == nil && n >= 0 && n < maxNumber && otelPartFields.Set(field, value, numbered(&m.parts, n))
}

// emitParts adds the parts of an OpenInference message.
func (m *otelFields) emitParts(f *model.Fact) {
	for i := range m.parts {
		switch p := &m.parts[i]; {
		case p.id != nil:
			kit.AddMedia(f, model.Text{}, model.Text{}, p.id)
		case kit.IsEmpty(p.content):
		case string(p.role) == "reasoning" || string(p.role) == "thinking":
			f.AddText(model.Reasoning, model.ValueText(p.content))
		default:
			f.AddText(model.Words, model.ValueText(p.content))
		}
	}
}
