package claude

import (
	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// emitNote adds a line as a note: its kind, the call it reports on, and its text, if any.
func (l *claudeLine) emitNote(f *model.Fact) {
	f.Op = model.Note
	f.Name = model.EscapedText(l.kind)
	f.Target = l.call()
	if !kit.IsEmpty(l.content) {
		text := model.ValueText(l.content)
		f.AddText(model.Words, text)
		if f.Target == 0 && text.HasPrefix("<task-notification") {
			f.Target = claudeNotified(text.Raw())
		}
	}
	if l.took != nil {
		f.Keep("durationMs", model.ValueText(l.took))
	}
}

// call returns the call that a line reports on.
func (l *claudeLine) call() model.Key {
	if len(l.parentToolUse) > 0 && (!l.stream || len(l.toolUse) == 0) {
		return model.Hash(l.parentToolUse)
	}
	return model.Hash(l.toolUse)
}

// emitSystem adds the events of the program.
func (l *claudeLine) emitSystem(f *model.Fact) {
	switch string(l.subtype) {
	case "compact_boundary":
		f.Op = model.Compact
		f.Name = model.EscapedText(l.subtype)
		kit.Keep(f, "content", l.content)
		c := jsonspan.New(l.compact)
		for c.Object(); c.Key(); {
			name, v := string(c.Name), c.Skip()
			switch name {
			case "preservedSegment":
				f.Target = kit.HashValue(jsonspan.Get(v, "headUuid"))
			case "preserved_segment":
				f.Target = kit.HashValue(jsonspan.Get(v, "head_uuid"))
			}
			kit.Keep(f, name, v)
		}
		return
	case "init":
		f.Op = model.About
		f.Name = model.EscapedText(l.subtype)
		return
	}
	l.emitNote(f)
	if len(l.subtype) > 0 {
		f.Name = model.EscapedText(l.subtype)
	}
	switch string(l.subtype) {
	case "stop_hook_summary": // written when the turn has ended
		f.Stop = model.StopEnd
	case "turn_duration":
		f.Stop = model.StopEnd
		b := f.Add(model.OtherBlock)
		b.Name = model.EscapedText(l.subtype)
		b.Took = kit.TookMs(l.took)
	case "api_error":
		f.Flags |= model.APIError
		f.Outcome = model.Failure
		for _, e := range f.Extra {
			if e.Name == "error" || e.Name == "cause" && len(f.Blocks) == 0 {
				f.Blocks = f.Blocks[:0]
				f.AddText(model.OtherBlock, e.Value)
				f.Blocks[0].Name = model.EscapedText(l.subtype)
			}
		}
	case "api_refusal":
		f.Flags |= model.Refused
	}
}

// emitAttachment adds context that the program sent to the model by itself. A queued command is a
// prompt typed while the agent worked.
func (l *claudeLine) emitAttachment(f *model.Fact) {
	if string(l.dataKind) == "queued_command" && !kit.IsEmpty(l.content) {
		f.Key = f.Record
		c := jsonspan.New(l.content)
		claudeContent(&c, f)
		l.emitWords(f)
		f.Flags |= model.Queued
		if len(l.mode) > 0 && string(l.mode) != "prompt" && string(l.mode) != "bash" {
			f.Flags |= model.Injected
			kit.ClaudeKeep(f, "commandMode", l.mode)
		}
		return
	}
	l.content = nil
	l.emitNote(f)
	f.Name = model.StringText("attachment/" + string(l.dataKind))
	l.addPayload(f)
}

// emitProgress adds the progress of a hook, a command or a subagent.
func (l *claudeLine) emitProgress(fs *model.Facts, f *model.Fact) {
	l.content = nil
	l.emitNote(f)
	if len(l.dataKind) > 0 {
		f.Name = model.EscapedText(l.dataKind)
	}
	l.addPayload(f)
	if len(l.dataAgent) > 0 && f.Target != 0 && string(l.dataKind) == "agent_progress" {
		claudeChild(fs, f, f.Target, l.dataAgent)
	}
}

func (l *claudeLine) addPayload(f *model.Fact) {
	if kit.IsEmpty(l.payload) {
		return
	}
	b := f.Add(model.OtherBlock)
	b.Name = model.EscapedText(l.dataKind)
	b.Text = model.ValueText(l.payload)
}

// claudeCost adds the cost of a cost-state line. The line is repeated with larger costs; the last
// one counts. Its tokens include those of subagents in separate files and of calls that no line
// shows, so only the dollars replace the sum of the responses.
func claudeCost(fs *model.Facts, note *model.Fact) {
	usage := kit.NoUsage(model.Total)
	for _, e := range note.Extra {
		if e.Name == "totalCostUSD" {
			c := jsonspan.New(e.Value.Raw())
			usage.Cost, usage.HasCost = c.Float()
		}
	}
	if !usage.HasCost {
		return
	}
	at := note.Time
	f := fs.Add(model.Meter)
	usage.Subagents = true
	f.Time, f.Usage = at, usage
}
