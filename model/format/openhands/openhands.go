package openhands

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// Format reads the files of OpenHands: the events of version 0 (a list, a folder, or the history in
// a row of an evaluation's output), those of the SDK of version 1 (lines or a folder), and the log
// of a single request.
func Format() *model.Format {
	return &model.Format{
		Name:   "openhands",
		Title:  "OpenHands conversation",
		Where:  []string{"~/.openhands/conversations/*", "~/.openhands/sessions/*", "~/.openhands-state/sessions/*"},
		Detect: openHandsDetect,
		Lists: func(m model.Match) []string {
			if m.Variant == openHandsEvents {
				return []string{kit.WholeList}
			}
			return nil
		},
		Unroll: &model.Unroll{Members: OpenHandsMembers},
		Parse:  openHandsParse,
	}
}

// The variants of openhands.
const (
	openHandsRow    = kit.EvalDoc   // a single row of an evaluation
	openHandsRows   = kit.EvalLines // one row per line
	openHandsEvents = kit.EvalOther + iota
	openHandsCall   // the log of a request
)

func openHandsDetect(s *model.Sample) model.Match {
	if s.Shape == model.Folder || s.Shape == model.Archive {
		if members := OpenHandsMembers(s.Names); len(members) > 0 && strings.Contains(members[len(members)-1], "event") {
			return model.Match{Score: 88, Variant: openHandsEvents, Reason: "a folder with events/event-N-id.json or events/N.json"}
		}
		return model.Match{}
	}
	if _, ok := kit.EvalVariant(s, []string{"source"}, openHandsIsEvent); ok {
		return model.Match{Score: 93, Variant: openHandsEvents, Reason: "events with source and action, observation or a kind such as ActionEvent"}
	}
	if v, ok := kit.EvalVariant(s, []string{"instance_id"}, func(v []byte) bool {
		return kit.EvalHas(v, "instance_id") && (openHandsHistory(v) || kit.EvalHas(v, "metadata.agent_class") || kit.EvalHas(v, "metadata.llm_config"))
	}); ok && v != kit.EvalList {
		return model.Match{Score: 92, Variant: v, Reason: "rows of an evaluation with instance_id, metadata and history"}
	}
	if v, ok := kit.EvalVariant(s, []string{"latency_sec"}, func(v []byte) bool { return kit.EvalHas(v, "messages", "response", "latency_sec") }); ok && v == kit.EvalDoc {
		return model.Match{Score: 88, Variant: openHandsCall, Reason: "the log of a request with messages, response and latency_sec"}
	}
	return model.Match{}
}

// openHandsHistory reports whether a row has a history of OpenHands: events, or pairs of them.
// Other evaluations also have a history.
func openHandsHistory(row []byte) bool {
	c, ok := kit.Seek(row, "history")
	if !ok || c.Kind() != jsonspan.Array {
		return false
	}
	if !c.Array() || !c.More() {
		return true // it is empty
	}
	if c.Kind() == jsonspan.Array && (!c.Array() || !c.More() || c.Kind() != jsonspan.Object) {
		return false // a pair begins with an action, an object
	}
	event := c.Buf[c.Pos:]
	kind := kit.EvalString(event, "kind")
	return kit.EvalString(event, "action") != nil || kit.EvalString(event, "observation") != nil || kit.EvalHas(event, "source") && kind != nil
}

// openHandsKinds are kinds of SDK events, in addition to all names with the suffix Event.
var openHandsKinds = []string{"UserRejectObservation", "Condensation", "CondensationRequest"}

func openHandsIsEvent(v []byte) bool {
	if !kit.EvalHas(v, "source") || !kit.EvalHas(v, "id", "timestamp") {
		return false
	}
	if kind := kit.EvalString(v, "kind"); kind != nil {
		return bytes.HasSuffix(kind, []byte("Event")) || slices.Contains(openHandsKinds, string(kind))
	}
	return kit.EvalString(v, "action") != nil || kit.EvalString(v, "observation") != nil
}

// OpenHandsMembers returns the events of a folder in order, after the files that describe the
// conversation; nil without events.
func OpenHandsMembers(names []string) []string {
	var head, events []string
	numbers := map[string]int64{}
	for _, name := range names {
		dir, base := "", name
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			dir, base = name[:i], name[i+1:]
		}
		in := dir == "events" || strings.HasSuffix(dir, "/events")
		number, ok := strings.CutPrefix(base, "event-")
		if !ok {
			number, ok = strings.CutPrefix(base, "event_")
		}
		switch n, isNumber := kit.LeadingInt([]byte(number)); {
		case !strings.HasSuffix(base, ".json"):
		case (in || dir == "" && ok) && isNumber:
			events = append(events, name)
			numbers[name] = int64(n)
		case dir == "" && (base == "base_state.json" || base == "metadata.json"):
			head = append(head, name)
		}
	}
	if len(events) == 0 {
		return nil
	}
	slices.SortStableFunc(events, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	return append(head, events...)
}

func openHandsParse(rec model.Record, fs *model.Facts) error {
	if rec.Variant == openHandsCall {
		return kit.ChatParse(model.Record{Ref: rec.Ref, Variant: kit.ChatWhole, Data: rec.Data}, fs)
	}
	c := jsonspan.New(rec.Data)
	switch {
	case c.Kind() == jsonspan.Array:
		for c.Array(); c.More(); {
			openHandsEvent(c.Skip(), 0, fs)
		}
		if fs.Len() == 0 {
			fs.Add(model.About) // an empty list, or one whose elements were split off
		}
	case kit.StartObject(&c, fs):
		v := c.Skip()
		switch {
		case c.Err != nil:
		case rec.List == "base_state.json" || rec.List == "metadata.json":
			openHandsState(v, fs)
		case rec.Variant == openHandsEvents:
			openHandsEvent(v, 0, fs)
		default:
			openHandsInstance(v, kit.EvalSession(rec), fs)
		}
	}
	if c.Err != nil {
		fs.Clear()
	}
	return kit.Finish(&c, fs)
}

var openHandsStateNames = kit.Names{
	"id": "session", "conversation_id": "session", "title": "title", "llm_model": "model",
}

// openHandsState reads the file that describes a conversation.
func openHandsState(v []byte, fs *model.Facts) {
	f := fs.Add(model.About)
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "agent":
			v := c.Skip()
			kit.Keep(f, "model", jsonspan.Get(v, "llm", "model"))
			kit.Keep(f, "agent", jsonspan.Get(v, "kind"))
		case "workspace":
			kit.Keep(f, "cwd", jsonspan.Get(c.Skip(), "working_dir"))
		case "created_at":
			f.Time = kit.ReadMoment(&c)
		case "stats": // the events repeat it
			c.Skip()
		default:
			openHandsStateNames.Keep(f, &c)
		}
	}
}

// openHandsInstance reads a row of an evaluation: a session with its result.
func openHandsInstance(v []byte, session model.Key, fs *model.Facts) {
	at := fs.Len()
	f, rest := kit.EvalHead(fs, session, "instance")
	var history, metrics, result, failure []byte
	c := jsonspan.New(v)
	fields := kit.Fields{
		kit.Raw("history", &history), kit.Raw("metrics", &metrics),
		kit.Raw("test_result", &result), kit.Raw("error", &failure),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "instance_id":
			id := c.Skip()
			kit.Keep(f, "title", id)
			kit.Keep(f, "session", id)
			kit.Keep(f, "task_id", id)
		case "metadata":
			v := c.Skip()
			kit.Keep(f, "agent", jsonspan.Get(v, "agent_class"))
			kit.Keep(f, "model", jsonspan.Get(v, "llm_config", "model"))
			kit.Keep(rest, "metadata", v)
		default:
			fields.ReadOrKeep(rest, &c)
		}
	}
	kit.Keep(rest, "test_result", result)
	kit.EvalHeadDone(fs, at)
	events := jsonspan.New(history)
	for events.Array(); events.More(); {
		if events.Kind() != jsonspan.Array { // an event, or a pair of action and observation
			openHandsEvent(events.Skip(), session, fs)
			continue
		}
		for events.Array(); events.More(); {
			openHandsEvent(events.Skip(), session, fs)
		}
	}
	if u := openHandsUsage(metrics); u.Scope != model.NoUsage {
		kit.EvalTotal(fs, session, u)
	}
	end := fs.Add(model.End)
	end.Session, end.Outcome, end.Name = session, model.Success, model.StringText("finished")
	for _, path := range [...][]string{{"report", "resolved"}, {"resolved"}, {"result", "resolved"}} {
		switch resolved := jsonspan.Get(result, path...); string(resolved) {
		case "true":
			end.Score, end.HasScore, end.Name = 1, true, model.StringText("resolved")
		case "false":
			end.HasScore, end.Outcome, end.Name = true, model.Failure, model.StringText("unresolved")
		}
	}
	if !kit.IsEmpty(failure) {
		end.Outcome, end.Name = model.Failure, kit.EvalReason(model.ValueText(failure).String())
		end.AddText(model.Words, model.ValueText(failure))
	}
}

// openHandsUsage reads metrics: counters whose prompt tokens include the cached ones.
func openHandsUsage(metrics []byte) model.Usage {
	v := jsonspan.Get(metrics, "accumulated_token_usage")
	if kit.IsEmpty(v) {
		return model.Usage{}
	}
	u := openHandsNumbers.Read(v, model.Counter)
	kit.ExcludeCache(&u)
	u.Cost, u.HasCost = kit.EvalFloat(jsonspan.Get(metrics, "accumulated_cost"))
	return u
}

var openHandsNumbers = kit.UsageNames{
	Input: "prompt_tokens", Output: "completion_tokens", CacheRead: "cache_read_tokens", CacheWrite: "cache_write_tokens", Reasoning: "reasoning_tokens",
}

// openHandsResponse reads the usage of a response of LiteLLM, whose prompt tokens also include the
// cached ones.
func openHandsResponse(usage []byte) model.Usage {
	u := kit.UsageOf(usage)
	if u.Scope == model.NoUsage {
		return u
	}
	u.Input = -1
	c := jsonspan.New(usage)
	for c.Object(); c.Key(); {
		if string(c.Name) == "prompt_tokens" {
			kit.ReadCount(&c, &u.Input)
			continue
		}
		c.Skip()
	}
	kit.ExcludeCache(&u)
	return u
}

// openHandsRead holds the raw values of an event.
type openHandsRead struct {
	id, source, action, observation, cause, args, content, extras []byte
	metadata, metrics, kind, raw                                  []byte
	time                                                          model.Moment
	rest                                                          kit.Kept
}

var openHandsReadFields = kit.TableOf(func(e *openHandsRead) kit.Fields {
	return kit.Fields{
		kit.Raw("id", &e.id), kit.Time("timestamp", &e.time), kit.Word("source", &e.source),
		kit.Raw("action", &e.action), kit.Raw("observation", &e.observation),
		kit.Raw("cause", &e.cause), kit.Raw("args", &e.args), kit.Raw("content", &e.content),
		kit.Raw("extras", &e.extras), kit.Raw("tool_call_metadata", &e.metadata),
		kit.Raw("llm_metrics", &e.metrics), kit.Word("kind", &e.kind),
	}
})

func openHandsEvent(v []byte, session model.Key, fs *model.Facts) {
	if jsonspan.KindOf(v) != jsonspan.Object {
		kit.EvalNote(fs, session, "value", v)
		return
	}
	e := openHandsRead{raw: v}
	from := fs.Len()
	c := jsonspan.New(v)
	for c.Object(); c.Key(); {
		if !openHandsReadFields.Take(&c, &e) {
			e.rest.Take(&c, fs)
		}
	}
	e.emit(session, fs, from)
	e.named(session, fs, from)
}

func (e *openHandsRead) emit(session model.Key, fs *model.Facts, from int) {
	switch {
	case e.kind != nil:
		e.sdk(session, fs)
		return
	case kit.IsString(e.observation):
		e.observed(session, fs)
	case kit.IsString(e.action):
		e.acted(session, fs)
	default:
		e.note(fs, session, "event")
	}
	if fs.Len() > from && fs.At(from).Op == model.Say { // a note contains the full event
		e.rest.Give(fs.At(from))
	}
}

// named sets the key of an event's row, to which a condensation that removes it refers.
func (e *openHandsRead) named(session model.Key, fs *model.Facts, from int) {
	id := e.id
	if s := kit.Inside(id); s != nil {
		id = s
	}
	for i := fs.Len() - 1; i >= from && len(id) > 0; i-- {
		if f := fs.At(i); f.Op == model.Say || f.Op == model.Note {
			f.Record = openHandsEventKey(session, id)
			return
		}
	}
}

// openHandsEventKey returns the key of an event from its id.
func openHandsEventKey(session model.Key, id []byte) model.Key {
	return session.Join(model.HashString("event")).With(id)
}

// condensed records that the model no longer sees some events: those of a list, or of a range of
// numbers. It still sees the events before and after them.
func (e *openHandsRead) condensed(v []byte, session model.Key, fs *model.Facts) {
	f := fs.Add(model.Compact)
	f.Session, f.Time = session, e.time
	if v := jsonspan.Get(v, "summary"); !kit.IsEmpty(v) {
		f.AddText(model.Words, model.ValueText(v))
	}
	kit.KeepOthers(f, v, "summary", "id", "timestamp", "kind", "source")
	at := fs.Len() - 1
	forget := func(id []byte) {
		g := fs.Add(model.Life)
		g.Session, g.Flags, g.Target = session, model.Compacted, openHandsEventKey(session, id)
		fs.At(at).By = g.Target
	}
	for id := range jsonspan.List(jsonspan.Get(v, "forgotten_event_ids")) {
		if s := kit.Inside(id); s != nil {
			id = s
		}
		forget(id)
	}
	from, ok := jsonspan.ParseInt(jsonspan.Get(v, "forgotten_events_start_id"))
	to, end := jsonspan.ParseInt(jsonspan.Get(v, "forgotten_events_end_id"))
	for n := from; ok && end && n <= to; n++ {
		forget(strconv.AppendInt(nil, n, 10))
	}
}

// note adds a bookkeeping event, with all its fields.
func (e *openHandsRead) note(fs *model.Facts, session model.Key, kind string) *model.Fact {
	f := kit.EvalNote(fs, session, kind, e.raw)
	f.Time = e.time
	return f
}

// callID returns the id that joins action and observation: the id of the model's call or, without
// one, the number of the action's event.
func (e *openHandsRead) callID(event []byte) model.Text {
	if id := jsonspan.Get(e.metadata, "tool_call_id"); !kit.IsEmpty(id) {
		return model.ValueText(id)
	}
	return model.ValueText(event)
}

// acted reads an action of version 0.
func (e *openHandsRead) acted(session model.Key, fs *model.Facts) {
	switch action := string(kit.Inside(e.action)); action {
	case "message", "system", "finish", "reject":
		e.message(action, session, fs)
	case "condensation":
		e.condensed(e.args, session, fs)
	case "recall", "change_agent_state", "null", "pause", "resume", "stop", "condensation_request", "initialize", "start_task", "loop_recovery":
		e.note(fs, session, action)
	default:
		e.call(session, fs)
	}
	if u := openHandsUsage(e.metrics); u.Scope != model.NoUsage {
		f := fs.Add(model.Meter)
		f.Session, f.Usage = session, u
	}
}

// message reads a message of the user, the system or the agent. The action finish is the last
// message.
func (e *openHandsRead) message(action string, session model.Key, fs *model.Facts) {
	f := fs.Add(model.Say)
	f.Session, f.Time = session, e.time
	switch {
	case action == "system":
		f.Role = model.System
	case string(e.source) == "user":
		f.Role = model.User
	default:
		f.Role = model.Assistant
		e.response(f)
	}
	var text []byte
	for _, name := range [...]string{"content", "final_thought", "thought"} {
		if v := jsonspan.Get(e.args, name); !kit.IsEmpty(v) {
			text = v
			break
		}
	}
	if text == nil {
		text = jsonspan.Get(e.raw, "message")
	}
	kit.AddContent(f, text)
	for v := range jsonspan.List(jsonspan.Get(e.args, "image_urls")) {
		kit.AddMedia(f, model.Text{}, kit.MediaType("image"), v)
	}
	kit.Keep(f, "tools", jsonspan.Get(e.args, "tools"))
	if action == "finish" || action == "reject" {
		kit.Keep(f, "outputs", jsonspan.Get(e.args, "outputs"))
		end := fs.Add(model.End)
		end.Session, end.Time, end.Outcome, end.Name = session, e.time, model.Success, model.ValueText(e.action)
		if action == "reject" {
			end.Outcome = model.Failure
		}
		if done := jsonspan.Get(e.args, "task_completed"); string(done) == `"false"` {
			end.Outcome = model.Failure
		} else if string(done) == `"partial"` {
			end.Outcome = model.Half
		}
	}
}

// response adds the data of the model's response that contains an action, and returns its message.
// All actions of one response form one message.
func (e *openHandsRead) response(f *model.Fact) (message []byte) {
	r := jsonspan.Get(e.metadata, "model_response")
	if kit.IsEmpty(r) {
		f.Key = f.Session.Join(kit.HashValue(e.id))
		return nil
	}
	if id := jsonspan.GetString(r, "id"); id != nil {
		f.Key = f.Session.With(id)
	}
	f.Model = model.ValueText(jsonspan.Get(r, "model"))
	if kit.IsEmpty(e.metrics) {
		f.Usage = openHandsResponse(jsonspan.Get(r, "usage"))
	}
	choice := kit.EvalFirst(jsonspan.Get(r, "choices"))
	kit.SetStop(f, jsonspan.GetString(choice, "finish_reason"))
	return jsonspan.Get(choice, "message")
}

// call adds the call of an action that a tool executes.
func (e *openHandsRead) call(session model.Key, fs *model.Facts) {
	f := fs.Add(model.Say)
	f.Session, f.Time, f.Role = session, e.time, model.Assistant
	if string(e.source) == "user" {
		f.Role = model.User
	}
	message := e.response(f)
	if v := jsonspan.Get(message, "reasoning_content"); !kit.IsEmpty(v) {
		b := f.Add(model.Reasoning)
		b.Text, b.Key = model.ValueText(v), model.HashString("reasoning")
	}
	name := jsonspan.Get(e.metadata, "function_name")
	if v := jsonspan.Get(e.args, "thought"); !kit.IsEmpty(v) && string(kit.Inside(e.action)) != "think" {
		f.AddText(model.Words, model.ValueText(v))
	}
	b := f.Add(model.ToolCall)
	b.ID, b.Name, b.Text = e.callID(e.id), model.ValueText(name), model.ValueText(e.args)
	if kit.IsEmpty(name) {
		b.Name = model.ValueText(e.action)
	}
	if state := jsonspan.GetString(e.args, "confirmation_state"); string(state) == "rejected" {
		b.Outcome = model.Denied
	}
	list := jsonspan.New(jsonspan.Get(message, "tool_calls"))
	for list.Array(); list.More(); { // the arguments as the model wrote them
		v := list.Skip()
		if id := jsonspan.Get(v, "id"); bytes.Equal(kit.Inside(id), b.ID.Raw()) {
			b.Text = model.ValueText(jsonspan.Get(v, "function", "arguments"))
		}
	}
}

// observed reads an observation of version 0.
func (e *openHandsRead) observed(session model.Key, fs *model.Facts) {
	kind := string(kit.Inside(e.observation))
	switch kind {
	case "agent_state_changed", "recall", "null", "condense", "loop_detection", "success":
		f := e.note(fs, session, kind)
		state := jsonspan.GetString(e.extras, "agent_state")
		if string(state) == "error" || string(state) == "rejected" {
			f.Outcome = model.Failure
		}
		return
	}
	f := fs.Add(model.Say)
	f.Role, f.Session, f.Time = model.Tool, session, e.time
	outcome := model.Unknown
	for _, path := range [...][]string{{"metadata", "exit_code"}, {"exit_code"}} {
		if code, ok := jsonspan.ParseInt(jsonspan.Get(e.extras, path...)); ok {
			outcome = kit.OutcomeOfExit(int(code))
			if code == -1 { // the command continues to run; the agent looks again
				outcome = model.TimedOut
			}
		}
	}
	switch {
	case kind == "error":
		outcome = model.Failure
	case kind == "user_rejected":
		outcome = model.Denied
	case kit.IsTrue(jsonspan.Get(e.extras, "error")):
		outcome = model.Failure
	}
	name := jsonspan.Get(e.metadata, "function_name")
	if kit.IsEmpty(name) {
		name = e.observation
	}
	kit.AddResult(f, e.callID(e.cause), model.ValueText(name), e.content, outcome)
	kit.Keep(f, "extras", e.extras)
}
