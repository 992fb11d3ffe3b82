package evals

import (
	"strconv"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// VerifiersFormat is the traces of verifiers v1 (verifiers/v1/trace.py): one line for each session,
// or for an episode of several, whose messages are nodes of a graph. The conversation is the path
// to one leaf. Another leaf belongs to a subagent, or is the rest of a compaction, and becomes a
// separate session. The usage of a request is separate from its node.
func VerifiersFormat() *model.Format {
	return &model.Format{
		Name:  "verifiers",
		Title: "verifiers trace",
		Where: []string{"outputs/*/traces.jsonl"},
		Detect: kit.Clues(
			kit.Clue{Score: 93, Reason: "lines with nodes that have a parent and a message", Is: kit.Signs{
				"traces[0](nodes[0](message & parent) & calls|rewards)", "- traces:list & traces[0]", "nodes[0](message & parent) & calls|rewards"}},
		),
		Parse: verifiersParse,
	}
}

// verifiersTrace holds the raw values of a trace.
type verifiersTrace struct {
	id, nodes, calls, rewards, reply, stop, task, agent, metrics, errors, timing []byte
}

func verifiersParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	var t verifiersTrace
	var traces []byte
	kit.ReadFields(&c, kit.Raw("traces", &traces), kit.Raw("id", &t.id), kit.Raw("nodes", &t.nodes), kit.Raw("calls", &t.calls),
		kit.Raw("rewards", &t.rewards), kit.Raw("root_reply", &t.reply), kit.Raw("stop_condition", &t.stop), kit.Raw("task", &t.task),
		kit.Raw("agent", &t.agent), kit.Raw("metrics", &t.metrics), kit.Raw("errors", &t.errors), kit.Raw("timing", &t.timing))
	if c.Err != nil {
		return c.Err
	}
	if traces == nil && t.nodes == nil {
		f := kit.Note(fs, "record")
		if kind := jsonspan.GetString(rec.Data, "type"); len(kind) > 0 {
			f.Name = model.StringText(string(kind))
		}
		f.AddText(model.OtherBlock, model.ValueText(rec.Data))
		return kit.Finish(&c, fs)
	}
	if traces == nil {
		t.emit(fs)
	}
	for v := range jsonspan.List(traces) {
		var one verifiersTrace
		kit.ReadObject(v, kit.Raw("id", &one.id), kit.Raw("nodes", &one.nodes), kit.Raw("calls", &one.calls), kit.Raw("rewards", &one.rewards),
			kit.Raw("root_reply", &one.reply), kit.Raw("stop_condition", &one.stop), kit.Raw("task", &one.task), kit.Raw("agent", &one.agent),
			kit.Raw("metrics", &one.metrics), kit.Raw("errors", &one.errors), kit.Raw("timing", &one.timing))
		one.emit(fs)
	}
	if fs.Len() == 0 {
		kit.Note(fs, "record")
	}
	return kit.Finish(&c, fs)
}

func (t *verifiersTrace) emit(fs *model.Facts) {
	session := kit.HashValue(t.id)
	f := fs.Add(model.About)
	f.Session = session
	kit.Keep(f, "session", t.id)
	kit.Keep(f, "agent", jsonspan.Get(t.agent, "name"))
	kit.Keep(f, "model", jsonspan.Get(t.agent, "config", "model"))
	kit.Keep(f, "task_id", kit.Or(jsonspan.Get(t.task, "key"), jsonspan.Get(t.task, "hash")))
	f.Time = kit.MomentOf(jsonspan.Get(t.timing, "start"))
	kit.Keep(f, "metrics", t.metrics)
	var nodes [][]byte
	for v := range jsonspan.List(t.nodes) {
		nodes = append(nodes, v)
	}
	calls := make(map[int][]byte, len(nodes))
	for v := range jsonspan.List(t.calls) {
		if n, ok := jsonspan.ParseInt(jsonspan.Get(v, "node")); ok {
			calls[int(n)] = v
		}
	}
	leaves := verifiersLeaves(nodes, t.reply)
	for i, v := range nodes {
		f := fs.Add(model.Say)
		f.Session = session
		if leaf := leaves[i]; leaf != leaves[0] {
			f.Session = session.Join(model.Key(leaf + 1))
		}
		verifiersNode(f, v, calls[i])
	}
	t.end(fs.Add(model.End), session)
}

// verifiersLeaves returns for each node the leaf whose path contains it: the main leaf if possible,
// otherwise the first one.
func verifiersLeaves(nodes [][]byte, reply []byte) []int {
	parents, inner := make([]int, len(nodes)), make([]bool, len(nodes))
	depth := make([]int, len(nodes))
	for i, v := range nodes {
		n, ok := jsonspan.ParseInt(jsonspan.Get(v, "parent"))
		if parents[i] = int(n); !ok || n < 0 || n >= int64(i) {
			parents[i] = -1
			continue
		}
		inner[n], depth[i] = true, depth[n]+1
	}
	main := -1
	for i := range nodes {
		if !inner[i] && (main < 0 || depth[i] > depth[main]) {
			main = i
		}
	}
	if n, ok := jsonspan.ParseInt(reply); ok && n >= 0 && n < int64(len(nodes)) {
		main = int(n)
	}
	leaves := make([]int, len(nodes))
	for i := range leaves {
		leaves[i] = -1
	}
	mark := func(leaf int) {
		for i := leaf; i >= 0 && leaves[i] < 0; i = parents[i] {
			leaves[i] = leaf
		}
	}
	mark(main)
	for i := range nodes {
		if !inner[i] {
			mark(i)
		}
	}
	return leaves
}

// verifiersNode adds a message and the usage of its request.
func verifiersNode(f *model.Fact, node, call []byte) {
	m := jsonspan.Get(node, "message")
	kit.SetRole(f, jsonspan.GetString(m, "role"))
	if reasoning := jsonspan.Get(m, "reasoning_content"); kit.IsString(reasoning) && len(reasoning) > 2 {
		f.AddText(model.Reasoning, model.ValueText(reasoning))
	}
	content := jsonspan.Get(m, "content")
	if f.Role == model.Tool {
		kit.AddResult(f, model.ValueText(jsonspan.Get(m, "tool_call_id")), model.Text{}, content, model.Unknown)
		return
	}
	if !kit.IsNull(content) {
		kit.AddContent(f, content)
	}
	for v := range jsonspan.List(jsonspan.Get(m, "tool_calls")) {
		b := f.Add(model.ToolCall)
		b.ID = model.ValueText(jsonspan.Get(v, "id"))
		b.Name = model.ValueText(kit.Or(jsonspan.Get(v, "name"), jsonspan.Get(v, "function", "name")))
		b.Text = model.ValueText(kit.Or(jsonspan.Get(v, "arguments"), jsonspan.Get(v, "function", "arguments")))
	}
	stop := jsonspan.GetString(node, "finish_reason") // its field in older versions
	if call != nil {
		f.Model = model.ValueText(jsonspan.Get(call, "model"))
		f.Usage = kit.AnyUsage(jsonspan.Get(call, "usage"))
		stop = jsonspan.GetString(call, "finish_reason")
		f.Time = kit.MomentOf(jsonspan.Get(call, "time", "end"))
		if failure := jsonspan.Get(call, "error"); !kit.IsNull(failure) {
			f.Flags |= model.APIError
			f.Outcome, f.Stop = model.Failure, model.StopError
			kit.Keep(f, "error", kit.Or(jsonspan.Get(failure, "message"), failure))
		}
	}
	if len(stop) > 0 {
		kit.SetStop(f, stop)
	}
}

// end adds the outcome of the run: its score is the weighted sum of the rewards.
func (t *verifiersTrace) end(f *model.Fact, session model.Key) {
	f.Session, f.Name = session, model.ValueText(t.stop)
	c := jsonspan.New(t.rewards)
	for c.Object(); c.Key(); {
		name, v := string(c.Name), c.Skip()
		score, ok := kit.EvalFloat(jsonspan.Get(v, "score"))
		if !ok {
			continue
		}
		weight, ok := kit.EvalFloat(jsonspan.Get(v, "weight"))
		if !ok {
			weight = 1
		}
		f.Score, f.HasScore = f.Score+score*weight, true
		f.Keep("reward "+name, model.StringText(strconv.FormatFloat(score, 'g', -1, 64)))
	}
	if len(t.errors) > 2 {
		f.Outcome = model.Failure
		kit.Keep(f, "errors", t.errors)
	}
}
