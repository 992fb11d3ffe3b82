package infer

import (
	"fmt"
	"hash/maphash"
	"strings"

	"turns/model"
	"turns/model/format/envelope"
)

// Counts counts the parts that a format recognises in a sample.
type Counts struct {
	words, calls, results, paired int
	whole                         int // calls with a name and arguments
	failed                        int // results
	ids                           int // calls and results that have one
	speakers                      [model.Other + 1]int
	turns                         int // changes of the speaker between user and assistant
	long                          int // texts of the assistant with sentences
	records                       int
	messages, blank               int  // messages, and those without content or speaker
	blocks                        int  // non-empty parts of messages
	usages                        int  // facts with usage
	named                         bool // a speaker is called the assistant
	last                          model.Role
	at                            int64 // time of the previous message
	back, forth                   int   // messages older than the previous one; younger
	open                          map[string]int
	texts                         map[uint64]bool // hashes of the texts of people and models
}

// Read parses the records of a sample, or the document.
func Read(f *model.Format, m model.Match, s *model.Sample) *Counts {
	t := &Counts{open: map[string]int{}, texts: map[uint64]bool{}}
	var lists []string
	if f.Lists != nil {
		lists = f.Lists(m)
	}
	var fs model.Facts
	parse := func(v []byte, list string, at int) {
		fs.Clear()
		t.records++
		rec := model.Record{Data: v, Variant: m.Variant, List: list}
		rec.Ref.Off = int64(at)
		if !parsed(f, rec, &fs) {
			return
		}
		for i := range fs.Len() {
			t.fact(fs.At(i))
		}
	}
	switch {
	case lists != nil:
		docs := s.Records
		if s.Shape == model.Document {
			docs = [][]byte{s.Doc}
		}
		for _, doc := range docs {
			for i, p := range envelope.Cut(doc, lists) {
				parse(p.Data, p.List, i)
			}
		}
	case s.Shape == model.Document:
		parse(s.Doc, "", 0)
	default:
		for i, v := range s.Records {
			parse(v, "", i)
		}
	}
	return t
}

// parsed parses a record. A parser that panics, because of too many parts or an error in it, has
// not understood the record. If the format is selected, the loader reports that.
func parsed(f *model.Format, rec model.Record, fs *model.Facts) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return f.Parse(rec, fs) == nil
}

// Words returns the number of messages with words of a known speaker.
func (t *Counts) Words() int { return t.words }

// Troubled reports whether a good part of the messages is empty, or results belong to no call: the
// names of some fields differ from those of the format.
func (t *Counts) Troubled() bool {
	return t.messages == 0 || (t.blank+t.results-t.paired)*5 > t.messages
}

// Complete reports whether every message has content and every result has its call.
func (t *Counts) Complete() bool { return t.messages > 0 && t.blank == 0 && t.results == t.paired }

// Blank reports whether more than half of the messages have no content.
func (t *Counts) Blank() bool { return mostOf(t.blank, t.messages) }

// Beats reports whether the format recognises far more than another one, and no less of any part.
func (t *Counts) Beats(o *Counts) bool {
	words, calls, more, moreCalls := o.words, o.paired, t.words, t.paired
	if t.calls*10 < o.calls*9 || t.results*10 < o.results*9 || t.failed < o.failed {
		return false
	}
	return more*10 >= words*9 && moreCalls*10 >= calls*9 && (more >= 2*words && more > 0 || moreCalls >= 2*calls && moreCalls > 0) &&
		more+moreCalls > words+calls
}

// Surpasses reports whether the format recognises more of some part than another one, and no less
// of any part.
func (t *Counts) Surpasses(o *Counts) bool {
	return !t.less(o) && o.less(t)
}

// Mends reports whether the format loses few texts, which may be parts that the other one read as
// messages, and either pairs more calls with their results or is complete while the other is not.
func (t *Counts) Mends(o *Counts) bool {
	return t.words*10 >= o.words*7 && t.paired >= o.paired && t.ids >= o.ids && t.blank <= o.blank &&
		(t.paired > o.paired || t.Complete() && !o.Complete())
}

// Wants reports whether a kind of part is missing from a conversation: the content of a good part
// of its messages, the name or the arguments of every call, or all messages of the user and the
// model. A rename changes every value of a field, so one message without content is no reason to
// look for one.
func (t *Counts) Wants() bool {
	return t.Troubled() || t.calls > 0 && t.whole == 0 || t.sides() == 0
}

// Repairs reports whether the format finds parts that another one misses: results of calls, the
// names or arguments of all calls, content for most messages without any, or the other side of the
// conversation.
func (t *Counts) Repairs(o *Counts) bool {
	return t.Mends(o) || !t.less(o) && t.whole > o.whole && o.whole == 0 || t.Surpasses(o) && (t.sides() > o.sides() && t.blank <= o.blank || !halfOf(t.blank, o.blank))
}

// Mutual reports whether both sides speak, or calls have results.
func (t *Counts) Mutual() bool { return t.sides() == 2 || t.paired > 0 }

// sides is how many of user and assistant speak.
func (t *Counts) sides() int {
	return min(t.speakers[model.User], 1) + min(t.speakers[model.Assistant], 1)
}

// Exceeds reports whether the format understands more messages of people and models than another
// one, and no fewer calls and results.
func (t *Counts) Exceeds(o *Counts) bool {
	spoken := func(t *Counts) int { return t.speakers[model.User] + t.speakers[model.Assistant] }
	return spoken(t) > spoken(o) && t.calls >= o.calls && t.paired >= o.paired && t.results >= o.results && t.failed >= o.failed
}

// AsMuchAs reports whether the format recognises as much of a conversation as another one, ignoring
// parts that the other one repeats.
func (t *Counts) AsMuchAs(o *Counts) bool {
	return t.words > 0 && (t.words >= o.words && t.calls >= o.calls || len(t.open) >= len(o.open) && halfOf(t.turns, o.turns) && t.calls > 0) && (t.failed > 0 || o.failed == 0)
}

// Holds reports whether the format recognises at least as many different texts and calls as
// another one, however often that one repeats them.
func (t *Counts) Holds(o *Counts) bool {
	return t.words > 0 && len(t.texts) >= len(o.texts) && len(t.open) >= len(o.open) && (t.failed > 0 || o.failed == 0)
}

var textSeed = maphash.MakeSeed()

// NewestFirst reports whether each message is older than the one before it.
func (t *Counts) NewestFirst() bool { return t.back > 1 && t.forth == 0 }

// Rivals reports whether the format understands nearly as much as another one.
func (t *Counts) Rivals(o *Counts) bool {
	return t.words*10 >= o.words*8 && t.calls >= o.calls && t.paired >= o.paired && t.ids >= o.ids && t.words+t.calls > 0
}

// Contests reports whether the format understands nearly as much as another one, or more, but
// differs in the speakers or in the number of messages or calls.
func (t *Counts) Contests(o *Counts) bool {
	differs := t.speakers[model.User] != o.speakers[model.User] || t.speakers[model.Assistant] != o.speakers[model.Assistant] || t.calls != o.calls
	return differs && (t.words+t.calls)*10 >= (o.words+o.calls)*8 && t.words+t.calls > 0
}

// String returns the understood messages and calls, as in "2 user and 3 assistant messages, 1
// call".
func (t *Counts) String() string {
	text := fmt.Sprintf("%d user and %d assistant messages", t.speakers[model.User], t.speakers[model.Assistant])
	switch t.calls {
	case 0:
	case 1:
		text += ", 1 call"
	default:
		text += fmt.Sprintf(", %d calls", t.calls)
	}
	return text
}

// Equals reports whether the format understands as much as another one.
func (t *Counts) Equals(o *Counts) bool { return !t.less(o) && !o.less(t) }

// Matches is Equals with the same usage too.
func (t *Counts) Matches(o *Counts) bool { return t.Equals(o) && t.usages == o.usages }

func (t *Counts) less(o *Counts) bool {
	return t.turns < o.turns || t.words < o.words || t.calls < o.calls || t.paired < o.paired || t.ids < o.ids || t.blocks < o.blocks
}

func (t *Counts) fact(f *model.Fact) {
	if f.Usage.Scope != model.NoUsage {
		t.usages++
	}
	if f.Op != model.Say {
		return
	}
	spoken, blank := false, true
	t.messages++
	if f.Time.Ms > 0 {
		switch {
		case t.at > f.Time.Ms:
			t.back++
		case t.at > 0 && t.at < f.Time.Ms:
			t.forth++
		}
		t.at = f.Time.Ms
	}
	for i := range f.Blocks {
		b := &f.Blocks[i]
		if b.Kind == model.ToolCall || b.Kind == model.ToolResult || b.Kind != model.OtherBlock && !b.Text.Blank() {
			t.blocks++
		}
		switch b.Kind {
		case model.Words:
			if b.Text.Blank() {
				continue
			}
			if f.Role == model.Assistant && strings.Count(string(b.Text.Raw()[:min(400, b.Text.Size())]), " ") >= 2 {
				t.long++
			}
			spoken, blank = true, f.Role == model.NoRole || f.Role == model.Other
			if !blank {
				t.texts[maphash.Bytes(textSeed, b.Text.Raw())] = true
			}
		case model.Reasoning, model.Media:
			blank = false
		case model.ToolCall:
			blank = blank && b.Name.Empty()
			t.calls++
			if !b.ID.Empty() {
				t.ids++
			}
			if !b.Name.Empty() && b.Text.Size() > len(`{}`) {
				t.whole++
			}
			t.open[b.ID.String()]++
		case model.ToolResult:
			blank = blank && b.Text.Empty()
			if !b.ID.Empty() {
				t.ids++
			}
			if b.Outcome.Failed() {
				t.failed++
			}
			switch open, made := t.open[b.ID.String()]; {
			case open > 0:
				t.open[b.ID.String()]--
				t.paired++
			case made && !b.ID.Empty(): // a repeat
				continue
			}
			t.results++
		}
	}
	if blank {
		t.blank++
	}
	if spoken && f.Role != model.NoRole && f.Role != model.Other {
		t.words++
		t.speakers[f.Role]++
		if f.Role != t.last && (f.Role == model.User || f.Role == model.Assistant) {
			t.turns++
			t.last = f.Role
		}
	}
}

// Conversation reports whether the parts form a conversation: a user and an assistant, or an
// assistant with tool calls and their results.
func (t *Counts) Conversation() bool {
	user, assistant := t.speakers[model.User]+t.speakers[model.System], t.speakers[model.Assistant]
	if (t.calls > 0 || !t.named || t.results > 2*t.words) && t.results*3 > t.calls*4+3 {
		return false // results without calls
	}
	switch {
	case t.speakers[model.User] > 0 && assistant > 0 && t.turns >= 2 && !t.named && t.calls == 0:
		// Many records have users and bots as authors; in a conversation they alternate.
		return t.turns*10 >= (t.speakers[model.User]+assistant)*6 && t.words*10 >= t.records*7
	case t.speakers[model.User] > 0 && assistant > 0 && t.turns >= 2:
		return true
	case user > 0 && t.calls > 0 && (t.ids > 0 || assistant > 0):
		return true
	case assistant > 0 && (t.paired > 0 && t.ids > 0 || t.named && t.long > 0):
		return true
	}
	return t.paired > 2 && t.ids > 2 // without ids, any operations may look like calls
}
