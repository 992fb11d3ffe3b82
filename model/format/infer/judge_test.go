package infer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
)

// talked returns the counts of a conversation of 10 messages and 10 calls.
func talked() *Counts {
	return &Counts{
		words: 10, calls: 10, results: 10, paired: 10, whole: 10, failed: 1, ids: 20, turns: 10, long: 5, records: 10,
		messages: 10, blocks: 30, usages: 3, speakers: [model.Other + 1]int{model.User: 5, model.Assistant: 5},
	}
}

// amount is one of the counts.
type amount struct {
	name string
	of   func(*Counts) *int
}

// amounts are the counts of which the rules use the numbers.
var amounts = []amount{
	{"words", func(t *Counts) *int { return &t.words }}, {"calls", func(t *Counts) *int { return &t.calls }}, {"results", func(t *Counts) *int { return &t.results }},
	{"paired", func(t *Counts) *int { return &t.paired }}, {"whole", func(t *Counts) *int { return &t.whole }}, {"failed", func(t *Counts) *int { return &t.failed }},
	{"ids", func(t *Counts) *int { return &t.ids }}, {"turns", func(t *Counts) *int { return &t.turns }}, {"long", func(t *Counts) *int { return &t.long }},
	{"records", func(t *Counts) *int { return &t.records }}, {"messages", func(t *Counts) *int { return &t.messages }}, {"blank", func(t *Counts) *int { return &t.blank }},
	{"blocks", func(t *Counts) *int { return &t.blocks }}, {"usages", func(t *Counts) *int { return &t.usages }},
	{"users", func(t *Counts) *int { return &t.speakers[model.User] }}, {"assistants", func(t *Counts) *int { return &t.speakers[model.Assistant] }},
	{"systems", func(t *Counts) *int { return &t.speakers[model.System] }}, {"back", func(t *Counts) *int { return &t.back }}, {"forth", func(t *Counts) *int { return &t.forth }},
}

// versions returns counts that differ from those of a conversation, or from 0, in one amount or
// two.
func versions() (names []string, list []*Counts) {
	add := func(name string, t *Counts) { names, list = append(names, name), append(list, t) }
	add("as much", talked())
	for _, a := range amounts {
		at := *a.of(talked())
		for _, n := range []int{0, 1, 2, 3, 5, 7, 8, 9, 10, 11, 13, 14, 15, 18, 19, 20, 21} {
			if n != at {
				t := talked()
				*a.of(t) = n
				add(fmt.Sprint(a.name, " ", n), t)
			}
		}
		for _, n := range []int{1, 2, 3, 4} { // with zeros, or only messages of both sides
			t := &Counts{}
			*a.of(t) = n
			add(fmt.Sprint("only ", a.name, " ", n), t)
			t = &Counts{words: 4, messages: 4, records: 4, turns: 4, speakers: [model.Other + 1]int{model.User: 2, model.Assistant: 2}}
			*a.of(t) = n
			add(fmt.Sprint("talk with ", a.name, " ", n), t)
		}
	}
	for _, words := range []int{9, 18, 20} {
		for _, calls := range []int{1, 2, 9, 18, 20} {
			t := talked()
			t.words, t.paired = words, calls
			add(fmt.Sprint("words ", words, " paired ", calls), t)
		}
	}
	for n := range 3 {
		t := talked()
		t.words, t.open, t.texts = 5, map[string]int{}, map[uint64]bool{}
		for i := range n {
			t.open[fmt.Sprint(i)], t.texts[uint64(i)] = 0, true
		}
		add(fmt.Sprint("words 5, different calls and texts ", n), t)
	}
	add("nothing", &Counts{})
	add("talk", &Counts{words: 4, messages: 4, records: 4, turns: 4, speakers: [model.Other + 1]int{model.User: 2, model.Assistant: 2}})
	return names, list
}

// TestJudge compares conversations that differ in one amount. Each line has the properties of a
// version, alone and compared with the conversation of 10 messages and 10 calls; after the colon,
// those of the conversation compared with it. The last lines count the pairs of versions for which
// a comparison is true.
func TestJudge(t *testing.T) {
	alone := []struct {
		name string
		is   func(*Counts) bool
	}{
		{"troubled", (*Counts).Troubled}, {"complete", (*Counts).Complete}, {"blank", (*Counts).Blank}, {"wants", (*Counts).Wants},
		{"mutual", (*Counts).Mutual}, {"newest-first", (*Counts).NewestFirst}, {"conversation", (*Counts).Conversation},
		{"named-conversation", func(t *Counts) bool { n := *t; n.named = true; return n.Conversation() }},
	}
	pairs := []struct {
		name string
		is   func(t, o *Counts) bool
	}{
		{"beats", (*Counts).Beats}, {"surpasses", (*Counts).Surpasses}, {"mends", (*Counts).Mends}, {"repairs", (*Counts).Repairs}, {"exceeds", (*Counts).Exceeds},
		{"as-much-as", (*Counts).AsMuchAs}, {"holds", (*Counts).Holds}, {"rivals", (*Counts).Rivals}, {"contests", (*Counts).Contests}, {"equals", (*Counts).Equals}, {"matches", (*Counts).Matches},
	}
	names, list := versions()
	ten := talked()
	var b strings.Builder
	for i, v := range list {
		b.WriteString(names[i])
		for _, a := range alone {
			if a.is(v) {
				b.WriteString(" " + a.name)
			}
		}
		for _, side := range []struct {
			sign string
			t, o *Counts
		}{{" |", v, ten}, {" :", ten, v}} {
			b.WriteString(side.sign)
			for _, p := range pairs {
				if p.is(side.t, side.o) {
					b.WriteString(" " + p.name)
				}
			}
		}
		b.WriteString("\n")
	}
	for _, p := range pairs {
		n := 0
		for _, v := range list {
			for _, o := range list {
				if p.is(v, o) {
					n++
				}
			}
		}
		fmt.Fprintf(&b, "%s: %d of %d pairs\n", p.name, n, len(list)*len(list))
	}
	talks(&b)
	modeltest.Golden(t, "testdata/judge.golden", b.String())
}

// talks writes how many combinations of the other amounts make a conversation of some speakers.
func talks(b *strings.Builder) {
	few := []int{0, 1, 2, 3}
	for _, who := range [][3]int{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 0, 1}, {1, 1, 1}, {3, 0, 2}} {
		for _, named := range []bool{false, true} {
			n := map[string]int{}
			for i := range 1 << 12 {
				at := func(k int) int { return few[i>>(2*k)&3] }
				t := &Counts{named: named, turns: at(0), calls: at(1), paired: at(2), ids: at(3), long: at(4), results: at(2) * (1 + at(5)), words: max(who[0]+who[2], at(5)), records: 1 + at(5)}
				t.speakers[model.User], t.speakers[model.System], t.speakers[model.Assistant] = who[0], who[1], who[2]
				if t.Conversation() {
					n[fmt.Sprint(t.calls, " calls")]++
				}
			}
			fmt.Fprintf(b, "%d users, %d systems, %d assistants, named %v: conversations with %v\n", who[0], who[1], who[2], named, n)
		}
	}
}

// TestCounts counts the parts of messages, one after the other.
func TestCounts(t *testing.T) {
	say := func(role model.Role, text string) func(*model.Fact) {
		return func(f *model.Fact) { f.Role = role; f.AddText(model.Words, model.StringText(text)) }
	}
	part := func(kind model.BlockKind, id, name, text string) func(*model.Fact) {
		return func(f *model.Fact) {
			f.Role = model.Assistant
			b := f.Add(kind)
			b.ID, b.Name, b.Text = model.StringText(id), model.StringText(name), model.StringText(text)
		}
	}
	at := func(ms int64) func(*model.Fact) {
		return func(f *model.Fact) { say(model.User, "Hi")(f); f.Time.Ms = ms }
	}
	for name, c := range map[string]struct {
		facts []func(*model.Fact)
		want  string
	}{
		"both sides":             {[]func(*model.Fact){say(model.User, "Hi"), say(model.User, "Hi"), say(model.Assistant, "So it is")}, "words 3 turns 2 long 1 messages 3 blocks 3 users 2 assistants 1 texts 2"},
		"a short answer":         {[]func(*model.Fact){say(model.Assistant, "It is")}, "words 1 turns 1 messages 1 blocks 1 assistants 1 texts 1"},
		"a system":               {[]func(*model.Fact){say(model.System, "Be kind to all")}, "words 1 messages 1 blocks 1 systems 1 texts 1"},
		"no speaker":             {[]func(*model.Fact){say(model.NoRole, "Hi"), say(model.Other, "Hi"), say(model.User, " ")}, "messages 3 blank 3 blocks 2"},
		"nothing":                {[]func(*model.Fact){func(*model.Fact) {}}, "messages 1 blank 1"},
		"reasoning":              {[]func(*model.Fact){part(model.Reasoning, "", "", "So")}, "messages 1 blocks 1"},
		"another part":           {[]func(*model.Fact){part(model.OtherBlock, "", "", "So")}, "messages 1 blank 1"},
		"a call":                 {[]func(*model.Fact){part(model.ToolCall, "c1", "ls", `{"a":1}`)}, "calls 1 whole 1 ids 1 messages 1 blocks 1 open 1"},
		"a call without values":  {[]func(*model.Fact){part(model.ToolCall, "", "ls", `{}`)}, "calls 1 messages 1 blocks 1 open 1"},
		"a call without a name":  {[]func(*model.Fact){part(model.ToolCall, "", "", `{"a":1}`)}, "calls 1 messages 1 blank 1 blocks 1 open 1"},
		"a call and its results": {[]func(*model.Fact){part(model.ToolCall, "c1", "ls", `{"a":1}`), part(model.ToolResult, "c1", "", "a.txt"), part(model.ToolResult, "c1", "", "a.txt")}, "calls 1 results 1 paired 1 whole 1 ids 3 messages 3 blocks 3 open 1"},
		"a result of no call":    {[]func(*model.Fact){part(model.ToolResult, "c1", "", "a.txt"), part(model.ToolResult, "", "", "")}, "results 2 ids 1 messages 2 blank 1 blocks 2"},
		"a failure":              {[]func(*model.Fact){func(f *model.Fact) { f.Add(model.ToolResult).Outcome = model.Failure }}, "results 1 failed 1 messages 1 blank 1 blocks 1"},
		"times":                  {[]func(*model.Fact){at(5), at(5), at(0), at(4), at(6), at(3), at(0)}, "words 7 turns 1 messages 7 blocks 7 users 7 back 2 forth 1 texts 1"},
		"a note with usage":      {[]func(*model.Fact){func(f *model.Fact) { f.Op, f.Usage.Scope = model.Note, model.Each }}, "usages 1"},
	} {
		counts := &Counts{open: map[string]int{}, texts: map[uint64]bool{}}
		for _, fill := range c.facts {
			var fs model.Facts
			f := fs.Add(model.Say)
			fill(f)
			counts.fact(f)
		}
		var got []string
		for _, a := range slices.Concat(amounts, []amount{
			{"texts", func(t *Counts) *int { n := len(t.texts); return &n }},
			{"open", func(t *Counts) *int { n := len(t.open); return &n }},
		}) {
			if n := *a.of(counts); n != 0 {
				got = append(got, fmt.Sprint(a.name, " ", n))
			}
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
