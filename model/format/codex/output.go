package codex

import (
	"bytes"
	"time"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// emitOutput adds the result of a call.
func (l *codexLine) emitOutput() {
	f := l.addMessage(model.Tool)
	id := l.str("call_id")
	b := f.Add(model.ToolResult)
	if len(id) > 0 {
		b.ID = model.EscapedText(id)
		f.Key = model.Hash(id).With([]byte("output"))
	}
	b.Name = kit.ClaudeText(l.str("name"))
	v := l.get("output")
	for _, name := range []string{"result", "tools"} {
		if v == nil {
			v = l.get(name)
		}
	}
	var refused bool
	if obj := jsonspan.Get(v, "content"); obj != nil { // {content, success}
		success := jsonspan.Get(v, "success")
		refused = success != nil && !kit.IsTrue(success) && !kit.IsNull(success)
		v = obj
	}
	text, first := codexOutput(f, v)
	b = &f.Blocks[0]
	b.Text = text
	b.Outcome, b.Took = CodexJudge(first)
	if refused && !b.Outcome.Failed() {
		b.Outcome = kit.FailureOf(first)
	}
	if n, ok := jsonspan.ParseInt(jsonspan.Get(v, "exitCode")); ok && n != 0 {
		b.Outcome = kit.FailureOf(first)
	}
	if b.Outcome.Failed() && failedItself(v) {
		b.Nesting = model.Script
	}
	l.keepOthers(f, "call_id", "name", "output", "result", "tools")
	if agent := codexQuoted(first, "agent_id"); len(agent) > 0 && len(id) > 0 {
		at := f.Time
		g := l.fs.Add(model.Child)
		g.Time = at
		g.Target = model.Hash(id)
		g.Elsewhere = model.EscapedText(agent)
	}
}

// codexOutput returns the text of an output: a string unchanged, the only text of a list, otherwise
// the JSON of the list. Images become separate blocks. first is the text that shows the outcome.
func codexOutput(f *model.Fact, v []byte) (text, first model.Text) {
	text = model.ValueText(v)
	if jsonspan.KindOf(v) != jsonspan.Array {
		return text, text
	}
	id := f.Blocks[0].ID
	var only model.Text
	texts, images, others := 0, 0, 0
	for part := range jsonspan.List(v) {
		if s := jsonspan.Get(part, "text"); kit.IsString(s) {
			if texts++; texts == 1 {
				first, only = model.ValueText(s), model.ValueText(s)
			}
		} else if s := jsonspan.Get(part, "image_url"); s != nil {
			images++
			codexImage(f, s)
			f.Blocks[len(f.Blocks)-1].ID = id
		} else {
			others++
		}
	}
	switch {
	case texts == 1 && others == 0:
		return only, only
	case texts+others == 0 && images > 0:
		return model.EscapedText(v[:0]), model.Text{}
	}
	return text, first
}

// CodexJudge returns the outcome of a call and its duration from its output. Old versions write
// {"output","metadata":{"exit_code","duration_seconds"}}, newer ones lines of "Exit code: N" and
// "Wall time: S seconds" at the start.
func CodexJudge(t model.Text) (o model.Outcome, took time.Duration) {
	raw := t.Raw()
	if len(raw) == 0 {
		return model.Success, 0
	}
	if raw[0] == '{' {
		return codexJudgeJSON(t)
	}
	top := kit.Head(t, 400)
	if i := bytes.Index(top, []byte("Wall time")); i >= 0 && i < 300 {
		s := bytes.TrimLeft(top[i+len("Wall time"):], ": ")
		if n := bytes.IndexByte(s, ' '); n > 0 {
			took = kit.TookSeconds(s[:n])
		}
	}
	code, ok := kit.ExitCode(t)
	switch {
	case ok && code == 124:
		return model.TimedOut, took
	case ok && code != 0:
		return kit.FailureOf(t), took
	case ok:
		return model.Success, took
	}
	for _, p := range codexFailures {
		if bytes.HasPrefix(top, []byte(p.phrase)) {
			if p.outcome == model.Failure {
				return kit.FailureOf(t), took
			}
			return p.outcome, took
		}
	}
	return model.Success, took
}

// codexFailures lists the prefixes of outputs that Codex writes for failed calls.
var codexFailures = []struct {
	phrase  string
	outcome model.Outcome
}{
	{"Script failed", model.Failure},
	{"Script terminated", model.Stopped},
	{"Script running", model.Background},
	{"exec_command failed", model.Failure},
	{"apply_patch verification failed", model.Failure},
	{"failed in sandbox", model.Failure},
	{"execution error", model.Failure},
	{"unsupported call", model.Failure},
	{"unsupported custom tool call", model.Failure},
	{"failed to parse function arguments", model.Failure},
	{"tool call error", model.Failure},
	{"write_stdin failed", model.Failure},
	{"err: ", model.Failure},
	{"rejected by user", model.Denied},
	{"exec command rejected", model.Denied},
	{"patch rejected", model.Denied},
	{"user rejected", model.Denied},
	{"aborted", model.Stopped},
	{"command timed out", model.TimedOut},
	{"user cancelled", model.Cancelled},
}

// codexJudgeJSON reads the metadata at the end of an output that is JSON, possibly inside a string.
func codexJudgeJSON(t model.Text) (o model.Outcome, took time.Duration) {
	raw := t.Raw()
	tail := raw[max(0, len(raw)-200):]
	if v := codexNumber(tail, "duration_seconds", t.Encoding()); v != nil {
		took = kit.TookSeconds(v)
	}
	v := codexNumber(tail, "exit_code", t.Encoding())
	if v == nil {
		return model.Success, took
	}
	code, ok := jsonspan.ParseInt(v)
	switch {
	case ok && code == 124:
		return model.TimedOut, took
	case ok && code != 0:
		return kit.FailureOf(t), took
	}
	return model.Success, took
}

// codexNumber returns the number after the last "name": in a piece of JSON, which may be escaped.
func codexNumber(b []byte, name string, enc model.Encoding) []byte {
	i := bytes.LastIndex(b, []byte(name))
	if i < 0 {
		return nil
	}
	b = b[i+len(name):]
	if enc == model.JSONString {
		b = bytes.TrimPrefix(b, []byte(`\`))
	}
	b = bytes.TrimLeft(bytes.TrimPrefix(b, []byte(`"`)), ": ")
	return b[:len(b)-len(bytes.TrimLeft(b, "0123456789.-"))]
}

// codexQuoted returns the value of "name":"value" in JSON that is escaped in a string.
func codexQuoted(t model.Text, name string) []byte {
	raw := kit.Head(t, 400)
	_, raw, named := bytes.Cut(raw, []byte(`\"`+name+`\":\"`))
	value, _, closed := bytes.Cut(raw, []byte(`\`))
	if t.Encoding() != model.JSONString || !kit.HasPrefix(kit.Head(t, 1), "{") || !named || !closed {
		return nil
	}
	return value
}
