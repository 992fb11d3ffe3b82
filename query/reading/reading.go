// Package reading shows a conversation for reading: prompts and answers in full, one quiet line for
// the work between them, and errors.
package reading

import (
	"cmp"
	"context"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
)

// Kind is the kind of a [Passage].
type Kind uint8

// The kinds of passages.
const (
	Prompt  Kind = iota // text of the user
	Answer              // text of the model
	Work                // reasoning, tool calls and the rest between two texts, in one line
	Failure             // a failed call or answer, in one line
)

// Passage is a piece of a conversation.
type Passage struct {
	Kind  Kind
	ID    model.ID // its first message
	Turn  int      // its turn, query.NoTurn before the first
	Opens bool     // a prompt that opens its turn
	Time  int64    // Unix milliseconds, 0 if not recorded
	Model string   // of an answer, "" if not recorded
	// Text is Markdown for prompts and answers, one line for all others. It is cleaned.
	Text string
	// Steps are the rows of a Work passage, one for each reasoning and call.
	Steps []string
}

// Of calls each with every passage of a view, in order, and ends with its first error. It skips
// messages of subagents, injected text and events. An unreadable message becomes a Failure, and a
// command that the user typed (/init) a Prompt.
func Of(ctx context.Context, view describe.View, turns *query.TurnIndex, each func(Passage) error) error {
	r := reader{pairs: query.NewPairs(view.Snap), turns: turns, each: each, describers: map[uint32]describe.Describer{}}
	for _, id := range view.IDs {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := view.Snap.HeadRow(id)
		if h.Op != model.Say || !view.Snap.Threads()[h.Thread].Main {
			continue
		}
		if h.Flags&model.Injected != 0 {
			if err := r.typed(ctx, id, h); err != nil {
				return err
			}
			continue
		}
		if err := r.message(ctx, view, id, h); err != nil {
			return err
		}
	}
	return r.flush()
}

// typed passes on the command that the user typed, if a message from a program names one.
func (r *reader) typed(ctx context.Context, id model.ID, h *model.Head) error {
	if h.Role != model.User {
		return nil
	}
	m, err := r.pairs.Body(ctx, id)
	if err != nil {
		return ctx.Err() // messages from programs are skipped anyway
	}
	for i := range m.Blocks {
		command := model.CalledCommand(model.Clean(m.Blocks[i].Text))
		if command == "" {
			continue
		}
		if err := r.flush(); err != nil {
			return err
		}
		return r.each(Passage{Kind: Prompt, ID: id, Turn: r.turns.Turn(id), Opens: h.Flags&model.Prompt != 0, Time: h.Time, Text: command})
	}
	return nil
}

// All returns the passages of Of.
func All(ctx context.Context, view describe.View, turns *query.TurnIndex) (all []Passage, err error) {
	err = Of(ctx, view, turns, func(p Passage) error {
		all = append(all, p)
		return nil
	})
	return all, err
}

type reader struct {
	pairs      *query.Pairs
	turns      *query.TurnIndex
	each       func(Passage) error
	describers map[uint32]describe.Describer // by session
	work       work
	failures   []Passage // failures of the work, shown after it
}

// work is the work since the last text.
type work struct {
	begins   Passage
	any      bool
	thoughts int
	counts   [len(familyWords)]int
	tools    map[string]int // calls of tools without a family
	order    []string       // of tools
	others   int            // images and similar
}

func (r *reader) message(ctx context.Context, view describe.View, id model.ID, h *model.Head) error {
	s := view.Snap
	begins := Passage{ID: id, Turn: r.turns.Turn(id), Time: h.Time}
	session := s.Threads()[h.Thread].Session
	d, ok := r.describers[session]
	if !ok {
		d = describe.NewDescriber(&s.Sessions()[session])
		r.describers[session] = d
	}
	lines, err := d.Message(ctx, r.pairs, id)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		begins.Kind, begins.Text = Failure, "cannot be read: "+human.OneLine(err.Error(), describe.LineMax)
		r.failures = append(r.failures, begins)
		return nil
	}
	m, err := r.pairs.Body(ctx, id)
	if err != nil {
		return err
	}
	for i := range lines {
		if err := r.line(view, m, &lines[i], begins, h); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) line(view describe.View, m *model.Message, line *describe.Line, begins Passage, h *model.Head) error {
	switch line.Kind {
	case describe.LineUser, describe.LineAssistant:
		if line.Block < 0 || line.Block >= len(m.Blocks) {
			break
		}
		if err := r.flush(); err != nil {
			return err
		}
		begins.Kind, begins.Opens = Prompt, h.Flags&model.Prompt != 0
		if line.Kind == describe.LineAssistant {
			begins.Kind, begins.Opens, begins.Model = Answer, false, m.Model
		}
		begins.Text = model.Clean(m.Blocks[line.Block].Text)
		if line.State == model.Failure {
			begins.Kind, begins.Text = Failure, strings.TrimSpace(line.About+" "+line.Outcome)
		}
		return r.each(begins)
	case describe.LineReasoning:
		r.step(begins, line)
		r.work.thoughts++
	case describe.LineCall:
		if !view.ShowsCall(line.Call) {
			return nil
		}
		r.step(begins, line)
		r.work.call(line)
		if line.State.Failed() {
			begins.Kind, begins.Text = Failure, stepText(line)
			r.failures = append(r.failures, begins)
		}
	case describe.LineSystem, describe.LineInjected:
	default:
		r.step(begins, line)
		r.work.others++
	}
	return nil
}

// step adds a row to the work.
func (r *reader) step(begins Passage, line *describe.Line) {
	if !r.work.any {
		r.work.begins, r.work.any = begins, true
		r.work.begins.Kind = Work
	}
	r.work.begins.Steps = append(r.work.begins.Steps, stepText(line))
}

// stepText returns a row of the timeline as one line.
func stepText(line *describe.Line) string {
	text := line.Word + " " + line.About
	if line.Outcome != "" {
		text += ": " + strings.TrimPrefix(line.Outcome, "error · ") // the sign shows the error
	}
	return human.OneLine(strings.TrimSpace(line.Glyph()+" "+text), describe.LineMax)
}

// flush passes on the work since the last text, and its failures.
func (r *reader) flush() error {
	if r.work.any {
		p := r.work.begins
		p.Text = r.work.text(len(r.failures))
		if err := r.each(p); err != nil {
			return err
		}
	}
	for _, p := range r.failures {
		if err := r.each(p); err != nil {
			return err
		}
	}
	r.work, r.failures = work{}, nil
	return nil
}

// familyWords are the words for counts of calls in a family: a verb, and its object in singular and
// plural.
var familyWords = [...]struct{ verb, one, many string }{
	describe.FamilyRead:     {"read", "file", "files"},
	describe.FamilyWrite:    {"edited", "file", "files"},
	describe.FamilyShell:    {"ran", "command", "commands"},
	describe.FamilySearch:   {"made", "search", "searches"},
	describe.FamilyWeb:      {"fetched", "page", "pages"},
	describe.FamilyAgent:    {"started", "subagent", "subagents"},
	describe.FamilyTodo:     {"made", "change to the plan", "changes to the plan"},
	describe.FamilyQuestion: {"asked", "question", "questions"},
	describe.FamilyOther:    {},
}

// familyOrder is the order in which the families are counted.
var familyOrder = [...]describe.Family{describe.FamilyRead, describe.FamilySearch, describe.FamilyWrite, describe.FamilyShell,
	describe.FamilyWeb, describe.FamilyAgent, describe.FamilyTodo, describe.FamilyQuestion}

func (w *work) call(line *describe.Line) {
	if int(line.Family) < len(familyWords) && familyWords[line.Family].verb != "" {
		w.counts[line.Family]++
		return
	}
	name := cmp.Or(line.Word, "tool")
	if w.tools == nil {
		w.tools = map[string]int{}
	}
	if w.tools[name] == 0 {
		w.order = append(w.order, name)
	}
	w.tools[name]++
}

// text describes the work: "thought · read 9 files · edited 3 files · 1 failed".
func (w *work) text(failures int) string {
	var parts []string
	if w.thoughts > 0 {
		parts = append(parts, "thought")
	}
	for _, f := range familyOrder {
		if n := w.counts[f]; n > 0 {
			words := familyWords[f]
			parts = append(parts, words.verb+" "+human.Plural(n, words.one, words.many))
		}
	}
	for _, name := range w.order {
		text := "called " + human.OneLine(name, 40)
		if n := w.tools[name]; n > 1 {
			text += " ×" + human.Count(n)
		}
		parts = append(parts, text)
	}
	if w.others > 0 {
		parts = append(parts, human.Plural(w.others, "attachment", "attachments"))
	}
	if failures > 0 {
		parts = append(parts, human.Count(failures)+" failed")
	}
	return strings.Join(parts, " · ")
}
