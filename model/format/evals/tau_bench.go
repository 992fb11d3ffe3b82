package evals

import (
	"strconv"
	"strings"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// TauBenchFormat reads the results of τ-bench, a list of sessions, and of τ²-bench, a document with
// simulations. The user is simulated.
func TauBenchFormat() *model.Format {
	return &model.Format{
		Name:  "tau-bench",
		Title: "τ-bench or τ²-bench results",
		Where: []string{"results/*.json", "data/simulations/*.json"},
		Detect: kit.Clues(
			kit.Clue{In: kit.InConversations, Score: 94, Reason: "runs with task_id, reward and traj", Is: kit.Signs{
				"task_id & traj", "task_id & reward & info", "task_id & messages|ticks & termination_reason|reward_info"}},
			kit.Clue{In: kit.InDocument, Score: 94, Variant: tauSimulations, Reason: "a document with simulations and tasks",
				Is: kit.Signs{"simulations & tasks|info", "info.agent_info & info.user_info"}}, // its list may be outside the sample
		),
		Lists: func(m model.Match) []string {
			if m.Variant == kit.EvalList {
				return []string{kit.WholeList}
			}
			return []string{"simulations"}
		},
		Parse: tauParse,
	}
}

// tauSimulations is the variant of a document with simulations.
const tauSimulations = kit.EvalOther

func tauParse(rec model.Record, fs *model.Facts) error {
	if rec.Variant != tauSimulations || rec.List != "" {
		return kit.EvalEach(rec, fs, tauRun)
	}
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	at := fs.Len()
	f, rest := kit.EvalHead(fs, 0, "results")
	var runs []byte
	fields := kit.Fields{kit.Raw("simulations", &runs), kit.Time("timestamp", &f.Time)}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "info":
			v := c.Skip()
			kit.Keep(f, "title", jsonspan.Get(v, "environment_info", "domain_name"))
			kit.Keep(f, "agent", jsonspan.Get(v, "agent_info", "implementation"))
			kit.Keep(f, "model", jsonspan.Get(v, "agent_info", "llm"))
			kit.Keep(rest, "info", v)
		default:
			fields.ReadOrKeep(rest, &c)
		}
	}
	if c.Err != nil {
		fs.Clear()
		return c.Err
	}
	kit.EvalHeadDone(fs, at)
	list, n := jsonspan.New(runs), int64(0) // from a document on one line
	for list.Array(); list.More(); n++ {
		run := jsonspan.New(list.Skip())
		tauRun(&run, model.HashNumber("conversation", n), fs)
	}
	return kit.Finish(&c, fs)
}

// tauRun reads a run of a task, from either benchmark.
func tauRun(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	at := fs.Len()
	f, rest := kit.EvalHead(fs, session, "run")
	var task, trial, reward, verdict, reason, done []byte
	var what, cost, inner, failure []byte // from info
	fields := kit.Fields{
		kit.Raw("task_id", &task), kit.Raw("trial", &trial), kit.Raw("reward", &reward),
		kit.Raw("reward_info", &verdict), kit.Raw("termination_reason", &reason),
		kit.Raw("end_time", &done),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "traj":
			from := fs.Len()
			tauMessages(c, session, fs)
			tauPairInOrder(fs, from)
			f, rest = kit.EvalHeadAt(fs, at)
		case "messages":
			tauMessages(c, session, fs)
			f, rest = kit.EvalHeadAt(fs, at)
		case "ticks":
			tauTicks(c, session, fs)
			f, rest = kit.EvalHeadAt(fs, at)
		case "info":
			kit.ReadFields(c,
				kit.Raw("task", &what), kit.Raw("user_cost", &cost),
				kit.Raw("reward_info", &inner), kit.Raw("error", &failure),
			)
		case "start_time", "timestamp":
			f.Time = kit.ReadMoment(c)
		case "id":
			kit.Keep(rest, "simulation", c.Skip())
		default:
			fields.ReadOrKeep(rest, c)
		}
	}
	tauName(f, task, trial)
	kit.Keep(f, "task_id", task)
	kit.Keep(f, "trial", trial)
	kit.Keep(rest, "task", what)
	kit.Keep(rest, "user_cost", cost)
	verdict = kit.Or(verdict, inner)
	kit.Keep(rest, "reward_info", verdict)
	kit.EvalHeadDone(fs, at)
	if reward == nil {
		reward = jsonspan.Get(verdict, "reward")
	}
	expected, names := tauExpected(verdict, what)
	end := tauEnd(reward, reason, failure, expected, names, fs)
	end.Session, end.Time = session, kit.MomentOf(done)
}

// tauName sets the title and the name of a run.
func tauName(f *model.Fact, task, trial []byte) {
	b := append(make([]byte, 0, 2*(len(task)+len(trial))+24), "task "...)
	b = model.ValueText(task).Append(b)
	if !kit.IsNull(trial) {
		b = append(append(b, ", trial "...), trial...)
	}
	title := len(b)
	b = model.ValueText(task).Append(b)
	if !kit.IsNull(trial) {
		b = append(append(b, '/'), trial...)
	}
	f.Keep("title", model.PlainText(b[:title]))
	f.Keep("session", model.PlainText(b[title:]))
}

// tauPairInOrder drops the ids of calls and results: in τ-bench they recur within a run, even with
// the same arguments. Each answer follows its call there.
func tauPairInOrder(fs *model.Facts, from int) {
	for ; from < fs.Len(); from++ {
		f := fs.At(from)
		for i := range f.Blocks {
			f.Blocks[i].ID = model.Text{}
		}
	}
}

// tauActionsMost is the maximum number of expected actions in a reason.
const tauActionsMost = 4

// tauExpected returns the actions that a task expects, from the verdict or the task. For τ² it
// returns those that the run missed.
func tauExpected(verdict, task []byte) (actions []byte, names string) {
	actions = kit.Or(jsonspan.Get(verdict, "action_checks"), kit.Or(jsonspan.Get(verdict, "actions"), jsonspan.Get(task, "actions")))
	n := 0
	for action := range jsonspan.List(actions) {
		if inner := jsonspan.Get(action, "action"); !kit.IsEmpty(inner) {
			if kit.IsTrue(jsonspan.Get(action, "action_match")) {
				continue
			}
			action = inner
		}
		if n++; n <= tauActionsMost {
			names = strings.TrimPrefix(names+", "+model.ValueText(jsonspan.Get(action, "name")).String(), ", ")
		}
	}
	if n > tauActionsMost {
		names += " and " + strconv.Itoa(n-tauActionsMost) + " more"
	}
	return actions, names
}

func tauEnd(reward, reason, failure []byte, expected []byte, names string, fs *model.Facts) *model.Fact {
	f := fs.Add(model.End)
	var buf [80]byte
	text := buf[:0]
	if x, ok := kit.EvalFloat(reward); ok {
		f.Score, f.HasScore, f.Outcome = x, true, kit.EvalOutcome(x)
		text = strconv.AppendFloat(append(text, "reward "...), x, 'g', 4, 64)
		if names != "" && f.Outcome != model.Success {
			text = append(append(text, ", expected "...), names...)
			f.AddText(model.Words, model.ValueText(expected))
		}
	}
	if why := kit.Inside(reason); len(why) > 0 {
		if len(text) > 0 {
			text = append(text, ", "...)
		}
		text = append(text, why...)
		switch string(why) {
		case "too_many_errors", "agent_error", "user_error", "infrastructure_error":
			f.Outcome = model.Failure
		case "timeout":
			f.Outcome = model.TimedOut
		}
	}
	if !kit.IsEmpty(failure) {
		f.Outcome = model.Failure
		text = model.ValueText(failure).Append(append(text[:0], "error: "...))
	}
	f.Name = kit.EvalReason(string(text))
	return f
}

// tauMessages adds the messages of a list.
func tauMessages(c *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	before, from := *c, fs.Len()
	for c.Array(); c.More(); {
		tauMessage(c, session, fs)
	}
	if one, ok := kit.ReadAgain(c, before, fs, from); ok {
		for one.Array(); one.More(); {
			tauMessage(&one, session, fs)
		}
	}
}

// tauMessage adds a message. A tool's answer that begins with an error word failed; in τ² it has a
// field for failures and its id is that of the call.
func tauMessage(list *jsonspan.Cursor, session model.Key, fs *model.Facts) {
	role := kit.LookAt(*list, "role")
	if role != nil && string(role) != "tool" {
		kit.EvalMessage(list, session, fs)
		return
	}
	c := *list
	f := fs.Add(model.Say)
	f.Role, f.Session = model.Tool, session
	var id, callID, name, content, several []byte
	failed := false
	fields := kit.Fields{
		kit.Raw("id", &id), kit.Raw("tool_call_id", &callID), kit.Raw("name", &name), kit.Raw("content", &content),
		kit.Flag("error", &failed), kit.Time("timestamp", &f.Time), kit.Raw("tool_messages", &several),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "role":
			c.Skip()
		default:
			fields.ReadOrKeep(f, &c)
		}
	}
	switch {
	case c.Err == nil && jsonspan.KindOf(several) == jsonspan.Array: // several answers
		fs.Drop()
		*list = c
		in := jsonspan.New(several)
		for in.Array(); in.More(); {
			tauMessage(&in, session, fs)
		}
		return
	case c.Err != nil, role == nil:
		fs.Drop()
		kit.EvalMessage(list, session, fs)
		return
	}
	*list = c
	if kit.IsNull(callID) {
		callID = id
	}
	outcome := model.Success
	if failed || kit.HasPrefix(kit.Inside(content), "Error") {
		outcome = model.Failure
	}
	kit.AddResult(f, model.ValueText(callID), model.ValueText(name), content, outcome)
}
