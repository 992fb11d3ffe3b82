package describe

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/human"
)

// ruleLook limits the rows around a rule in which its effect is searched: drawing one screen of
// rules must not scan the complete file.
const ruleLook = 4096

// rule returns the text of a rule across the screen, where the conversation changes its course,
// from its record.
func (d Describer) rule(m *model.Message, kind string) string {
	var s string
	switch m.Op {
	case model.Compact:
		return d.compaction(m, kind, ruleFacts{})
	case model.Rewind:
		s = "rewound"
	case model.Reset:
		s = "begun afresh"
	case model.Retract:
		s = "gone from its source"
	case model.End:
		return d.ending(m, kind)
	}
	if m.Time != 0 {
		s += " " + human.TimeOfDay(m.Time, d.Zone)
	}
	if kind != "" && !strings.HasPrefix(kind, "$") && kind != s && !strings.Contains(kind, "roll") && !strings.Contains(kind, "rewind") {
		s += ": " + kind
	}
	return s
}

// ruleFacts are facts from the rows around a rule.
type ruleFacts struct {
	before, after int64 // tokens of the context; 0: unknown
	replaced      int   // messages before a compaction; 0: unknown
	summary       int64 // bytes of the summary; 0: unknown
}

// compaction returns text like "compacted 22:31:35, auto: 167.7k → 45.0k tokens, 160 messages
// replaced by a summary of 3.0k".
func (d Describer) compaction(m *model.Message, kind string, f ruleFacts) string {
	s := "compacted"
	if m.Time != 0 {
		s += " " + human.TimeOfDay(m.Time, d.Zone)
	}
	if trigger := compactTrigger(m, kind); trigger != "" {
		s += ", " + trigger
	}
	f.before = cmp.Or(extraNumber(m, "preTokens", "pre_tokens", "tokens_before", "tokensBefore"), f.before)
	f.after = cmp.Or(extraNumber(m, "postTokens", "post_tokens", "tokens_after", "tokensAfter"), f.after)
	f.replaced = cmp.Or(int(extraNumber(m, "messages_before", "messagesBefore")), f.replaced)
	if f.summary == 0 {
		for i := range m.Blocks {
			if m.Blocks[i].Kind == model.Words {
				f.summary += int64(len(m.Blocks[i].Text))
			}
		}
	}
	var parts []string
	switch {
	case f.before > 0 && f.after > 0:
		parts = append(parts, human.Short(f.before)+" → "+human.Short(f.after)+" tokens")
	case f.before > 0:
		parts = append(parts, "from "+human.Short(f.before)+" tokens")
	}
	switch {
	case f.replaced > 0 && f.summary > 0:
		parts = append(parts, human.Plural(f.replaced, "message")+" replaced by a summary of "+model.SizeOf(f.summary))
	case f.replaced > 0:
		parts = append(parts, human.Plural(f.replaced, "message")+" replaced")
	case f.summary > 0:
		parts = append(parts, "a summary of "+model.SizeOf(f.summary))
	}
	if len(parts) > 0 {
		s += ": " + strings.Join(parts, ", ")
	}
	return s
}

// compactTrigger returns who started a compaction, if recorded.
func compactTrigger(m *model.Message, kind string) string {
	if t := extraText(m, "trigger"); t != "" {
		return t
	}
	switch kind {
	case "", "compacted", "compaction", "compact_boundary", "context_compaction", "context_compacted", "summary":
		return ""
	}
	return kind
}

// ending returns how a session ended, in its recorded words.
func (d Describer) ending(m *model.Message, kind string) string {
	why := human.Reason(strings.TrimPrefix(kind, "ended"))
	if r := extraText(m, "reason"); r != "" && r != why {
		if why != "" {
			why += ", "
		}
		why += human.Reason(r)
	}
	s := "ended"
	if why = strings.Trim(why, ", "); why != "" {
		s += ": " + why
	}
	if m.Time != 0 {
		s += ", " + human.TimeOfDay(m.Time, d.Zone)
	}
	return s
}

// Rule is like Note for a row drawn across the screen, with numbers from the rows around it: how
// many messages a compaction removed, how a session ended.
func (d Describer) Rule(s *model.Snapshot, m *model.Message) Line {
	line := d.Note(m)
	switch m.Op {
	case model.Compact:
		line.About = d.compaction(m, human.OneLine(m.Name, 60), compactFacts(s, m.ID))
	case model.Rewind:
		if n := rewoundBefore(s, m.ID); n > 0 {
			line.About += ": " + human.Plural(n, "message")
		}
	case model.End:
		switch ended := endedWith(s, m.ID); {
		case ended.Failed():
			line.State = ended
		case ended == model.Success && strings.HasPrefix(line.About, "ended"):
			line.State = model.Success
			line.About = "finished" + strings.TrimPrefix(line.About, "ended")
		}
	}
	return line
}

// endedWith returns the outcome in the row of an end. Some logs record one after each turn; only
// the last is that of the session.
func endedWith(s *model.Snapshot, id model.ID) model.Outcome {
	if e, ok := eventAt(s, id); ok {
		return model.Outcome(e.N)
	}
	return model.Unknown
}

// eventAt returns the event of a row.
func eventAt(s *model.Snapshot, id model.ID) (model.Event, bool) {
	events := s.Events()
	n, ok := slices.BinarySearchFunc(events, id, func(e model.Event, id model.ID) int { return cmp.Compare(e.At, id) })
	if !ok {
		return model.Event{}, false
	}
	return events[n], true
}

// compactFacts examines the responses around a compaction, and the summary after it.
func compactFacts(s *model.Snapshot, id model.ID) (f ruleFacts) {
	thread, row := s.HeadRow(id).Thread, s.RowNumber(id)
	e, _ := eventAt(s, id)
	kept, marked := row, 0
	if e.Kept != model.NoID && e.Op == model.Compact {
		kept = s.RowNumber(e.Kept)
	}
	for n := row - 1; n >= max(row-ruleLook, 0); n-- {
		at := s.Row(n)
		h := s.HeadRow(at)
		if h.Thread != thread {
			continue
		}
		if h.Op == model.Compact || h.Op == model.Reset {
			break
		}
		if h.Op != model.Say {
			continue
		}
		if n < kept {
			f.replaced++
		}
		if h.Flags&model.Compacted != 0 {
			marked++
		}
		if f.before == 0 {
			f.before = contextOf(s, at, h)
		}
	}
	switch {
	case marked > 0: // it names the removed messages
		f.replaced = marked
	case kept == row && e.N < 0:
		f.replaced = min(f.replaced, -int(max(e.N, -ruleLook)))
	case kept == row:
		f.replaced = max(f.replaced-int(min(e.N, ruleLook)), 0)
	}
	for n := row + 1; n < min(row+64, s.Rows()) && f.after == 0; n++ {
		at := s.Row(n)
		h := s.HeadRow(at)
		if h.Thread != thread || h.Op != model.Say {
			continue
		}
		if h.Flags&model.Recap != 0 && f.summary == 0 {
			f.summary = int64(h.Size)
		}
		f.after = contextOf(s, at, h)
	}
	return f
}

// contextOf returns the size of the context for a response; 0 if unknown.
func contextOf(s *model.Snapshot, id model.ID, h *model.Head) int64 {
	if h.Role != model.Assistant {
		return 0
	}
	n, _ := query.ContextOf(s, id)
	return n
}

// rewoundBefore counts the messages directly before a rewind that it removed.
func rewoundBefore(s *model.Snapshot, id model.ID) int {
	row, n := s.RowNumber(id), 0
	thread := s.HeadRow(id).Thread
	for r := row - 1; r >= max(row-ruleLook, 0); r-- {
		h := s.HeadRow(s.Row(r))
		if h.Thread != thread || h.Op != model.Say {
			continue
		}
		if h.Flags&model.Rewound == 0 {
			break
		}
		n++
	}
	return n
}

func extraText(m *model.Message, name string) string {
	for i := range m.Extra {
		if m.Extra[i].Name == name {
			return human.OneLine(m.Extra[i].Value, 60)
		}
	}
	return ""
}

func extraNumber(m *model.Message, names ...string) int64 {
	for _, name := range names {
		if n, err := strconv.ParseFloat(extraText(m, name), 64); err == nil && n > 0 && n < 1e15 {
			return int64(n)
		}
	}
	return 0
}
