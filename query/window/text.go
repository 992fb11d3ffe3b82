package window

import (
	"cmp"
	"fmt"
	"strings"

	"turns/model"
	"turns/query/answer"
	"turns/query/human"
)

// labelWidth is the width of the labels of lines in text.
const labelWidth = 9

// Doc describes the answer.
func (a *Answer) Doc() *answer.Doc {
	d := &answer.Doc{}
	sizes := a.SizeLines(human.Count)
	lines := append([]string{a.headline(sizes[0].Number), string(a.Note)}, answer.Sentences(labelWidth, sizes[1:]...)...)
	d.AddText(append(lines, answer.Sentences(labelWidth, a.LeftLines()...)...)...)
	d.AddTable("", answer.OfList(answer.Pick(a.KindColumns(), "kind", "tokens", "share"), a.Kinds()))
	d.AddTable("", answer.OfList(answer.Pick(a.ToolColumns(), "tool", "tokens", "share"), a.Tools))
	largest := answer.Pick(a.LargestColumns(), "place", "tokens", "role", "about")
	largest[0].Head = "largest"
	d.AddTable("", answer.OfList(largest, a.Largest))
	d.AddTable("", answer.OfList(answer.Pick(GrowthColumns(), "turn", "added", "results", "measured", "compactions"), a.Growth))
	if a.Waste != nil {
		a.Waste.addTo(d)
	}
	return d
}

// when returns the relation of the context to its message: the request that an assistant answered,
// or the state after any other message.
func (a *Answer) when() string {
	if a.Role == model.Assistant.String() {
		return "sent with"
	}
	return "as of"
}

// MessagesLine returns the line of the number of messages.
func (a *Answer) MessagesLine() answer.Line {
	n, unit, _ := strings.Cut(human.Plural(a.Messages, "message"), " ")
	return answer.Line{Label: a.when() + " " + answer.At(a.Index).Text, Number: n, Note: unit}
}

func (a *Answer) headline(counted string) string {
	s := fmt.Sprintf("context %s message %d (%s)", a.when(), a.Index, a.Role)
	if a.InSession != nil {
		s = fmt.Sprintf("context %s message %d of the session (#%d of the file, %s)", a.when(), *a.InSession, a.Index, a.Role)
	}
	if a.Agent != "" {
		s += " of " + string(a.Agent)
	}
	return s + ": " + human.Plural(a.Messages, "message") + ", " + counted + " tokens (" + cmp.Or(string(a.Encoding), "estimated from sizes") + ")"
}

// unrecorded is the sign of tokens that are not in the transcript.
const unrecorded = "░"

// SizeLines returns the size of the context, the part that came from the cache, and the window.
// count formats tokens.
func (a *Answer) SizeLines(count func(int64) string) (lines []answer.Line) {
	add := func(label, number, note string) {
		lines = append(lines, answer.Line{Label: label, Number: number, Note: note})
	}
	apart := func(n int64, about string) {
		if n > 0 {
			lines = append(lines, answer.Line{Sign: unrecorded, Number: about + count(n), Note: "not in the transcript"})
		}
	}
	add(map[bool]string{true: "estimated", false: "counted"}[a.Encoding == ""], count(a.Counted), "")
	switch {
	case a.Measured != nil:
		at := ""
		if a.Response != a.Index {
			at = "at " + answer.At(a.Response).Text
		}
		add("measured", count(*a.Measured), at)
		if a.CacheRead != nil {
			add("", human.Percent(*a.CacheRead, *a.Measured), "from the cache")
			if *a.CacheRead == 0 {
				lines[len(lines)-1].Tone = answer.Warn
			}
		}
		if a.CacheWrite != nil && *a.CacheWrite > 0 {
			add("", count(*a.CacheWrite), "written to the cache")
		}
		apart(*a.Unaccounted, "")
	case a.Estimate != nil:
		add("expected", "~"+count(*a.Estimated), "by "+human.Plural(a.Estimate.Requests, "measured request"))
		apart(*a.Estimated-a.Counted, "~")
	}
	if a.Window > 0 {
		n, from := a.Size()
		full := map[string]string{"measured": "full", "estimated": "full by the estimate", "counted": "full by the count"}[from]
		add("window", a.window(count), "("+string(a.WindowFrom)+")")
		add("", a.share(n), full)
	} else {
		add("window", "not known", "")
	}
	if n := a.Images; n.Count > 0 {
		add("images", human.Count(n.Count), "with "+count(a.Tokens.Images)+" tokens by the rule of the provider")
		if n.Unknown > 0 {
			add("", human.Count(n.Unknown), "of unknown size")
		}
	}
	return lines
}

// FillLines returns the size of the context with its window, and how much of that it fills.
func (a *Answer) FillLines() []answer.Line {
	n, from := a.Size()
	l := answer.Line{Number: map[bool]string{true: "~"}[from == "estimated"] + human.Short(n)}
	if a.Window == 0 {
		return []answer.Line{l}
	}
	l.Note = "of " + a.window(human.Short)
	return []answer.Line{l, {Number: a.share(n)}}
}

// window returns the window for people: "200k", or "200k or 1M" if the transcript does not decide
// between them.
func (a *Answer) window(count func(int64) string) string {
	if a.WindowOr > 0 {
		return count(int64(a.Window)) + " or " + count(int64(a.WindowOr))
	}
	return count(int64(a.Window))
}

// share returns the share of the window that n tokens fill, of both windows if both are possible.
func (a *Answer) share(n int64) string {
	full := human.Percent(n, a.Full(n))
	if a.WindowOr > 0 && n <= int64(a.Window) {
		full += " or " + human.Percent(n, int64(a.WindowOr))
	}
	return full
}

// LeftLines counts the messages missing in the context, and the compactions before it; nil if it
// has all.
func (a *Answer) LeftLines() (lines []answer.Line) {
	left := a.Left.String()
	if left == "" && a.Compactions == 0 {
		return nil
	}
	lines = []answer.Line{{Label: "left out", Number: cmp.Or(left, "nothing")}}
	if n, unit, _ := strings.Cut(human.Plural(a.Compactions, "compaction"), " "); a.Compactions > 0 {
		lines = append(lines, answer.Line{Number: n, Note: unit + " before", Tone: answer.Warn})
	}
	return lines
}
