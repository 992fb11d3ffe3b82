package query

import (
	"slices"

	"turns/model"
)

// TurnIndex knows the turn of every row of a snapshot.
//
// A user message opens a turn, and the answers up to the next one belong to it. A system message,
// or text that a program wrote as the user, belongs to the turn of the next message: it opens one
// after an answer, a message with text and without calls. In a turn without a message to the model,
// and in a list without times, where a compaction may have removed it, each answer is the last;
// messages with only reasoning do not count. The messages of a subagent belong to the turn of the
// call that started it. The turns of later sessions continue the numbering.
type TurnIndex struct {
	version uint64
	live    []model.ID
	rows    pages[turnRow] // by model.ID
	first   []model.ID     // by turn
	threads []model.CallID // the call of each thread when it was indexed
	mark    turnMark       // where Extend continues
}

// turnRow is a row's turn and step, and the properties of its head that decide about turns.
type turnRow struct {
	turn, step uint32 // plus one; 0 for none
	sign       uint32
}

// turnMark is the state of the walk before the message at position pos. It is slightly before the
// end, because a transcript grows in its last messages.
type turnMark struct {
	pos    int
	turns  int
	states []turnState // by session
	agents []turnRow   // by thread; the turn of subagents
}

// For speed only: turnMarkBehind is how far the mark is before the end.
const turnMarkBehind = 256

// turnState is the current turn of a session.
type turnState struct {
	turn, step uint32 // plus one
	text       bool   // it has text of an assistant
	called     bool   // the assistant message before called tools
	asked      bool   // a message to the model opened it
	waiting    []model.ID
}

// NoTurn is the turn of rewound rows and of bookkeeping.
const NoTurn = -1

// NewTurnIndex numbers the turns of the live messages of a snapshot, from 0.
func NewTurnIndex(s *model.Snapshot) *TurnIndex {
	t := &TurnIndex{}
	t.mark.states = make([]turnState, len(s.Sessions()))
	t.mark.agents = make([]turnRow, len(s.Threads()))
	t.walk(s)
	return t
}

// Extend returns the index of a later snapshot of the same conversation; t does not change. It
// examines only the new messages and the last ones before, unless older ones changed.
func (t *TurnIndex) Extend(s *model.Snapshot) *TurnIndex {
	if t == nil || !t.extends(s) {
		return NewTurnIndex(s)
	}
	next := &TurnIndex{rows: t.rows.fork(), mark: t.mark.clone()}
	next.first = slices.Clone(t.first[:t.mark.turns])
	for len(next.mark.states) < len(s.Sessions()) {
		next.mark.states = append(next.mark.states, turnState{})
	}
	for len(next.mark.agents) < len(s.Threads()) {
		next.mark.agents = append(next.mark.agents, turnRow{})
	}
	for pos := t.mark.pos; pos < len(t.live); pos++ { // walk handles these rows again
		*next.rows.at(int(t.live[pos])) = turnRow{}
	}
	next.walk(s)
	return next
}

// extends reports whether all changes since t was made are after its mark.
func (t *TurnIndex) extends(s *model.Snapshot) bool {
	live, at := s.LiveIDs(), t.mark.pos
	if s.Version() < t.version || len(live) < at || len(s.Threads()) < len(t.threads) {
		return false
	}
	for i, call := range t.threads {
		if s.Threads()[i].Call != call {
			return false
		}
	}
	if at > 0 && &live[0] != &t.live[0] && !slices.Equal(live[:at], t.live[:at]) {
		return false
	}
	for id := range s.Changed(t.version) {
		if int(id) >= t.rows.n {
			break
		}
		if turnSign(s.HeadRow(id)) == t.rows.row(int(id)).sign {
			continue
		}
		if pos := s.Pos(id); pos >= 0 && pos < at {
			return false
		}
	}
	return true
}

func (m *turnMark) clone() turnMark {
	c := turnMark{m.pos, m.turns, slices.Clone(m.states), slices.Clone(m.agents)}
	for i := range c.states {
		c.states[i].waiting = slices.Clone(c.states[i].waiting)
	}
	return c
}

// turnSign encodes the properties of a head that decide about turns.
func turnSign(h *model.Head) uint32 {
	sign := uint32(h.Role) | h.Thread<<16
	for i, f := range [...]model.Flags{model.Prompt, model.HasWords, model.HasCalls, model.HasReasoning, model.SpanTold} {
		if h.Flags&f != 0 {
			sign |= 1 << (8 + i)
		}
	}
	if h.Time == 0 {
		sign |= 1 << 15
	}
	return sign
}

// walk continues from the mark to the end.
func (t *TurnIndex) walk(s *model.Snapshot) {
	t.version, t.live = s.Version(), s.LiveIDs()
	for _, th := range s.Threads() {
		t.threads = append(t.threads, th.Call)
	}
	t.rows.grow(s.Rows(), turnRow{})
	w := turnWalk{s: s, t: t, threads: s.Threads(), at: t.mark.clone()}
	markAt := max(t.mark.pos, len(t.live)-turnMarkBehind)
	for pos := t.mark.pos; pos < len(t.live); pos++ {
		if pos == markAt {
			w.at.pos, w.at.turns = pos, len(t.first)
			t.mark = w.at.clone()
		}
		w.message(t.live[pos])
	}
	for i := range w.at.states {
		if st := &w.at.states[i]; len(st.waiting) > 0 {
			w.open(st, st.waiting[0])
			w.settle(st)
		}
	}
}

type turnWalk struct {
	s       *model.Snapshot
	t       *TurnIndex
	threads []model.Thread
	at      turnMark
}

func (w *turnWalk) message(id model.ID) {
	h := w.s.HeadRow(id)
	th := &w.threads[h.Thread]
	st := &w.at.states[th.Session]
	if !th.Main {
		w.agent(id, h, th, st)
		return
	}
	switch {
	case h.Role == model.User && h.Flags&model.Prompt != 0:
		w.open(st, id)
	case h.Role == model.Tool || h.Flags&model.SpanTold != 0: // neither is a response of the model
		if st.turn == 0 {
			w.open(st, id)
		}
	case h.Role == model.Assistant:
		answered := st.text && !st.called
		listed := h.Time == 0 && h.Flags&model.HasCalls == 0
		if st.turn == 0 || answered && (!st.asked || len(st.waiting) > 0 || listed) {
			w.open(st, id)
		}
		st.step++
		st.text = st.text || h.Flags&model.HasWords != 0
		if h.Flags&(model.HasWords|model.HasCalls|model.HasReasoning) != model.HasReasoning {
			st.called = h.Flags&model.HasCalls != 0
		}
	case h.Role == model.System || h.Role == model.Developer || h.Role == model.User || st.turn == 0:
		st.waiting = append(st.waiting, id)
		w.t.rows.at(int(id)).sign = turnSign(h)
		return
	}
	w.settle(st)
	w.put(id, h, st.turn, st.step)
}

// agent puts a subagent's message into the turn of the call that started it.
func (w *turnWalk) agent(id model.ID, h *model.Head, th *model.Thread, st *turnState) {
	at := &w.at.agents[h.Thread]
	if at.turn == 0 {
		if uint32(th.Call) != model.NoRow {
			if msg := w.s.Call(th.Call).Msg; msg != model.NoID {
				row := w.t.rows.row(int(msg))
				at.turn, at.step = row.turn, row.step
			}
		}
		if at.turn == 0 {
			if st.turn == 0 {
				w.open(st, id)
				w.settle(st)
			}
			at.turn, at.step = st.turn, st.step
		}
	}
	w.put(id, h, at.turn, at.step)
}

func (w *turnWalk) open(st *turnState, id model.ID) {
	st.asked = w.s.HeadRow(id).Flags&model.Prompt != 0
	if len(st.waiting) > 0 {
		id = st.waiting[0]
	}
	for _, before := range st.waiting {
		st.asked = st.asked || w.s.HeadRow(before).Role == model.User
	}
	w.t.first = append(w.t.first, id)
	st.turn, st.step, st.text, st.called = uint32(len(w.t.first)), 0, false, false
}

// settle assigns the waiting messages to the current turn.
func (w *turnWalk) settle(st *turnState) {
	for _, id := range st.waiting {
		w.put(id, w.s.HeadRow(id), st.turn, st.step)
	}
	st.waiting = st.waiting[:0]
}

func (w *turnWalk) put(id model.ID, h *model.Head, turn, step uint32) {
	*w.t.rows.at(int(id)) = turnRow{turn, step, turnSign(h)}
}

// Len returns the number of turns.
func (t *TurnIndex) Len() int { return len(t.first) }

// Turn returns the turn of a row, or NoTurn.
func (t *TurnIndex) Turn(id model.ID) int {
	if int(id) >= t.rows.n {
		return NoTurn
	}
	return int(t.rows.row(int(id)).turn) - 1
}

// Step returns the number of a row's response within its turn, or -1 for a prompt and rows before
// the first response.
func (t *TurnIndex) Step(id model.ID) int {
	if int(id) >= t.rows.n {
		return -1
	}
	return int(t.rows.row(int(id)).step) - 1
}

// First returns the message that opens a turn: the prompt, or the context before it.
func (t *TurnIndex) First(turn int) model.ID {
	if turn < 0 || turn >= len(t.first) {
		return model.NoID
	}
	return t.first[turn]
}
