package runs

import (
	"cmp"
	"slices"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
)

// The weights of open threads; of equally old ones the heaviest comes first.
const (
	weightQuestion = 5 // also of a tool that asks the user
	weightPrompt   = 5
	weightDoing    = 4 // a todo in progress
	weightCall     = 3
	weightTodo     = 3
	weightError    = 2
)

func (w *contWalk) open(c *contSession, kind, text string, id model.ID, weight float64) {
	h := w.snap.HeadRow(id)
	at := cmp.Or(human.Stamp(h.Time), c.End)
	for i := range c.Open {
		if t := &c.Open[i]; t.ID == id && t.Kind == kind && t.Text == text {
			t.Times++
			return
		}
	}
	c.Open = append(c.Open, OpenThread{
		Kind: kind, Text: text, Source: c.Source, Session: c.Session, Index: human.Index(w.snap.Pos(id)), ID: id, Time: at, Times: 1, Weight: weight, Several: c.Several,
	})
}

// calls counts calls and finds those that are open, failed without a later success, or have a todo
// list. It walks backwards, because later calls decide.
func (w *contWalk) calls() error {
	s := w.snap
	fails := make([]bool, len(s.Names())) // tools that failed at least once
	for i := range s.CallCount() {
		if c := s.Call(model.CallID(i)); c.Outcome.Failed() && c.Flags&model.Carries == 0 {
			fails[c.Tool] = true
		}
	}
	v := contCalls{contWalk: w, read: query.NewPairs(s), fixed: map[contKind]bool{}, todos: make([]bool, len(w.sessions)), fails: fails}
	for i := s.CallCount() - 1; i >= 0; i-- {
		if i&1023 == 0 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		if err := v.call(model.CallID(i)); err != nil {
			return err
		}
	}
	return nil
}

// contKind identifies the kind of a call: the tool, and for a shell the program, for others the
// file.
type contKind struct {
	session uint32
	tool    uint16
	about   string
}

type contCalls struct {
	*contWalk
	read  *query.Pairs
	fixed map[contKind]bool
	todos []bool // the last list of the session was read
	fails []bool
}

// count counts a call on its day. A result without a call can also fail.
func (v *contCalls) count(c *model.Call) {
	h := v.snap.HeadRow(c.Place())
	d := v.share(&v.sessions[v.snap.Threads()[h.Thread].Session], h.Time)
	if c.Msg != model.NoID {
		d.Calls++
		d.tools[query.ToolName(v.snap, c)]++
	}
	if c.Outcome.Failed() {
		d.Errors++
	}
}

func (v *contCalls) call(id model.CallID) error {
	s := v.snap
	c := s.Call(id)
	if s.Counted(c) {
		v.count(c)
	}
	if c.Msg == model.NoID {
		return nil
	}
	if c.Flags&model.Carries != 0 && !query.Pending(c) { // the calls inside it count
		return nil
	}
	h := s.HeadRow(c.Msg)
	th := &s.Threads()[h.Thread]
	if h.Flags&model.Rewound != 0 || th.Apart {
		return nil
	}
	se := &v.sessions[th.Session]
	d := v.share(se, h.Time)
	family := v.families[c.Tool]
	pending := query.Pending(c) && h.Flags&model.OffBranch == 0
	todo := family == describe.FamilyTodo && !v.todos[th.Session] && th.Main
	if !pending && !todo && !v.fails[c.Tool] && family != describe.FamilyWrite {
		return nil
	}
	read, err := v.read.Read(v.ctx, id)
	if err != nil || read.Call == nil {
		return err
	}
	line := describe.NewDescriber(&s.Sessions()[th.Session]).Call(read.Call, read.Result, read.Row)
	if family == describe.FamilyWrite {
		if p := line.About[line.Path[0]:line.Path[1]]; p != "" && len(d.Files) < filesKept && !slices.Contains(d.Files, p) {
			d.Files = append(d.Files, p)
		}
	}
	about := strings.TrimSpace(line.Word + " " + line.About)
	switch {
	case pending && family == describe.FamilyQuestion:
		v.open(se, OpenQuestion, line.About, c.Msg, weightQuestion)
	case pending:
		v.open(se, OpenCall, about, c.Msg, weightCall)
	case todo:
		if v.listTodos(se, c.Msg, read.Call) {
			v.todos[th.Session] = true
		}
	}
	if v.fails[c.Tool] {
		v.outcome(se, d, c, &line, th.Session, about)
	}
	return nil
}

// outcome records whether a call of the kind succeeded, and opens a thread for a failed one without
// a later success.
func (v *contCalls) outcome(se *contSession, d *DayShare, c *model.Call, line *describe.Line, session uint32, about string) {
	kind := contKind{session, c.Tool, line.About[line.Path[0]:line.Path[1]]}
	if line.Family == describe.FamilyShell {
		words := strings.Fields(line.About)
		kind.about = strings.Join(words[:min(len(words), 2)], " ")
	}
	switch {
	case c.Outcome == model.Success || c.Outcome == model.Half:
		v.fixed[kind] = true
	case c.Outcome == model.Cancelled || line.Family == describe.FamilyShell && foundNothing(line):
		// The failed call next to it has the reason; a search without a match is not a problem.
	case c.Outcome.Failed():
		text := about
		if line.Outcome != "" {
			text += ": " + line.Outcome
		}
		v.moment(d, momentError, text, c.Msg)
		if !v.fixed[kind] {
			v.open(se, OpenError, text, c.Msg, weightError)
			v.fixed[kind] = true // the last one represents those before
		}
	}
}

// foundNothing reports whether a command is only a search or a comparison that ended with 1: it
// found nothing, or a difference.
func foundNothing(line *describe.Line) bool {
	if line.Outcome != "exit 1" && !strings.HasPrefix(line.Outcome, "exit 1 ") || strings.ContainsAny(line.About, ";&|") {
		return false
	}
	program, _, _ := strings.Cut(line.About, " ")
	switch program {
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "pgrep", "diff", "cmp", "test", "[", "which":
		return true
	}
	return false
}

// todoWeights are the weights of unfinished states.
var todoWeights = map[describe.TodoState]float64{describe.TodoOpen: weightTodo, describe.TodoNow: weightDoing}

// listTodos opens a thread for every unfinished item of a list; false if the call has no list.
func (w *contWalk) listTodos(c *contSession, id model.ID, call *model.Content) bool {
	args := describe.ParseArgs(call)
	items := args.Todos(256)
	for _, todo := range items {
		weight := todoWeights[todo.State]
		if text, _ := describe.FirstLine(todo.Text); text != "" && weight > 0 {
			w.open(c, OpenTodo, text, id, weight)
		}
	}
	return len(items) > 0
}

// endings examines the end of a conversation for a question, or an unanswered prompt.
func (w *contWalk) endings(c *contSession) error {
	for _, id := range c.waiting {
		m, err := w.snap.Body(w.ctx, id)
		if err != nil {
			return err
		}
		if text := describe.FirstWords(m); text != "" {
			w.open(c, OpenPrompt, text, id, weightPrompt)
		}
	}
	if c.last == model.NoID {
		return nil
	}
	m, err := w.snap.Body(w.ctx, c.last)
	if err != nil {
		return err
	}
	text, null := m.Content()
	if null {
		return nil
	}
	c.LastWords = human.TextOrNull(lastLine(text))
	if len(c.waiting) == 0 && w.snap.HeadRow(c.last).Flags&model.HasCalls == 0 && asks(string(c.LastWords)) {
		w.open(c, OpenQuestion, string(c.LastWords), c.last, weightQuestion)
	}
	return nil
}

// asks reports whether a line has a question: a question mark at its end or at the end of a
// sentence, not within a link.
func asks(line string) bool {
	line = strings.TrimRight(line, " *_`\"')]")
	return strings.HasSuffix(line, "?") || strings.HasSuffix(line, "？") || strings.Contains(line, "? ") && !strings.Contains(line, "](")
}

// lastLine returns the last informative line of a text.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	for range 64 {
		i := strings.LastIndexByte(text, '\n')
		if line := describe.PlainMarkdown(human.OneLine(text[i+1:], describe.LineMax)); line != "" && !strings.HasPrefix(line, "```") {
			return line
		}
		if i < 0 {
			return ""
		}
		text = strings.TrimSpace(text[:i])
	}
	return ""
}
