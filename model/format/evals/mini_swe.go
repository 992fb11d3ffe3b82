package evals

import (
	"bytes"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// MiniSWEFormat reads a trajectory of mini-swe-agent: in old versions a bare list of messages, then
// a document with info and messages.
func MiniSWEFormat() *model.Format {
	return &model.Format{
		Name:   "mini-swe-agent",
		Title:  "mini-swe-agent trajectory",
		Where:  []string{"~/.config/mini-swe-agent/last_mini_run.traj.json", "~/Library/Application Support/mini-swe-agent/last_mini_run.traj.json"},
		Detect: miniSWEDetect,
		Parse:  miniSWEParse,
	}
}

// miniSWEBare is the variant of a list of messages.
const miniSWEBare = kit.EvalOther

func miniSWEDetect(s *model.Sample) model.Match {
	if s.Shape == model.Document && jsonspan.KindOf(s.Doc) == jsonspan.Array {
		return miniSWEDetectBare(s)
	}
	v, ok := kit.EvalVariant(s, []string{"trajectory_format", "info"}, func(v []byte) bool {
		return kit.HasPrefix(kit.EvalString(v, "trajectory_format"), "mini-swe") || kit.EvalHas(v, "info.mini_version") ||
			kit.EvalHas(v, "info.model_stats", "messages") && !kit.EvalHas(v, "trajectory") && kit.EvalHas(v, "info.exit_status")
	})
	if !ok {
		return model.Match{}
	}
	return model.Match{Score: 94, Variant: v, Reason: "a document of the trajectory_format mini-swe-agent with info and messages"}
}

func miniSWEDetectBare(s *model.Sample) model.Match {
	results, actions := 0, 0
	for _, m := range kit.Elements(s.Doc, kit.WholeList, kit.SampleLimit) {
		content := jsonspan.Get(m, "content")
		switch string(jsonspan.GetString(m, "role")) {
		case "user":
			if kit.HasPrefix(kit.Inside(content), "<returncode>") {
				results++
			}
		case "assistant":
			if call, _ := miniSWECommand(content); !call.Absent() {
				actions++
			}
		case "system":
		default:
			return model.Match{}
		}
	}
	if results == 0 || actions == 0 {
		return model.Match{}
	}
	return model.Match{Score: 85, Variant: miniSWEBare, Reason: "a list of messages with commands in code blocks and <returncode>"}
}

func miniSWEParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if c.Kind() == jsonspan.Array {
		about := fs.Add(model.About)
		about.Keep("agent", miniSWEName)
		if miniSWEMessages(&c, 0, fs) == miniSWEGaveIn {
			f := fs.Add(model.End)
			f.Name, f.Outcome = model.StringText("submitted"), model.Success
		}
		return kit.EvalCut(&c, fs)
	}
	return kit.EvalEach(rec, fs, miniSWERun)
}

var miniSWEName = model.StringText("mini-swe-agent")

func miniSWERun(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	at := fs.Len()
	about, rest := kit.EvalHead(fs, session, "run")
	about.Keep("agent", miniSWEName)
	var info, messages []byte
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "info":
			info = c.Skip()
		case "messages":
			messages = kit.EvalValue(c)
		case "instance_id":
			id := c.Skip()
			kit.Keep(about, "title", id)
			kit.Keep(about, "task_id", id)
		case "trajectory_format":
			kit.Keep(about, "format version", c.Skip())
		default:
			kit.KeepField(rest, c)
		}
	}
	kit.Keep(about, "version", jsonspan.Get(info, "mini_version"))
	kit.Keep(about, "model", jsonspan.Get(info, "config", "model", "model_name"))
	kit.Keep(about, "cwd", jsonspan.Get(info, "config", "environment", "cwd"))
	kit.Keep(rest, "config", jsonspan.Get(info, "config"))
	kit.EvalHeadDone(fs, at)
	m := jsonspan.New(messages)
	ended := miniSWEMessages(&m, session, fs)
	miniSWEEnd(info, session, ended == miniSWESaid, fs)
}

func miniSWEEnd(info []byte, session model.Key, ended bool, fs *model.Facts) {
	status := jsonspan.Get(info, "exit_status")
	if !ended && !kit.IsEmpty(status) {
		f := fs.Add(model.End)
		f.Session = session
		f.Name, f.Outcome = model.ValueText(status), miniSWEOutcome(kit.Inside(status))
		if v := jsonspan.Get(info, "submission"); !kit.IsEmpty(v) {
			f.AddText(model.Words, model.ValueText(v))
		}
	}
	kit.Keep(fs.Last(), "model_stats", jsonspan.Get(info, "model_stats"))
}

// miniSWEOutcome reads Submitted, LimitsExceeded, and names of Python exceptions.
func miniSWEOutcome(status []byte) model.Outcome {
	switch {
	case string(status) == "Submitted":
		return model.Success
	case bytes.Contains(status, []byte("Timeout")):
		return model.TimedOut
	case bytes.Contains(status, []byte("Interrupt")), string(status) == "UserInterruption":
		return model.Stopped
	}
	return model.Failure
}

// miniSWEEnding describes the end of a list of messages.
type miniSWEEnding uint8

const (
	miniSWEStops  miniSWEEnding = iota // the list just stops
	miniSWEGaveIn                      // the last command submitted the work
	miniSWESaid                        // a message with the role exit
)

// miniSWEMarkers lists the first lines of output with which a command submits the work.
// mini-swe-agent then ends the session, in its first versions without a message about it.
var miniSWEMarkers = [...]string{"COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT"}

// miniSWEHandsIn reports whether the calls of an answer submit the work.
func miniSWEHandsIn(fs *model.Facts) bool {
	for _, b := range fs.Last().Blocks {
		if b.Kind != model.ToolCall {
			continue
		}
		for _, marker := range miniSWEMarkers {
			if bytes.Contains(b.Text.Raw(), []byte("echo "+marker)) {
				return true
			}
		}
	}
	return false
}

// miniSWEMessages adds a list of messages and returns its ending. A user message after a command is
// the command's output.
func miniSWEMessages(c *jsonspan.Cursor, session model.Key, fs *model.Facts) (ended miniSWEEnding) {
	waiting, handsIn := 0, false
	for c.Array(); c.More(); {
		v := c.Skip()
		if c.Err != nil {
			return ended
		}
		extra := jsonspan.Get(v, "extra")
		switch role := string(jsonspan.GetString(v, "role")); {
		case role == "assistant":
			waiting = miniSWEAnswer(v, extra, session, fs)
			if handsIn = miniSWEHandsIn(fs); ended == miniSWEGaveIn { // the session continued
				ended = miniSWEStops
			}
		case role == "exit":
			miniSWEExit(v, extra, session, fs)
			ended = miniSWESaid
		case role == "user" && waiting > 0, role == "tool":
			miniSWEOutput(v, extra, session, fs)
			waiting--
			// a failed command gets an ordinary answer
			if content := jsonspan.Get(v, "content"); handsIn && !kit.HasPrefix(kit.Inside(content), "<returncode>") {
				ended = max(ended, miniSWEGaveIn)
			}
		case role == "":
			kit.EvalNote(fs, session, "message", v)
		default:
			m := jsonspan.New(v)
			from := kit.EvalMessage(&m, session, fs)
			fs.At(from).Time = kit.MomentOf(jsonspan.Get(extra, "timestamp"))
		}
	}
	return ended
}

// miniSWEAnswer adds the model's answer and returns the number of its commands, which are tool
// calls or the answer's code block.
func miniSWEAnswer(v, extra []byte, session model.Key, fs *model.Facts) (commands int) {
	m := jsonspan.New(v)
	from := kit.EvalMessage(&m, session, fs)
	f := fs.At(from)
	response := jsonspan.Get(extra, "response")
	f.Usage = kit.UsageOf(jsonspan.Get(response, "usage"))
	f.Model = model.ValueText(jsonspan.Get(response, "model"))
	f.Time = kit.MomentOf(jsonspan.Get(extra, "timestamp"))
	if cost, ok := kit.EvalFloat(jsonspan.Get(extra, "cost")); ok && f.Usage.Scope == model.Each {
		f.Usage.Cost, f.Usage.HasCost = cost, true
	}
	for i := range f.Blocks {
		if f.Blocks[i].Kind == model.ToolCall {
			commands++
		}
	}
	if commands > 0 {
		return commands
	}
	for action := range jsonspan.List(jsonspan.Get(extra, "actions")) {
		b := f.Add(model.ToolCall)
		b.Name = sweAgentBash
		if b.Text = model.ValueText(action); jsonspan.KindOf(action) == jsonspan.Object {
			b.Text = model.ValueText(jsonspan.Get(action, "command"))
			b.ID = model.ValueText(jsonspan.Get(action, "tool_call_id"))
		}
		commands++
	}
	if commands > 0 {
		return commands
	}
	if command, n := miniSWECommand(jsonspan.Get(v, "content")); n == 1 {
		b := f.Add(model.ToolCall)
		b.Name, b.Text = sweAgentBash, command
		return 1
	}
	return 0
}

// miniSWECommand returns the command in the code block of an answer and the number of such blocks:
// mini-swe-agent refuses an answer with several.
func miniSWECommand(content []byte) (command model.Text, blocks int) {
	s := kit.Inside(content)
	for {
		i := bytes.Index(s, []byte("```"))
		if i < 0 {
			return command, blocks
		}
		s = s[i+3:]
		language, rest, ok := bytes.Cut(s, []byte(`\n`))
		end := bytes.Index(rest, []byte("```"))
		if !ok || end < 0 {
			return command, blocks
		}
		switch string(language) {
		case "bash", "mswea_bash_command", "sh":
			blocks++
			command = model.EscapedText(rest[:end]).TrimSpace()
		}
		s = rest[end+3:]
	}
}

// miniSWEOutput adds the output of a command.
func miniSWEOutput(v, extra []byte, session model.Key, fs *model.Facts) {
	f := fs.Add(model.Say)
	f.Role, f.Session, f.Time = model.Tool, session, kit.MomentOf(jsonspan.Get(extra, "timestamp"))
	content := jsonspan.Get(v, "content")
	outcome := model.Unknown
	text := model.ValueText(content)
	if code, ok := jsonspan.ParseInt(jsonspan.Get(extra, "returncode")); ok {
		outcome = kit.OutcomeOfExit(int(code))
	} else if rest, ok := bytes.CutPrefix(text.Raw(), []byte("<returncode>")); ok {
		if code, ok := kit.LeadingInt(rest); ok {
			outcome = kit.OutcomeOfExit(code)
		}
	}
	if outcome == model.Unknown && kit.HasPrefix(text.Raw(), "The last command <command>") {
		outcome = model.TimedOut
	}
	if text.HasPrefix("diff --git") && outcome == model.Unknown { // the submission
		outcome = model.Success
	}
	kit.AddResult(f, model.ValueText(jsonspan.Get(v, "tool_call_id")), model.Text{}, content, outcome)
}

// miniSWEExit reads the message that ends a session.
func miniSWEExit(v, extra []byte, session model.Key, fs *model.Facts) {
	f := fs.Add(model.End)
	f.Session, f.Time = session, kit.MomentOf(jsonspan.Get(extra, "timestamp"))
	status := jsonspan.Get(extra, "exit_status")
	f.Name, f.Outcome = model.ValueText(status), miniSWEOutcome(kit.Inside(status))
	if kit.IsEmpty(status) {
		f.Name, f.Outcome = model.StringText("exit"), model.Unknown
	}
	kit.AddContent(f, jsonspan.Get(v, "content"))
	if s := jsonspan.Get(extra, "submission"); !kit.IsEmpty(s) && !bytes.Equal(s, jsonspan.Get(v, "content")) {
		f.AddText(model.Words, model.ValueText(s))
	}
	kit.Keep(f, "exception", jsonspan.Get(extra, "exception_str"))
}
