package panes

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/ui/paint"
	"turns/ui/screen"
)

// contextPoint is how full the context window was at one request.
type contextPoint struct {
	id   model.ID
	Time int64
	n    int64
}

// ContextMark is what changed the context at once.
type ContextMark struct {
	At            int // before this point
	Time          int64
	Compact       bool
	Before, After int64  // tokens, 0 unknown
	Model         string // that answers from here on, of a change of the model
}

// contextRun is the context window over a run.
type contextRun struct {
	version     uint64
	Points      []contextPoint
	Marks       []ContextMark
	compactions int
	most        int64
}

// contextTracker computes a contextRun in the background, once for every version of the
// conversation that somebody looks at.
type contextTracker struct {
	h      *screen.Host
	run    *contextRun
	busy   bool
	wanted bool
}

type contextRunMsg struct {
	tracker *contextTracker
	run     *contextRun
}

// refresh is the command that computes it, nil where nothing has changed.
func (t *contextTracker) refresh() tea.Cmd {
	snap := t.h.Snap
	if !t.wanted || t.busy || snap == nil || t.h.State.Preview || t.run != nil && t.run.version == snap.Version() {
		return nil
	}
	t.busy = true
	ctx := t.h.Ctx
	return screen.Background(func() tea.Msg { return contextRunMsg{t, ContextOver(ctx, snap)} })
}

// message takes it over.
func (t *contextTracker) message(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(contextRunMsg); ok && m.tracker == t {
		t.busy, t.run = false, m.run
		return t.refresh()
	}
	return nil
}

// ContextOver walks over the requests of the main threads. It reads heads only.
func ContextOver(ctx context.Context, s *model.Snapshot) *contextRun {
	r := &contextRun{version: s.Version()}
	threads := s.Threads()
	events := s.Events()
	next := 0
	var last uint16
	for i, id := range s.LiveIDs() {
		if i&0xffff == 0 && ctx.Err() != nil {
			return r
		}
		h := s.HeadRow(id)
		if !threads[h.Thread].Main || h.Role != model.Assistant {
			continue
		}
		n, ok := query.ContextOf(s, id)
		if !ok {
			continue
		}
		row := s.RowNumber(id)
		for ; next < len(events) && s.RowNumber(events[next].At) <= row; next++ {
			if e := events[next]; e.Op == model.Compact {
				m := ContextMark{At: len(r.Points), Time: e.Time, Compact: true, After: n}
				if len(r.Points) > 0 {
					m.Before = r.Points[len(r.Points)-1].n
				}
				r.Marks = append(r.Marks, m)
				r.compactions++
			}
		}
		if h.Name != 0 && h.Flags&model.Synthetic == 0 {
			if last != 0 && last != h.Name {
				r.Marks = append(r.Marks, ContextMark{At: len(r.Points), Time: h.Time, Model: s.Name(h.Name)})
			}
			last = h.Name
		}
		r.Points = append(r.Points, contextPoint{id, h.Time, n})
		r.most = max(r.most, n)
	}
	return r
}

// Chart draws the run as columns of block characters, h lines of them and a line of times under
// them, in w cells. window is what the full height stands for, 0: the largest. Each line begins
// with a label.
func (r *contextRun) Chart(ho *screen.Host, w, h int, window int64) [][]paint.Span {
	const labels = 7
	w -= labels
	if w < 8 || h < 1 || len(r.Points) == 0 {
		return nil
	}
	top := max(window, r.most)
	cols := r.columns(w)
	var out [][]paint.Span
	for line := range h {
		label := paint.ChartLabel(line, h, top)
		var b strings.Builder
		for _, n := range cols {
			eighths := int(float64(n)/float64(top)*float64(h)*8 + 0.5)
			if n > 0 {
				eighths = max(eighths, 1)
			}
			switch here := eighths - (h-1-line)*8; {
			case here <= 0:
				b.WriteByte(' ')
			case here >= 8:
				b.WriteString("█")
			default:
				b.WriteString(string([]rune(" ▁▂▃▄▅▆▇█")[here]))
			}
		}
		out = append(out, []paint.Span{{Text: paint.FitRight(label, labels-1) + " ", Ink: paint.InkDim}, {Text: b.String(), Ink: paint.InkBar}})
	}
	return append(out, append([]paint.Span{{Text: paint.Blanks(labels)}}, r.Axis(ho, len(cols))...))
}

// columns spreads the requests over at most w columns; of several in one, the fullest counts.
func (r *contextRun) columns(w int) []int64 {
	if len(r.Points) <= w {
		w = max(len(r.Points), min(w, 3*len(r.Points)))
	}
	cols := make([]int64, w)
	for i := range cols {
		from, to := i*len(r.Points)/w, (i+1)*len(r.Points)/w
		to = max(to, from+1)
		for _, p := range r.Points[from:min(to, len(r.Points))] {
			cols[i] = max(cols[i], p.n)
		}
	}
	return cols
}

// Axis is the line under the chart: when it begins and ends, and between them what changed the
// context.
func (r *contextRun) Axis(ho *screen.Host, w int) []paint.Span {
	line := make([]paint.Span, 0, 8)
	at := 0
	put := func(col int, text string, i paint.Ink) bool {
		n := paint.Width(text)
		if col < at || col+n > w {
			return false
		}
		line = append(line, paint.Span{Text: paint.Blanks(col - at)}, paint.Span{Text: text, Ink: i})
		at = col + n
		return true
	}
	first, end := ho.Minute(r.Points[0].Time), ho.Minute(r.Points[len(r.Points)-1].Time)
	put(0, first, paint.InkDim)
	room := w - paint.Width(end) - 1
	for _, m := range r.Marks {
		col := m.At * w / len(r.Points)
		text, sign, i := "≡ "+ho.Minute(m.Time), "≡", paint.InkAccent
		if !m.Compact {
			text, sign, i = "→ "+screen.ShortModel(m.Model), "→", paint.InkAssistant
		}
		if col > 0 && col < at+1 && col+1 >= at { // beside the one before
			col = at + 1
		}
		if col+paint.Width(text) > room || !put(col, text, i) {
			if col+1 <= room {
				put(col, sign, i)
			}
		}
	}
	if at < w-paint.Width(end) {
		put(w-paint.Width(end), end, paint.InkDim)
	}
	return line
}

// told says the run in words: "131k last, 167k most, of 200k".
func (r *contextRun) told(window int64) string {
	if len(r.Points) == 0 {
		return ""
	}
	s := human.Short(r.Points[len(r.Points)-1].n) + " last, " + human.Short(r.most) + " most"
	if window > 0 {
		s += ", of " + human.Short(window)
	}
	return s
}
