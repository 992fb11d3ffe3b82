package langchain

import (
	"bytes"
	"time"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// LangSmithFormat reads runs of LangSmith: the requests of its SDK, and exports of runs. Runs
// of models contain the conversation, and each run repeats it; all other runs are folded.
func LangSmithFormat() *model.Format {
	return &model.Format{
		Name:    "langsmith",
		Highest: 90,
		Deltas:  true,
		Title:   "LangSmith runs",
		Detect:  langsmithDetect,
		Lists:   langsmithLists,
		Parse:   langsmithParse,
		Order:   model.ByTime,
	}
}

// The variants: the place of the runs. langsmithToolsOnly means that no run is of a model.
const (
	langsmithBatch = 1 + iota
	langsmithList
	langsmithRuns
	langsmithToolsOnly = 64
)

func langsmithDetect(s *model.Sample) model.Match {
	var list [][]byte
	var variant uint8
	switch doc := kit.SampleDocument(s); {
	case doc != nil && (kit.HasKey(doc, "post") || kit.HasKey(doc, "patch")):
		list = append(kit.Elements(doc, "post", kit.SampleLimit), kit.Elements(doc, "patch", kit.SampleLimit)...)
		variant = langsmithBatch
	case s.Shape == model.Document && jsonspan.KindOf(doc) == jsonspan.Array:
		list, variant = kit.Elements(doc, kit.WholeList, kit.SampleLimit), langsmithList
	case doc != nil && len(kit.Elements(doc, "runs", 1)) > 0:
		list, variant = kit.Elements(doc, "runs", kit.SampleLimit), langsmithRuns
	case s.Shape == model.Lines:
		list = s.Records
	}
	fit, models := 0, false
	for _, v := range list {
		if kit.HasKey(v, "dotted_order") && (kit.HasKey(v, "trace_id") || kit.HasKey(v, "run_type")) || kit.HasKey(v, "run_type") && kit.HasKey(v, "inputs") {
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
		return []string{kit.WholeList}
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
			kit.FrameAbout(&c, fs, 0)
		} else {
			c.Skip()
			fs.Add(model.About)
		}
	case kit.StartObject(&c, fs):
		langsmithRun(&c, fs, rec.Variant&langsmithToolsOnly != 0)
	}
	return kit.Finish(&c, fs)
}

// langsmithFields holds the fields of a run.
type langsmithFields struct {
	id, trace, kind, name, inputs, outputs, failure, extra, parent []byte
	start, end                                                     model.Moment
	rest                                                           kit.Kept
}

var langsmithTable = kit.TableOf(func(r *langsmithFields) kit.Fields {
	return kit.Fields{
		kit.Raw("id", &r.id), kit.Raw("trace_id", &r.trace), kit.Word("run_type", &r.kind),
		kit.Raw("name", &r.name), kit.Raw("error", &r.failure), kit.Raw("extra", &r.extra),
		kit.Raw("parent_run_id", &r.parent), kit.Time("start_time", &r.start),
		kit.Time("end_time", &r.end),
	}
})

func langsmithRun(c *jsonspan.Cursor, fs *model.Facts, toolsOnly bool) {
	start := c.Pos
	var r langsmithFields
	for c.Object(); c.Key(); {
		if langsmithTable.Take(c, &r) {
			continue
		}
		switch string(c.Name) {
		case "inputs":
			r.inputs = kit.RowsJSON(c.Skip())
		case "outputs":
			r.outputs = kit.RowsJSON(c.Skip())
		// the times give the order, and the events repeat the output of a stream
		case "dotted_order", "events":
			c.Skip()
		default:
			r.rest.Take(c, fs)
		}
	}
	if c.Err != nil {
		return
	}
	ended := r.end.Ms != 0
	if !ended {
		r.end = r.start
	}
	if r.start.Ms == 0 {
		r.start = r.end
	}
	session := kit.HashValue(r.trace)
	if session == 0 {
		session = kit.HashValue(r.id)
	}
	switch {
	case string(r.kind) == "llm", r.kind == nil && langsmithIsModel(r.extra):
		r.emitRun(fs, session)
	case string(r.kind) == "tool" && toolsOnly:
		r.tool(fs, session)
	case string(r.kind) == "tool" && ended && !kit.IsEmpty(r.id):
		r.substitute(fs, session)
	default:
		r.note(fs, session, bytes.TrimSpace(c.Buf[start:c.Pos]))
	}
}

// langsmithIsModel reports whether a patch, which does not name its kind, is of a model.
func langsmithIsModel(extra []byte) bool {
	return jsonspan.Get(extra, "metadata", "ls_model_type") != nil || jsonspan.Get(extra, "invocation_params") != nil
}

// emitRun adds the input and the answer of a model.
func (r *langsmithFields) emitRun(fs *model.Facts, session model.Key) {
	at := fs.Len()
	if !kit.IsEmpty(r.inputs) {
		AddMessages(fs, r.inputs, model.User)
		n := 0
		for i := at; i < fs.Len(); i++ {
			if f := fs.At(i); f.Op == model.Say {
				n++
				f.Time = r.start
				kit.Know(f, session, n)
			}
			fs.At(i).Session = session
		}
	}
	first := fs.Len()
	if !kit.IsEmpty(r.outputs) {
		AddMessages(fs, r.outputs, model.Assistant)
	}
	var usage model.Usage
	if u := kit.Or(jsonspan.Get(r.outputs, "usage_metadata"), jsonspan.Get(r.extra, "metadata", "usage_metadata")); u != nil {
		usage = kit.LangchainUsage(u)
	}
	r.untimeLater(fs, at, first)
	if fs.Len() > at { // an unfinished run has no answer
		r.describe(fs.Last())
	}
	answered := false
	for i := first; i < fs.Len(); i++ {
		f := fs.At(i)
		f.Session = session
		if f.Op != model.Say {
			continue
		}
		f.Time = r.end
		if usage.Scope != model.NoUsage && f.Usage.Scope == model.NoUsage && !answered {
			f.Usage = usage
		}
		if f.Usage.Scope != model.NoUsage {
			f.Usage.Key = kit.HashValue(r.id)
		}
		if f.Model.IsNull() {
			f.Model = model.ValueText(jsonspan.Get(r.extra, "metadata", "ls_model_name"))
		}
		answered = true
		kit.Know(f, session, 0)
	}
	if !kit.IsEmpty(r.failure) {
		f := fs.Add(model.Say)
		f.Role, f.Session, f.Time = model.Assistant, session, r.end
		f.Flags |= model.APIError
		f.Outcome, f.Stop = model.Failure, model.StopError
		f.AddText(model.Words, model.ValueText(r.failure))
	}
	switch {
	case fs.Len() > at:
	case usage.Scope != model.NoUsage: // the texts are hidden
		f := fs.Add(model.Say)
		f.Join, f.Role, f.Session, f.Name, f.Key = model.StandIn, model.Assistant, session, model.EscapedText(r.kind), session.Join(kit.HashValue(r.id))
		f.Time, f.Model, f.Usage = r.end, model.ValueText(jsonspan.Get(r.extra, "metadata", "ls_model_name")), usage
		r.describe(f)
	default:
		r.note(fs, session, nil)
	}
}

// untimeLater removes the time from inputs newer than the run. The SDK for JavaScript writes inputs
// when it sends them, and by then an agent may have appended the answer and more to its list of
// messages. The runs of these messages have their times.
func (r *langsmithFields) untimeLater(fs *model.Facts, at, first int) {
	if first >= fs.Len() {
		return
	}
	answer := fs.At(first)
	later := false
	for i := at; i < first; i++ {
		f := fs.At(i)
		switch {
		case later:
			f.Time = model.Moment{}
		case f.Role == model.Assistant && sameBlocks(f, answer):
			f.Time, later = r.end, true
		}
	}
}

// sameBlocks reports whether two messages have the same calls and words.
func sameBlocks(a, b *model.Fact) bool {
	if len(a.Blocks) != len(b.Blocks) || len(a.Blocks) == 0 {
		return false
	}
	for i := range a.Blocks {
		x, y := &a.Blocks[i], &b.Blocks[i]
		if x.Kind != y.Kind || !bytes.Equal(x.ID.Raw(), y.ID.Raw()) || !bytes.Equal(x.Text.Raw(), y.Text.Raw()) {
			return false
		}
	}
	return true
}

// describe adds the fields that describe the run.
func (r *langsmithFields) describe(f *model.Fact) {
	r.rest.Give(f)
	kit.Keep(f, "name", r.name)
	kit.Keep(f, "parent_run_id", r.parent)
	kit.KeepOthers(f, jsonspan.Get(r.extra, "metadata"), "ls_model_name")
	kit.KeepOthers(f, r.extra, "metadata", "runtime", "messages")
}

// AddMessages adds messages, inputs or outputs, in LangChain's serialisations or in the form of a
// provider's API.
func AddMessages(fs *model.Facts, v []byte, role model.Role) {
	at := fs.Len()
	c := jsonspan.New(v)
	if bytes.Contains(v, []byte(`"lc"`)) || bytes.Contains(v, []byte(`"additional_kwargs"`)) || kit.HasKey(v, "generations") {
		p := LangchainParser{Fs: fs}
		p.Value(&c)
		return
	}
	p := kit.ChatParser{Fs: fs}
	p.Value(&c, role)
	if fs.Len() > at && fs.At(at).Op == model.Note { // the value has no messages, so it is the text
		fs.Cut(at)
		f := fs.Add(model.Say)
		f.Role = role
		f.AddText(model.Words, model.ValueText(v))
	}
}

func (r *langsmithFields) tool(fs *model.Facts, session model.Key) {
	f := fs.Add(model.Say)
	f.Role, f.Session, f.Time, f.Key = model.Assistant, session, r.start, kit.HashValue(r.id)
	r.describe(f)
	call := f.Add(model.ToolCall)
	call.ID, call.Name, call.Text = model.ValueText(r.id), model.ValueText(r.name), model.ValueText(r.inputs)
	if kit.IsEmpty(r.outputs) && kit.IsEmpty(r.failure) {
		return
	}
	text, outcome := model.ValueText(r.outputs), model.Success
	if !kit.IsEmpty(r.failure) {
		text = model.ValueText(r.failure)
		outcome = kit.FailureOf(text)
	}
	b := f.Add(model.ToolResult)
	b.ID, b.Name, b.Text, b.Outcome = model.ValueText(r.id), model.ValueText(r.name), text, outcome
}

// substitute adds a tool call outside of model runs: its times, and the call itself if no message
// has it, for example with hidden inputs and outputs.
func (r *langsmithFields) substitute(fs *model.Facts, session model.Key) {
	at := fs.Len()
	id, name := r.callID(), model.ValueText(r.name)
	for _, role := range [...]model.Role{model.Assistant, model.Tool} {
		f := fs.Add(model.Say)
		f.Join, f.Role, f.Session, f.Name, f.Key = model.StandIn, role, session, model.EscapedText(r.kind), session.Join(kit.HashValue(r.id))
		r.describe(f)
	}
	f := fs.At(at)
	f.Time, f.Flags = r.start, f.Flags|model.Synthetic
	b := f.Add(model.ToolCall)
	b.ID, b.Name, b.Text = id, name, model.ValueText(r.inputs)
	f = fs.At(at + 1)
	f.Time = r.end
	text, outcome := model.ValueText(r.outputs), model.Success
	if !kit.IsEmpty(r.failure) {
		text = model.ValueText(r.failure)
		outcome = kit.FailureOf(text)
	}
	b = f.Add(model.ToolResult)
	b.ID, b.Name, b.Text, b.Outcome = id, name, text, outcome
	if r.start.Ms != 0 && r.end.Ms >= r.start.Ms {
		b.Took = time.Duration(r.end.Ms-r.start.Ms) * time.Millisecond
	}
}

// callID returns the id of the call that a tool's outputs answer; empty if they have none.
func (r *langsmithFields) callID() (id model.Text) {
	for _, path := range langsmithCallIDs {
		if v := jsonspan.Get(r.outputs, path...); kit.IsString(v) {
			id = model.ValueText(v)
		}
	}
	return id
}

var langsmithCallIDs = [...][]string{{"tool_call_id"}, {"output", "tool_call_id"}, {"output", "kwargs", "tool_call_id"}}

// note folds a run of a chain, a retriever, or a tool whose call is in a model's messages.
func (r *langsmithFields) note(fs *model.Facts, session model.Key, raw []byte) {
	f := fs.Add(model.Note)
	f.Name = model.EscapedText(r.kind)
	if r.kind == nil {
		f.Name = model.StringText("run")
	}
	f.Session, f.Time = session, r.start
	kit.Keep(f, "name", r.name)
	kit.Keep(f, "id", r.id)
	kit.Keep(f, "error", r.failure)
	kit.Keep(f, "parent_run_id", r.parent)
	if !kit.IsEmpty(r.failure) {
		f.Outcome = model.Failure
	}
	if !kit.IsEmpty(r.inputs) {
		f.AddText(model.OtherBlock, model.ValueText(r.inputs))
	}
	if !kit.IsEmpty(r.outputs) {
		f.AddText(model.OtherBlock, model.ValueText(r.outputs))
		f.Target = langsmithAnswers(r.outputs)
	}
	if len(f.Blocks) == 0 && raw != nil {
		f.AddText(model.OtherBlock, model.ValueText(raw))
	}
}

// langsmithAnswers returns the key of the call that the outputs of a tool answer; 0 if unknown.
func langsmithAnswers(outputs []byte) (call model.Key) {
	if !bytes.Contains(outputs, []byte("tool_call_id")) {
		return 0
	}
	for _, path := range langsmithCallIDs {
		if id := jsonspan.Get(outputs, path...); kit.IsString(id) {
			call = kit.HashValue(id)
		}
	}
	return call
}
