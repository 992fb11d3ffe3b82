package evals

import (
	"bytes"
	"slices"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// SweAgentFormat reads a trajectory of SWE-agent (.traj). The file records the session twice: as
// the steps of a trajectory and as the history of messages. turns reads the history, because only
// it has the prompts, and only the durations from the steps.
func SweAgentFormat() *model.Format {
	return &model.Format{
		Name:  "swe-agent",
		Title: "SWE-agent trajectory",
		Where: []string{"trajectories/*/*/*/*.traj"},
		Detect: kit.Clues(
			kit.Clue{In: kit.InConversations, Score: 92, Reason: "a trajectory of actions with observations, or a history of messages with their agent",
				Is: kit.Signs{"trajectory[0](action & observation & !action_input)", "- trajectory:list & trajectory[0]", "history:list & history[0](role & agent|message_type)"}},
		),
		Lists: kit.EvalLists,
		Parse: sweAgentParse,
		Words: []model.AddedWord{{Word: "bash", Where: []string{"trajectory"}}},
	}
}

func sweAgentParse(rec model.Record, fs *model.Facts) error {
	return kit.EvalEach(rec, fs, sweAgentRun)
}

func sweAgentRun(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	at := fs.Len()
	about, rest := kit.EvalHead(fs, session, "run")
	about.Keep("agent", sweAgentName)
	var trajectory, history, info []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "trajectory":
			trajectory = kit.EvalValue(c)
		case "history":
			history = kit.EvalValue(c)
		case "info":
			info = c.Skip()
		case "instance_id":
			id := c.Skip()
			kit.Keep(about, "title", id)
			kit.Keep(about, "task_id", id)
		case "replay_config":
			sweAgentConfig(about, rest, c.Skip())
		default:
			kit.KeepField(rest, c)
		}
	}
	kit.EvalHeadDone(fs, at)
	steps := sweAgentSteps(trajectory, fs)
	if first := kit.EvalFirst(history); first != nil {
		sweAgentHistory(history, steps, session, fs)
	} else {
		sweAgentTrajectory(steps, session, fs)
	}
	sweAgentEnd(info, session, fs)
}

var (
	sweAgentName = model.StringText("SWE-agent")
	sweAgentBash = model.StringText("bash")
)

// sweAgentConfig reads the name and the model from the configuration, which is a JSON string in
// files of 2025.
func sweAgentConfig(f *model.Fact, rest *model.Fact, v []byte) {
	v = kit.RowsJSON(v)
	kit.Keep(f, "title", jsonspan.Get(v, "agent", "name"))
	kit.Keep(f, "model", jsonspan.Get(v, "agent", "model", "name"))
	kit.Keep(rest, "replay_config", v)
}

// sweAgentStep holds the raw values of a step of the trajectory.
type sweAgentStep struct {
	action, observation, response, thought, took []byte
	rest                                         []model.Field
}

var sweAgentStepFields = kit.TableOf(func(s *sweAgentStep) kit.Fields {
	return kit.Fields{
		kit.Raw("action", &s.action), kit.Raw("observation", &s.observation),
		kit.Raw("response", &s.response), kit.Raw("thought", &s.thought),
		kit.Raw("execution_time", &s.took),
	}
})

func sweAgentSteps(trajectory []byte, fs *model.Facts) []sweAgentStep {
	var steps []sweAgentStep
	c := jsonspan.New(trajectory)
	for c.Array(); c.More(); {
		var s sweAgentStep
		for c.Object(); c.Key(); {
			if sweAgentStepFields.Take(&c, &s) {
				continue
			}
			switch string(c.Name) {
			case "query", "messages": // the request, which the history has
				c.Skip()
			default:
				if f, ok := kit.TakeField(&c, fs); ok {
					s.rest = append(s.rest, f)
				}
			}
		}
		if c.Err == nil {
			steps = append(steps, s)
		}
	}
	return steps
}

// sweAgentTrajectory adds the steps if there is no history.
func sweAgentTrajectory(steps []sweAgentStep, session model.Key, fs *model.Facts) {
	for i := range steps {
		s := &steps[i]
		f := fs.Add(model.Say)
		f.Role, f.Session = model.Assistant, session
		text := s.response
		if kit.IsEmpty(text) {
			text = s.thought
		}
		kit.AddContent(f, text)
		if kit.IsEmpty(s.action) {
			continue
		}
		sweAgentAction(f, s.action)
		f = fs.Add(model.Say)
		f.Role, f.Session = model.Tool, session
		kit.AddResult(f, model.Text{}, model.Text{}, s.observation, model.Unknown)
		f.Blocks[0].Took = kit.TookSeconds(s.took)
		f.Extra = append(f.Extra, s.rest...)
	}
}

// sweAgentHistory adds the messages. In text mode an action is part of the model's message and its
// observation a user message.
func sweAgentHistory(history []byte, steps []sweAgentStep, session model.Key, fs *model.Facts) {
	waiting := 0 // actions without an observation
	step := 0    // of the observations
	c := jsonspan.New(history)
	for c.Array(); c.More(); {
		before, from := c, fs.Len()
		f := fs.Add(model.Say)
		f.Session = session
		var h sweAgentMessage
		h.read(&c, f)
		if one, ok := kit.ReadAgain(&c, before, fs, from); ok {
			f, h = fs.Add(model.Say), sweAgentMessage{}
			f.Session = session
			h.read(&one, f)
		}
		if c.Err != nil {
			break // cut off
		}
		kit.SetRole(f, h.role)
		if h.demo { // a demonstration that did not run
			f.Flags |= model.Injected
			kit.AddContent(f, h.content)
			continue
		}
		switch {
		case f.Role == model.Assistant:
			h.reasoning(f)
			kit.AddContent(f, h.content)
			kit.AddToolCalls(f, h.calls)
			if kit.IsEmpty(h.calls) && !kit.IsEmpty(h.action) {
				sweAgentAction(f, h.action)
			}
			waiting = 0
			for i := range f.Blocks {
				if f.Blocks[i].Kind == model.ToolCall {
					waiting++
				}
			}
		case f.Role == model.Tool, f.Role == model.User && waiting > 0:
			f.Role = model.Tool
			kit.AddResult(f, h.callID(), model.Text{}, h.content, model.Unknown)
			if step < len(steps) {
				f.Blocks[0].Took = kit.TookSeconds(steps[step].took)
				f.Extra = append(f.Extra, steps[step].rest...)
			}
			step++
			waiting--
		default:
			kit.AddContent(f, h.content)
		}
	}
	// the history lacks the last observation
	if waiting > 0 && step < len(steps) && !kit.IsEmpty(steps[step].observation) {
		f := fs.Add(model.Say)
		f.Role, f.Session = model.Tool, session
		kit.AddResult(f, model.Text{}, model.Text{}, steps[step].observation, model.Unknown)
		f.Blocks[0].Took = kit.TookSeconds(steps[step].took)
	}
}

type sweAgentMessage struct {
	role, content, action, calls, ids, id, thinking []byte
	demo                                            bool
}

var sweAgentMessageFields = kit.TableOf(func(h *sweAgentMessage) kit.Fields {
	return kit.Fields{
		kit.Word("role", &h.role), kit.Raw("content", &h.content), kit.Raw("action", &h.action),
		kit.Raw("tool_calls", &h.calls), kit.Raw("tool_call_ids", &h.ids),
		kit.Raw("tool_call_id", &h.id), kit.Raw("thinking_blocks", &h.thinking),
	}
})

// read consumes a message. It adds unknown fields.
func (h *sweAgentMessage) read(c *jsonspan.Cursor, f *model.Fact) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "thought", "cache_control":
			c.Skip()
		case "is_demo":
			v := c.Skip()
			h.demo = kit.IsTrue(v)
			kit.Keep(f, "is_demo", v)
		case "agent":
			if v := c.Skip(); string(v) != `"main"` && string(v) != `"primary"` {
				kit.KeepNamed(f, []byte("agent"), v)
			}
		default:
			sweAgentMessageFields.ReadOrKeep(c, h, f)
		}
	}
}

func (h *sweAgentMessage) reasoning(f *model.Fact) {
	if !kit.IsEmpty(h.thinking) {
		kit.AddContent(f, h.thinking)
	}
}

func (h *sweAgentMessage) callID() model.Text {
	if !kit.IsNull(h.id) {
		return model.ValueText(h.id)
	}
	c := jsonspan.New(h.ids)
	if c.Array() && c.More() {
		return model.ValueText(c.Skip())
	}
	return model.Text{}
}

// sweAgentCommands lists the commands that SWE-agent adds to the shell.
var sweAgentCommands = []string{
	"open", "goto", "scroll_up", "scroll_down", "create", "edit", "insert", "search_dir", "search_file", "find_file", "submit",
	"str_replace_editor", "exit_forfeit", "filemap", "view_image", "connect_start", "connect_sendline", "connect_stop",
	"connect_exec", "debug_start", "debug_add_breakpoint", "debug_continue", "debug_step", "debug_exec", "debug_stop", "decompile", "disassemble",
}

// sweAgentAction adds the call of an action: one of SWE-agent's commands, otherwise the shell.
func sweAgentAction(f *model.Fact, action []byte) {
	b := f.Add(model.ToolCall)
	b.Name, b.Text = sweAgentBash, model.ValueText(action).TrimSpace()
	word := b.Text.Raw()
	if i := bytes.IndexAny(word, " \t\n\\"); i >= 0 {
		word = word[:i]
	}
	if slices.Contains(sweAgentCommands, string(word)) {
		b.Name = model.PlainText(word)
	}
}

// sweAgentEnd adds the outcome and the cost of the session.
func sweAgentEnd(info []byte, session model.Key, fs *model.Facts) {
	if kit.IsEmpty(info) {
		return
	}
	f := fs.Add(model.End)
	f.Session = session
	var stats []byte
	c := jsonspan.New(info)
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "exit_status":
			status := c.Skip()
			f.Name = model.ValueText(status)
			f.Outcome = sweAgentOutcome(kit.Inside(status))
		case "model_stats":
			stats = c.Skip()
		case "submission":
			if v := c.Skip(); !kit.IsEmpty(v) {
				f.AddText(model.Words, model.ValueText(v))
			}
		default:
			kit.KeepField(f, &c)
		}
	}
	kit.Keep(f, "model_stats", stats)
	kit.EvalTotal(fs, session, sweAgentNumbers.Read(stats, model.Total))
}

var sweAgentNumbers = kit.UsageNames{Input: "tokens_sent", Output: "tokens_received", Cost: "instance_cost"}

// sweAgentOutcome returns the outcome for submitted, submitted (exit_cost), exit_context etc.
func sweAgentOutcome(status []byte) model.Outcome {
	switch {
	case len(status) == 0:
		return model.Unknown
	case string(status) == "submitted", string(status) == "Submitted":
		return model.Success
	case bytes.HasPrefix(bytes.ToLower(status), []byte("submitted")):
		return model.Half // the state when a limit was reached
	case bytes.Contains(bytes.ToLower(status), []byte("timeout")):
		return model.TimedOut
	case string(status) == "skipped":
		return model.Cancelled
	}
	return model.Failure
}
