package kit

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"time"

	"turns/model"
	"turns/model/jsonspan"
)

// readBack is the value of model.ReadBackField: the original properties of a message in a JSON
// export, if its other fields differ or lack them. Zero fields were not recorded.
type readBack struct {
	part, role, session []byte // inside of strings
	agent               []byte // id of the call that started the subagent
	outcome             []byte
	injected            []byte // nil: not recorded
	blocks              []byte // in the order of the message
	reasoning           int64  // blocks of reasoning without text; older exports have it without blocks
	inside              []byte // the id of the making call, by the id of a call
	ended, ran          []byte // outcomes and durations, by the id of a call
	folder              []byte
	// ids of calls
	scripts, waits, inText []byte
	inherited, again       bool
	partial, ofSpan        bool
	untimed                bool // the times of the messages do not show the duration
	// what the message's own fields may not have
	time, model, usage, missed []byte
	took, tookAtMost           []byte // of the call that it answers
	// of the session
	about, since, totals, until, stop, end []byte
	failed                                 []byte // how the request failed
}

var readBackNames = TableOf(func(b *readBack) Fields {
	return Fields{
		Word("part_of", &b.part), Word("role", &b.role), Word("session", &b.session), Word("agent", &b.agent),
		Word("outcome", &b.outcome), Raw("injected", &b.injected), Raw("blocks", &b.blocks), Count("reasoning", &b.reasoning), Raw("inside", &b.inside),
		Raw("ended", &b.ended), Raw("ran", &b.ran), Raw("folder", &b.folder), Raw("scripts", &b.scripts), Raw("waits", &b.waits),
		Raw("in_text", &b.inText), Flag("again", &b.again), Flag("inherited", &b.inherited), Flag("partial", &b.partial),
		Flag("of_span", &b.ofSpan), Flag("untimed", &b.untimed), Raw("time", &b.time), Raw("model", &b.model), Raw("usage", &b.usage), Word("missed", &b.missed),
		Raw("took_seconds", &b.took), Raw("took_at_most_seconds", &b.tookAtMost), Word("failed", &b.failed), Raw("about", &b.about),
		Raw("since", &b.since), Raw("session_usage", &b.totals), Raw("until", &b.until), Word("stop", &b.stop), Raw("end", &b.end),
	}
})

// parseReadBack parses the field. It returns nil for an absent field, which is a valid receiver of
// all methods, and zero for another value than an object.
func parseReadBack(v []byte) *readBack {
	if v == nil {
		return nil
	}
	b := new(readBack)
	c := jsonspan.New(v)
	readBackNames.ReadAll(&c, b)
	return b
}

// place sets a message's speaker, its session and the message that it is a part of.
func (b *readBack) place(f *model.Fact) {
	if b == nil {
		return
	}
	if b.role != nil {
		f.Name = model.Text{}
		if f.Role = SpeakerRole(b.role); f.Role == model.Other {
			f.Name = model.EscapedText(b.role)
		}
	}
	if b.session != nil {
		f.Session = model.Hash(b.session)
	}
	if b.agent != nil {
		f.Thread = model.HashString("agent").With(b.agent)
		f.Flags |= model.Sidechain
	}
	if b.part != nil {
		f.Join = model.Union
		f.Key = model.HashString("part of a message").With(b.part)
	}
}

// complete adds data that no other field of the message has.
func (b *readBack) complete(f *model.Fact) {
	if b == nil {
		return
	}
	b.record(f)
	if b.about != nil { // fields of the message with such names are not about the session
		for i := range f.Extra {
			f.Extra[i].Name = cmp.Or(aboutByChance([]byte(f.Extra[i].Name)), f.Extra[i].Name)
		}
	}
	for i := range f.Blocks {
		switch block := &f.Blocks[i]; block.Kind {
		case model.ToolResult:
			block.Again = b.again
			switch took := durationOf(Or(b.tookAtMost, b.took)); {
			case took > 0:
				block.Took, block.Bound = took, b.tookAtMost != nil
			case b.untimed:
				block.Took = -1
			}
			if b.part != nil { // other parts have fields with the same names
				block.Extra, f.Extra = append(block.Extra, f.Extra...), slices.DeleteFunc(f.Extra, notFate)
				block.Extra = slices.DeleteFunc(block.Extra, isFate)
			}
			var outcome model.Outcome
			_ = outcome.UnmarshalText(b.outcome) // it never fails
			if outcome != model.Unknown {
				block.Outcome = outcome
			}
		case model.ToolCall:
			b.nest(block)
		}
	}
	b.order(f)
	switch string(b.failed) {
	case "error":
		f.Flags, f.Outcome = f.Flags|model.APIError, model.Failure
	case "no":
		f.Flags, f.Outcome = f.Flags&^(model.APIError|model.Interrupted), model.Unknown
	case "interrupted":
		f.Flags, f.Outcome = f.Flags|model.Interrupted, model.Stopped
	}
	if IsTrue(b.injected) {
		f.Flags |= model.Injected
	}
	if b.inherited {
		f.Flags |= model.Inherited
	}
	if b.partial {
		f.Flags |= model.Partial
	}
	if b.ofSpan {
		f.Flags |= model.SpanTold
	}
}

// isFate reports whether a field names the cause why a message is not valid any more: the message
// keeps it, even if its other fields are those of a result.
func isFate(f model.Field) bool { return f.Name == "superseded_by" || f.Name == "invalidated_by" }

func notFate(f model.Field) bool { return !isFate(f) }

// durationOf is a recorded duration in seconds, with milliseconds. It is positive, since zero means
// that none was recorded, as all other values do.
func durationOf(v []byte) time.Duration {
	c := jsonspan.New(v)
	seconds, ok := c.Float()
	if !ok || !(seconds >= 0 && seconds < math.MaxUint32/1000) {
		return 0
	}
	return max(time.Duration(math.Round(seconds*1000))*time.Millisecond, 1)
}

// record replaces the time, the model and the usage that the message's own fields say.
func (b *readBack) record(f *model.Fact) {
	if b.time != nil {
		f.Time = MomentOf(b.time)
	}
	if b.model != nil {
		f.Model = model.ValueText(b.model)
	}
	if b.usage != nil {
		f.Usage = UsageOf(b.usage)
	}
	if f.Usage.Scope != model.NoUsage {
		f.Usage.Missed = string(b.missed)
	}
	if b.stop != nil {
		f.Stop = StopOf(b.stop)
	}
}

// nest links a call to its maker, and marks scripts and waits for them.
func (b *readBack) nest(call *model.Block) {
	if b.inside == nil && b.scripts == nil && b.waits == nil && b.ended == nil && b.ran == nil {
		return
	}
	id := call.ID.String()
	if o := jsonspan.GetString(b.ended, id); o != nil {
		_ = call.Outcome.UnmarshalText(o) // it never fails
	}
	if ran := durationOf(jsonspan.Get(b.ran, id)); ran > 0 {
		call.Took = ran
	}
	if maker := jsonspan.GetString(b.inside, id); maker != nil {
		call.Within = model.Hash(maker)
	}
	switch {
	case Lists(b.scripts, id):
		call.Nesting = model.Script
	case Lists(b.waits, id):
		call.Nesting = model.Poll
	case Lists(b.inText, id):
		call.Nesting = model.OfText
	}
}

// Lists reports whether a list of strings contains s.
func Lists(list []byte, s string) bool {
	for v := range jsonspan.List(list) {
		if string(Inside(v)) == s {
			return true
		}
	}
	return false
}

// addFacts adds the message's data about others: its session, and the call that started its
// subagent.
func (b *readBack) addFacts(fs *model.Facts) {
	if b == nil {
		return
	}
	session, thread := fs.Last().Session, fs.Last().Thread
	add := func(op model.Op) *model.Fact {
		f := fs.Add(op)
		f.Session = session
		return f
	}
	if b.folder != nil || b.about != nil {
		f := add(model.About)
		Keep(f, "cwd", b.folder)
		c := jsonspan.New(b.about)
		for c.Object(); c.Key(); {
			f.KeepNamed(c.Name, model.ValueText(c.Skip()))
		}
	}
	for v := range jsonspan.List(b.totals) {
		f := add(model.Meter)
		f.Usage = UsageOf(v)
		f.Usage.Subagents = IsTrue(jsonspan.Get(v, "subagents"))
		if IsTrue(jsonspan.Get(v, "whole")) && f.Usage.Scope != model.NoUsage {
			f.Usage.Scope = model.Total
		}
	}
	if b.agent != nil {
		f := add(model.Child)
		f.Thread, f.Target = thread, model.Hash(b.agent)
	}
	if b.since != nil {
		f := add(model.Note)
		f.Name, f.Time = model.StringText("session start"), MomentOf(b.since)
	}
	b.ends(add)
}

// ends adds the end of the session, or the time of its last record.
func (b *readBack) ends(add func(model.Op) *model.Fact) {
	switch {
	case b.end != nil:
		f := add(model.End)
		f.Time, f.Name = MomentOf(b.until), model.ValueText(jsonspan.Get(b.end, "reason"))
		_ = f.Outcome.UnmarshalText(jsonspan.GetString(b.end, "outcome")) // it never fails
		c := jsonspan.New(jsonspan.Get(b.end, "score"))
		f.Score, f.HasScore = c.Float()
		if IsTrue(jsonspan.Get(b.end, "turn")) {
			f.Stop = model.StopEnd
		}
	case b.until != nil:
		f := add(model.Note)
		f.Name, f.Time = model.StringText("session end"), MomentOf(b.until)
	}
}

// unsplit reports whether the message must not be split, because the field defines its parts.
func (b *readBack) unsplit() bool { return b != nil && (b.part != nil || b.injected != nil) }

// HasReadBack reports whether any of the messages of a sample has the field, which only a JSON
// export of turns writes.
func HasReadBack(messages [][]byte) bool {
	for _, v := range messages {
		if bytes.Contains(v, []byte(`"`+model.ReadBackField+`"`)) && jsonspan.KindOf(jsonspan.Get(v, model.ReadBackField)) == jsonspan.Object {
			return true
		}
	}
	return false
}
