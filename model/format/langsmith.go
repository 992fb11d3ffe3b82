package format

import (
	"bytes"

	"turns/model"
	"turns/model/jsonspan"
)

// langsmithFormat is runs of LangSmith: what its SDK posts and patches, and
// exports of runs. Runs of models tell the conversation, which every run repeats;
// all other runs are folded.
func langsmithFormat() *model.Format {
	return &model.Format{
		Name:   "langsmith",
		Deltas: true,
		Title:  "LangSmith runs",
		Detect: langsmithDetect,
		Lists:  langsmithLists,
		Parse:  langsmithParse,
		Order:  model.ByTime,
	}
}

// The variants: where the runs are. langsmithToolsOnly says that none is of a
// model.
const (
	langsmithBatch = 1 + iota
	langsmithList
	langsmithRuns
	langsmithToolsOnly = 64
)

func langsmithDetect(s *model.Sample) model.Match {
	var list [][]byte
	var variant uint8
	switch doc := sampleDocument(s); {
	case doc != nil && (hasKey(doc, "post") || hasKey(doc, "patch")):
		list = append(elements(doc, "post", sampleLimit), elements(doc, "patch", sampleLimit)...)
		variant = langsmithBatch
	case s.Shape == model.Document && jsonspan.KindOf(doc) == jsonspan.Array:
		list, variant = elements(doc, wholeList, sampleLimit), langsmithList
	case doc != nil && len(elements(doc, "runs", 1)) > 0:
		list, variant = elements(doc, "runs", sampleLimit), langsmithRuns
	case s.Shape == model.Lines:
		list = s.Records
	}
	fit, models := 0, false
	for _, v := range list {
		if hasKey(v, "dotted_order") && (hasKey(v, "trace_id") || hasKey(v, "run_type")) || hasKey(v, "run_type") && hasKey(v, "inputs") {
			fit++
			models = models || string(jsonspan.GetString(v, "run_type")) == "llm"
		}
	}
	if fit == 0 || fit*2 < len(list) {
		return model.Match{}
	}
	if !models {
		variant |= langsmithToolsOnly
	}
	return model.Match{Score: 90, Variant: variant, Reason: "runs with dotted_order, trace_id and run_type"}
}

func langsmithLists(m model.Match) []string {
	switch m.Variant &^ langsmithToolsOnly {
	case langsmithBatch:
		return []string{"post", "patch"}
	case langsmithList:
		return []string{wholeList}
	case langsmithRuns:
		return []string{"runs"}
	}
	return nil
}

func langsmithParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	switch {
	case rec.Variant&^langsmithToolsOnly > 0 && rec.List == "":
		if c.Kind() == jsonspan.Object {
			frameAbout(&c, fs, 0)
		} else {
			c.Skip()
			fs.Add(model.About)
		}
	case startObject(&c, fs):
		langsmithRun(&c, fs, rec.Variant&langsmithToolsOnly != 0)
	}
	return finish(&c, fs)
}

// langsmithFields is the fields of a run.
type langsmithFields struct {
	id, trace, kind, name, inputs, outputs, failure, extra, parent []byte
	start, end                                                     model.Moment
	rest                                                           kept
}

func langsmithRun(c *jsonspan.Cursor, fs *model.Facts, toolsOnly bool) {
	start := c.Pos
	var r langsmithFields
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "id":
			r.id = c.Skip()
		case "trace_id":
			r.trace = c.Skip()
		case "run_type":
			r.kind = c.String()
		case "name":
			r.name = c.Skip()
		case "inputs":
			r.inputs = rowsJSON(c.Skip())
		case "outputs":
			r.outputs = rowsJSON(c.Skip())
		case "error":
			r.failure = c.Skip()
		case "extra":
			r.extra = c.Skip()
		case "parent_run_id":
			r.parent = c.Skip()
		case "start_time":
			r.start = readMoment(c)
		case "end_time":
			r.end = readMoment(c)
		case "dotted_order", "events": // the order is that of the times, the events are what a stream brought
			c.Skip()
		default:
			r.rest.take(c, fs)
		}
	}
	if c.Err != nil {
		return
	}
	if r.end.Ms == 0 {
		r.end = r.start
	}
	if r.start.Ms == 0 {
		r.start = r.end
	}
	session := hashValue(r.trace)
	if session == 0 {
		session = hashValue(r.id)
	}
	switch {
	case string(r.kind) == "llm", r.kind == nil && langsmithIsModel(r.extra):
		r.say(fs, session)
	case string(r.kind) == "tool" && toolsOnly:
		r.tool(fs, session)
	default:
		r.note(fs, session, bytes.TrimSpace(c.Buf[start:c.Pos]))
	}
}

// langsmithIsModel reports whether a patch, which does not say it, is of a model.
func langsmithIsModel(extra []byte) bool {
	return jsonspan.Get(extra, "metadata", "ls_model_type") != nil || jsonspan.Get(extra, "invocation_params") != nil
}

// say says what a model was sent and what it answered.
func (r *langsmithFields) say(fs *model.Facts, session model.Key) {
	at := fs.Len()
	if !isEmpty(r.inputs) {
		langsmithValue(fs, r.inputs, model.User)
		n := 0
		for i := at; i < fs.Len(); i++ {
			if f := fs.At(i); f.Op == model.Say {
				n++
				f.Time = r.start
				otelKnow(f, session, n)
			}
			fs.At(i).Session = session
		}
	}
	first := fs.Len()
	if !isEmpty(r.outputs) {
		langsmithValue(fs, r.outputs, model.Assistant)
	}
	var usage model.Usage
	if hasKey(r.outputs, "usage_metadata") {
		usage = langchainUsage(jsonspan.Get(r.outputs, "usage_metadata"))
	}
	if fs.Len() > at { // a run that only began has no answer
		r.describe(fs.Last())
	}
	said := false
	for i := first; i < fs.Len(); i++ {
		f := fs.At(i)
		f.Session = session
		if f.Op != model.Say {
			continue
		}
		f.Time = r.end
		if usage.Scope != model.NoUsage && f.Usage.Scope == model.NoUsage && !said {
			f.Usage = usage
		}
		if f.Usage.Scope != model.NoUsage {
			f.Usage.Key = hashValue(r.id)
		}
		if f.Model.IsNull() {
			f.Model = model.ValueText(jsonspan.Get(r.extra, "metadata", "ls_model_name"))
		}
		said = true
		otelKnow(f, session, 0)
	}
	if !isEmpty(r.failure) {
		f := fs.Add(model.Say)
		f.Role, f.Session, f.Time = model.Assistant, session, r.end
		f.Flags |= model.APIError
		f.Outcome, f.Stop = model.Failure, model.StopError
		f.AddText(model.Words, model.ValueText(r.failure))
	}
	if fs.Len() == at {
		r.note(fs, session, nil)
	}
}

// describe keeps what the run says of itself.
func (r *langsmithFields) describe(f *model.Fact) {
	r.rest.give(f)
	keep(f, "name", r.name)
	keep(f, "parent_run_id", r.parent)
	keepOthers(f, jsonspan.Get(r.extra, "metadata"), "ls_model_name")
	keepOthers(f, r.extra, "metadata", "runtime", "messages")
}

// langsmithValue says inputs or outputs, in LangChain's serialisations or as the
// API of a provider has them.
func langsmithValue(fs *model.Facts, v []byte, role model.Role) {
	at := fs.Len()
	c := jsonspan.New(v)
	if bytes.Contains(v, []byte(`"lc"`)) || bytes.Contains(v, []byte(`"additional_kwargs"`)) || hasKey(v, "generations") {
		p := langchainParser{fs: fs}
		p.value(&c)
		return
	}
	p := chatParser{fs: fs}
	p.value(&c, role)
	if fs.Len() > at && fs.At(at).Op == model.Note { // no messages: the value is what was said
		fs.Cut(at)
		f := fs.Add(model.Say)
		f.Role = role
		f.AddText(model.Words, model.ValueText(v))
	}
}

func (r *langsmithFields) tool(fs *model.Facts, session model.Key) {
	f := fs.Add(model.Say)
	f.Role, f.Session, f.Time, f.Key = model.Assistant, session, r.start, hashValue(r.id)
	r.describe(f)
	call := f.Add(model.ToolCall)
	call.ID, call.Name, call.Text = model.ValueText(r.id), model.ValueText(r.name), model.ValueText(r.inputs)
	if isEmpty(r.outputs) && isEmpty(r.failure) {
		return
	}
	text, outcome := model.ValueText(r.outputs), model.Success
	if !isEmpty(r.failure) {
		text = model.ValueText(r.failure)
		outcome = failureOf(text)
	}
	b := f.Add(model.ToolResult)
	b.ID, b.Name, b.Text, b.Outcome = model.ValueText(r.id), model.ValueText(r.name), text, outcome
}

// note folds a run of a chain, a retriever, or a tool that a model's messages tell
// of.
func (r *langsmithFields) note(fs *model.Facts, session model.Key, raw []byte) {
	f := fs.Add(model.Note)
	f.Name = model.EscapedText(r.kind)
	if r.kind == nil {
		f.Name = model.StringText("run")
	}
	f.Session, f.Time = session, r.start
	keep(f, "name", r.name)
	keep(f, "id", r.id)
	keep(f, "error", r.failure)
	keep(f, "parent_run_id", r.parent)
	if !isEmpty(r.failure) {
		f.Outcome = model.Failure
	}
	if !isEmpty(r.inputs) {
		f.AddText(model.OtherBlock, model.ValueText(r.inputs))
	}
	if !isEmpty(r.outputs) {
		f.AddText(model.OtherBlock, model.ValueText(r.outputs))
		f.Target = langsmithAnswers(r.outputs)
	}
	if len(f.Blocks) == 0 && raw != nil {
		f.AddText(model.OtherBlock, model.ValueText(raw))
	}
}

// langsmithAnswers is the call that the outputs of a tool are the answer to.
func langsmithAnswers(outputs []byte) (call model.Key) {
	if !bytes.Contains(outputs, []byte("tool_call_id")) {
		return 0
	}
	for _, path := range [...][]string{{"tool_call_id"}, {"output", "tool_call_id"}, {"output", "kwargs", "tool_call_id"}} {
		if id := jsonspan.Get(outputs, path...); isString(id) {
			call = hashValue(id)
		}
	}
	return call
}
