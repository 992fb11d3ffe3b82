package evals

import (
	"bytes"
	"slices"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// AtifFormat reads the Agent Trajectory Interchange Format of Harbor, versions 1.0 to 1.8: a
// document with steps; each step has a message, its calls and their results.
func AtifFormat() *model.Format {
	return &model.Format{
		Name:  "atif",
		Title: "Harbor ATIF trajectory",
		Where: []string{"jobs/*/*/agent/trajectory.json"},
		Detect: kit.Clues(
			kit.Clue{In: kit.InConversations, Score: 95, Reason: "a document of a schema_version ATIF, or with session_id, agent and steps", Is: kit.Signs{
				"schema_version=ATIF*|atif*|Atif*", "- schema_version:string & !schema_version=1.*|v1.*", // some writers shorten "ATIF-v1.5"
				"agent.name & schema_version|session_id & steps[0](step_id & source & message)"}},
		),
		Lists: func(m model.Match) []string {
			switch m.Variant {
			case kit.EvalList:
				return []string{kit.WholeList}
			case kit.EvalDoc:
				return []string{"steps"}
			}
			return nil // with several trajectories, each has its own steps
		},
		Parse: atifParse,
	}
}

func atifParse(rec model.Record, fs *model.Facts) error {
	if rec.List != "steps" {
		return kit.EvalEach(rec, fs, atifTrajectory)
	}
	c := jsonspan.New(rec.Data)
	before := c
	atifStep(&c, 0, fs)
	if one, ok := kit.ReadAgain(&c, before, fs, 0); ok {
		atifStep(&one, 0, fs)
	}
	return kit.Finish(&c, fs)
}

// atifTrajectory reads the fields of the session, and the steps if they are not separate records.
func atifTrajectory(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	at := fs.Len()
	f, rest := kit.EvalHead(fs, session, "trajectory")
	var steps, final []byte
	fields := kit.Fields{kit.Raw("steps", &steps), kit.Raw("final_metrics", &final)}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "session_id":
			kit.Keep(f, "session", c.Skip())
		case "schema_version":
			kit.Keep(f, "format version", c.Skip())
		case "agent":
			atifAgent(c, f, rest)
		default:
			fields.ReadOrKeep(rest, c)
		}
	}
	kit.Keep(rest, "final_metrics", final)
	kit.EvalHeadDone(fs, at)
	// otherwise the cached part of the input is unknown
	if jsonspan.Get(final, "total_cached_tokens") != nil {
		kit.EvalTotal(fs, session, atifTotals(final))
	}
	list := jsonspan.New(steps)
	for list.Array(); list.More(); {
		before, from := list, fs.Len()
		atifStep(&list, session, fs)
		if one, ok := kit.ReadAgain(&list, before, fs, from); ok {
			atifStep(&one, session, fs)
		}
	}
}

func atifAgent(c *jsonspan.Cursor, f *model.Fact, rest *model.Fact) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "name":
			kit.Keep(f, "agent", c.Skip())
		case "version":
			kit.Keep(f, "version", c.Skip())
		case "model_name":
			kit.Keep(f, "model", c.Skip())
		case "extra":
			kit.Keep(rest, "agent extra", c.Skip())
		default:
			kit.KeepField(rest, c)
		}
	}
}

func atifTotals(v []byte) model.Usage {
	u := atifTotalNames.Read(v, model.Total)
	kit.ExcludeCache(&u)
	return u
}

var atifTotalNames = kit.UsageNames{
	Input: "total_prompt_tokens", Output: "total_completion_tokens", CacheRead: "total_cached_tokens", Cost: "total_cost_usd",
}

// atifMetrics reads the numbers of a step; the prompt includes cached tokens.
func atifMetrics(v []byte) model.Usage {
	u, cached := kit.NoUsage(model.Each), int64(-1)
	kit.ReadObject(v,
		kit.Count("prompt_tokens", &u.Input), kit.Count("completion_tokens", &u.Output),
		kit.Count("cached_tokens", &u.CacheRead), kit.Cost("cost_usd", &u),
		kit.Within("extra",
			kit.Count("reasoning_tokens", &u.Reasoning),
			kit.Count("cache_write_tokens", &u.CacheWrite), kit.Count("cache_creation_input_tokens", &u.CacheWrite),
			kit.Count("cache_read_tokens", &cached), kit.Count("cache_read_input_tokens", &cached)),
	)
	if u.CacheRead < 0 {
		u.CacheRead = cached
	}
	if u.Input < 0 && u.Output < 0 && !u.HasCost {
		return model.Usage{}
	}
	kit.ExcludeCache(&u)
	return u
}

// atifRead holds the raw values of a step.
type atifRead struct {
	source, message, reasoning, calls, observation, metrics, extra []byte
	copied                                                         bool
	// two of the calls have the same id
	same bool
}

var atifReadFields = kit.TableOf(func(s *atifRead) kit.Fields {
	return kit.Fields{
		kit.Word("source", &s.source), kit.Raw("message", &s.message),
		kit.Raw("reasoning_content", &s.reasoning), kit.Raw("tool_calls", &s.calls),
		kit.Raw("observation", &s.observation), kit.Raw("metrics", &s.metrics),
		kit.Flag("is_copied_context", &s.copied),
	}
})

func atifStep(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	if c.Kind() != jsonspan.Object {
		kit.EvalNote(fs, session, "value", c.Skip())
		return
	}
	f := fs.Add(model.Say)
	f.Session = session
	var s atifRead
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "timestamp":
			f.Time = kit.ReadMoment(c)
		case "model_name":
			f.Model = model.ValueText(c.Skip())
		case "extra":
			s.extra = c.Skip()
			kit.Keep(f, "extra", s.extra)
		case "step_id":
			kit.Keep(f, "step", c.Skip())
		default:
			atifReadFields.ReadOrKeep(c, &s, f)
		}
	}
	switch string(s.source) {
	case "agent":
		f.Role = model.Assistant
	default:
		kit.SetRole(f, s.source)
	}
	if s.copied { // a step of the trajectory that this one continues
		f.Flags |= model.Injected
		f.Keep("copied context", model.StringText("true"))
	} else {
		f.Usage = atifMetrics(s.metrics)
	}
	s.emitMessage(f)
	s.results(fs, session, f.Time)
	if kind := jsonspan.GetString(s.extra, "context_management", "type"); string(kind) == "compaction" {
		g := fs.Add(model.Compact)
		g.Session = session
	}
}

// emitMessage adds message, reasoning and calls.
func (s *atifRead) emitMessage(f *model.Fact) {
	if !kit.IsEmpty(s.reasoning) {
		f.AddText(model.Reasoning, model.ValueText(s.reasoning))
	}
	if !kit.IsEmpty(s.message) || kit.IsEmpty(s.calls) {
		atifContent(f, s.message)
	}
	s.same = atifSameIDs(s.calls)
	c := jsonspan.New(s.calls)
	script := -1 // the call whose text shows others
	for c.Array(); c.More(); {
		b := f.Add(model.ToolCall)
		fields := kit.Fields{kit.Text("function_name", &b.Name), kit.Text("arguments", &b.Text)}
		for c.Object(); c.Key(); {
			switch string(c.Name) {
			case "tool_call_id":
				if v := c.Skip(); !s.same {
					b.ID = model.ValueText(v)
				}
			default:
				fields.Read(&c)
			}
		}
		if script >= 0 && s.inText(b.ID) {
			f.Blocks[script].Nesting = model.Script
			b.Nesting, b.Within = model.OfText, f.Blocks[script].ID.Hash()
		} else {
			script = len(f.Blocks) - 1
		}
	}
}

// inText reports whether only the text of a script shows the call with this id. Exports of turns
// name such calls.
func (s *atifRead) inText(id model.Text) bool {
	return kit.Lists(jsonspan.Get(s.extra, "in_text"), id.String())
}

// atifContent adds a message: a text, or parts, whose images and audio refer to files.
func atifContent(f *model.Fact, v []byte) {
	if jsonspan.KindOf(v) != jsonspan.Array {
		kit.AddContent(f, v)
		return
	}
	for part := range jsonspan.List(v) {
		source := jsonspan.Get(part, "source")
		if path := jsonspan.Get(source, "path"); !kit.IsEmpty(path) {
			kit.AddMedia(f, model.Text{}, model.ValueText(jsonspan.Get(source, "media_type")), path)
			continue
		}
		kit.AddBlock(f, part)
	}
}

// atifCallID consumes a call and returns its id.
func atifCallID(c *jsonspan.Cursor) (id model.Text) {
	for c.Object(); c.Key(); {
		if string(c.Name) == "tool_call_id" {
			id = model.ValueText(c.Skip())
		} else {
			c.Skip()
		}
	}
	return id
}

// atifSameIDs reports whether two calls of a step have the same id, which happens if ids were
// redacted: such ids are useless.
func atifSameIDs(calls []byte) bool {
	var last []byte
	c := jsonspan.New(calls)
	for c.Array(); c.More(); {
		id := atifCallID(&c)
		if id.Encoding() == model.JSONString && bytes.Equal(id.Raw(), last) {
			return true
		}
		last = id.Raw()
	}
	return false
}

// results adds the results of the calls. A result without an id belongs to the call at the same
// position.
func (s *atifRead) results(fs *model.Facts, session model.Key, at model.Moment) {
	f := fs.Add(model.Say)
	f.Role, f.Session, f.Time = model.Tool, session, at
	if s.copied {
		f.Flags |= model.Injected
	}
	list := jsonspan.New(jsonspan.Get(s.observation, "results"))
	calls := jsonspan.New(s.calls)
	inCalls := !kit.IsEmpty(s.calls) && calls.Array()
	for list.Array(); list.More(); {
		var here model.Text
		if inCalls && calls.More() {
			here = atifCallID(&calls)
		}
		s.oneResult(f, &list, here)
	}
	if kit.IsEmpty(s.calls) && len(f.Blocks) > 0 && !slices.ContainsFunc(f.Blocks, func(b model.Block) bool { return !b.ID.Empty() }) {
		s.observed(f)
	} else if len(f.Blocks) == 0 && len(f.Extra) == 0 {
		fs.Drop()
	} else if len(f.Blocks) == 0 {
		f.Op, f.Role = model.Note, model.NoRole
		f.Name = model.StringText("subagent")
	}
}

// observed turns results without a call into a message: agents that write their commands as text
// see the terminal so, and a step of the system may report.
func (s *atifRead) observed(f *model.Fact) {
	f.Role = model.System
	if string(s.source) == "agent" {
		f.Role = model.User
		f.Flags |= model.Injected
	}
	for i := range f.Blocks {
		if b := &f.Blocks[i]; b.Kind == model.ToolResult {
			b.Kind, b.Outcome = model.Words, model.Unknown
		}
	}
}

func (s *atifRead) oneResult(f *model.Fact, c *jsonspan.Cursor, id model.Text) {
	var content []byte
	named := false
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "source_call_id":
			if v := c.Skip(); !kit.IsNull(v) {
				id, named = model.ValueText(v), true
			}
		case "content":
			content = c.Skip()
		case "subagent_trajectory_ref":
			kit.Keep(f, "subagent_trajectory_ref", c.Skip())
		default:
			kit.KeepField(f, c)
		}
	}
	if content == nil && !named {
		return // it only refers to the trajectory of a subagent
	}
	if s.same {
		id = model.Text{}
	}
	if s.inText(id) {
		return // the export says that there is none
	}
	kit.AddResult(f, id, model.Text{}, content, model.Unknown)
}
