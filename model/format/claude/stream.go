package claude

import (
	"slices"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// StreamFormat reads the output of claude -p with --output-format stream-json, and with
// --output-format json (one result, or with --verbose a list of the same objects).
func StreamFormat() *model.Format {
	return &model.Format{
		Name:   "claude-stream",
		Title:  "Claude Code stream-json",
		Detect: claudeStreamDetect,
		Lists: func(m model.Match) []string {
			if m.Variant == claudeStreamList {
				return []string{"[]"}
			}
			return nil
		},
		Parse: func(rec model.Record, fs *model.Facts) error {
			return ClaudeParse(rec, fs, true)
		},
	}
}

// The variants of a stream: a list of its objects, and results without the stream before them.
const (
	claudeStreamList = 1
	claudeResults    = 2
)

func claudeStreamDetect(s *model.Sample) model.Match {
	switch s.Shape {
	case model.Lines:
		fit, results := 0, 0
		for _, line := range s.Records {
			if p := claudeLook(line); p.known && p.snake && !p.foreign {
				fit++
			}
			if isResult(line) {
				results++
			}
		}
		if fit > 0 && fit*2 >= len(s.Records) {
			variant := uint8(0)
			if results == len(s.Records) {
				variant = claudeResults
			}
			return model.Match{Score: 88, Variant: variant, Reason: "lines of type user, assistant, result, … with session_id"}
		}
	case model.Document:
		return claudeStreamDocument(s)
	}
	return model.Match{}
}

func isResult(v []byte) bool { return string(jsonspan.GetString(v, "type")) == "result" }

func claudeStreamDocument(s *model.Sample) model.Match {
	if jsonspan.KindOf(s.Doc) == jsonspan.Object {
		if p := claudeLook(s.Doc); p.known && p.snake && !p.foreign && (p.message || p.stream) {
			variant := uint8(0)
			if isResult(s.Doc) {
				variant = claudeResults
			}
			return model.Match{Score: 85, Variant: variant, Reason: "an object of type assistant, user or result with session_id"}
		}
		return model.Match{}
	}
	c := jsonspan.New(s.Doc)
	n, fit := 0, 0
	for c.Array(); n < 20 && c.More(); n++ {
		if p := claudeLook(c.Skip()); c.Err == nil && p.known && p.snake {
			fit++
		}
	}
	if fit > 0 && fit*2 >= n-1 {
		return model.Match{Score: 88, Variant: claudeStreamList, Reason: "a list of objects of type system, assistant, … with session_id"}
	}
	return model.Match{}
}

// streamed finishes the facts of a stream's line: a stream may contain several sessions in
// sequence, and a subagent is named by the call that started it.
func (l *claudeLine) streamed(fs *model.Facts, first int) {
	f := fs.At(first)
	switch string(l.kind) {
	case "result":
		l.emitEnd(fs, f)
	case "stream_event":
		l.emitDelta(f)
	}
	if len(l.parentToolUse) > 0 {
		call := model.Hash(l.parentToolUse)
		g := fs.Add(model.Child)
		g.Target, g.Thread = call, call
		for i := first; i < fs.Len()-1; i++ {
			fs.At(i).Thread = call
			fs.At(i).Flags |= model.Sidechain
		}
	}
	session := model.Hash(l.session)
	for i := first; i < fs.Len(); i++ {
		fs.At(i).Session = session
	}
}

// emitEnd adds the end of a session. Its usage is the correct one: the lines of the responses were
// written before their output was known.
func (l *claudeLine) emitEnd(fs *model.Facts, f *model.Fact) {
	usage, cost, models, cause := model.Usage{}, model.Text{}, model.Text{}, l.cause(f)
	for _, e := range f.Extra {
		switch e.Name {
		case "usage":
			c := jsonspan.New(e.Value.Raw())
			ClaudeUsage(&c, &usage)
		case "total_cost_usd":
			cost = e.Value
		case "modelUsage":
			models = e.Value
		}
	}
	f.Blocks = f.Blocks[:0]
	at, failed := f.Time, l.isError || string(l.subtype) != "success"
	if l.lone && !failed && !cause.Empty() {
		f.Op, f.Role, f.Name = model.Say, model.Assistant, model.Text{}
		f.AddText(model.Words, cause)
		f.Model = model.EscapedText(kit.OnlyKey(models.Raw()))
		f.Extra = slices.DeleteFunc(f.Extra, func(e model.Field) bool { return e.Name == "result" })
		f = fs.Add(model.End)
		f.Time = at
	}
	f.Op, f.Outcome = model.End, model.Success
	f.Name = model.EscapedText(l.subtype)
	if failed {
		f.Outcome = model.Failure
		if !cause.Empty() {
			f.Name = cause
			f.Keep("reason", model.EscapedText(l.subtype))
		}
	}
	if usage.Scope == model.NoUsage {
		return
	}
	usage.Scope = model.Total
	c := jsonspan.New(cost.Raw())
	usage.Cost, usage.HasCost = c.Float()
	g := fs.Add(model.Meter)
	g.Time = at
	g.Usage = usage
}

// cause returns the words of a result: the reason of a failure, from a list of errors or in place
// of the answer, or the answer.
func (l *claudeLine) cause(f *model.Fact) (cause model.Text) {
	for _, e := range f.Extra {
		switch v := e.Value.Raw(); {
		case e.Name == "errors" && jsonspan.KindOf(v) == jsonspan.Array:
			if c := jsonspan.New(v); c.Array() && c.More() {
				cause = model.ValueText(c.Skip())
			}
		case e.Name == "result" && cause.Empty() && e.Value.Encoding() == model.JSONString:
			cause = e.Value
		}
	}
	return cause
}

// emitDelta adds the text of a partial message as a note, because the complete message follows on a
// separate line.
func (l *claudeLine) emitDelta(f *model.Fact) {
	if len(l.dataKind) > 0 {
		f.Name = model.EscapedText(l.dataKind)
	}
	for _, name := range []string{"text", "thinking", "partial_json"} {
		if v := jsonspan.Get(l.payload, "delta", name); kit.IsString(v) {
			f.AddText(model.OtherBlock, model.ValueText(v))
		}
	}
}
