// Package trace writes the timeline of a session as a trace for profile viewers such as
// Perfetto.
package trace

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"turns/export"
	"turns/model"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/lanes"
	"turns/query/redact"
)

// event is an event of the Trace Event Format, which Perfetto and Chrome open:
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU. Times are
// microseconds.
type event struct {
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	Phase string         `json:"ph"` // X: complete, M: metadata, C: counter, s and f: ends of an arrow
	Time  int64          `json:"ts"`
	Took  *int64         `json:"dur,omitempty"`
	PID   int            `json:"pid"` // the session: the first of its tracks
	TID   int            `json:"tid"`
	ID    int            `json:"id,omitempty"`
	Bind  string         `json:"bp,omitempty"` // e: an arrow ends at the event around its end
	Args  map[string]any `json:"args,omitempty"`
}

// writer writes the events of an answer, one per line.
type writer struct {
	w       *bufio.Writer
	a       *lanes.Answer
	snap    *model.Snapshot
	secrets *redact.Redactor // nil: credentials stay
	tracks  []int            // by lane: its first track
	pids    []int            // by session: its process, 0 until assigned
	ends    map[int]event    // by lane: the end of the arrow to it
	first   bool
	err     error
	report  export.Report
}

// WritePerfetto writes the lanes of a selection as a trace in JSON that ui.perfetto.dev opens: a
// process for each session, a track for each agent, and tracks for its calls. Events of a track
// must nest, so parallel calls have different tracks.
func WritePerfetto(ctx context.Context, w io.Writer, view describe.View, opts export.Options) (export.Report, error) {
	a, err := lanes.Of(ctx, view.Selection)
	if err != nil {
		return export.Report{}, err
	}
	if err := a.Describe(ctx); err != nil {
		return export.Report{}, err
	}
	t := &writer{w: bufio.NewWriterSize(w, 64<<10), a: a, snap: view.Snap, first: true, ends: map[int]event{}, pids: make([]int, len(view.Snap.Sessions()))}
	t.report.Messages = len(view.IDs)
	if opts.Redact {
		t.secrets = redact.New()
	}
	io.WriteString(t.w, `{"displayTimeUnit":"ms","traceEvents":[`) // Flush returns the first error
	t.names(ctx, opts.Title)
	for i := range a.Lanes {
		if err := ctx.Err(); err != nil {
			return t.report, err
		}
		t.lane(i)
	}
	for _, f := range a.Context {
		// Perfetto shows the name and the argument, "context tokens"
		t.put(event{Name: "context", Phase: "C", Time: micros(f.Time), PID: t.pids[f.Session], TID: t.pids[f.Session], Args: map[string]any{"tokens": f.Tokens}})
	}
	io.WriteString(t.w, "\n]}\n")
	untimed := 0
	for _, id := range view.IDs {
		if view.Snap.HeadRow(id).Time == 0 {
			untimed++
		}
	}
	t.report.NoteCount(untimed, "%s left out, because the transcript does not tell the time", "message")
	if err := t.w.Flush(); err != nil {
		return t.report, err
	}
	return t.report, t.err
}

func micros(at human.Stamp) int64 { return int64(at) * 1000 }

// text returns a text of the session for the output, without credentials if requested.
func (t *writer) text(s string) string {
	if t.secrets == nil || s == "" {
		return s
	}
	out, n := t.secrets.Redact(nil, []byte(s))
	t.report.Secrets += n
	return string(out)
}

func (t *writer) put(e event) {
	if t.err != nil {
		return
	}
	line, err := json.Marshal(e)
	if err != nil {
		t.err = fmt.Errorf("writing the event %q: %w", e.Name, err)
		return
	}
	if !t.first {
		t.w.WriteByte(',')
	}
	t.first = false
	t.w.WriteByte('\n')
	t.w.Write(line)
}

// names writes the names of sessions and tracks. Perfetto identifies a track only by its number, so
// no two tracks of the trace share one. It shows the track with the number of its process first:
// that is the first agent of a session.
func (t *writer) names(ctx context.Context, title string) {
	titles := model.NewTitles(t.snap, nil)
	t.tracks = make([]int, len(t.a.Lanes))
	next := 1
	for i := range t.a.Lanes {
		lane := &t.a.Lanes[i]
		if t.pids[lane.Session] == 0 {
			t.pids[lane.Session] = next
			name := title
			if name == "" || len(t.pids) > 1 {
				name = titles.Of(ctx, lane.Session)
			}
			name = cmp.Or(name, human.SessionOf(lane.Session))
			t.put(event{Name: "process_name", Phase: "M", PID: next, TID: next, Args: map[string]any{"name": t.text(human.OneLine(name, 200))}})
		}
		t.tracks[i] = next
		name := t.text(human.OneLine(lane.Name, 120))
		for row := range lane.Rows + 1 {
			track := name
			switch {
			case row == 1:
				track += ": calls"
			case row > 1:
				track += fmt.Sprintf(": calls %d", row)
			}
			pid := t.pids[lane.Session]
			t.put(event{Name: "thread_name", Phase: "M", PID: pid, TID: next, Args: map[string]any{"name": track}})
			t.put(event{Name: "thread_sort_index", Phase: "M", PID: pid, TID: next, Args: map[string]any{"sort_index": next}})
			next++
		}
	}
}

// lane writes the stretches of an agent, and its calls below.
func (t *writer) lane(i int) {
	lane := &t.a.Lanes[i]
	pid, tid := t.pids[lane.Session], t.tracks[i]
	for _, s := range lane.Stretches {
		if s.Kind == lanes.Idle {
			continue
		}
		took := int64(s.Took) * 1000
		t.put(event{Name: kindNames[s.Kind], Cat: s.Kind.String(), Phase: "X", Time: micros(s.From), Took: &took, PID: pid, TID: tid, Args: map[string]any{"index": t.index(i, s.Index)}})
	}
	for n := range lane.Calls {
		c := &lane.Calls[n]
		took := micros(c.End() - c.From)
		args := map[string]any{"index": t.index(i, c.Index), "outcome": c.Outcome.String(), "critical": c.Critical}
		if c.About != "" {
			args["about"] = t.text(string(c.About))
		}
		cat := "tool"
		if c.Outcome.Failed() {
			cat = "tool,error"
		}
		t.put(event{Name: t.text(c.Tool), Cat: cat, Phase: "X", Time: micros(c.From), Took: &took, PID: pid, TID: tid + 1 + c.Row, Args: args})
		if c.Lane != nil {
			t.arrow(c, event{PID: pid, TID: tid + 1 + c.Row})
		}
	}
	if end, ok := t.ends[i]; ok {
		t.put(end)
	}
}

// index returns the position of a message. Messages of a subagent with a separate transcript
// have none: it returns the position of the message that started the subagent.
func (t *writer) index(lane int, at human.Index) human.Index {
	for at < 0 && t.a.Lanes[lane].Parent != nil {
		at, lane = t.a.Lanes[lane].StartedBy, *t.a.Lanes[lane].Parent
	}
	return at
}

// arrow draws an arrow from a call to the work of the subagent that it started. Perfetto attaches
// each end to the event around it, which must be before it in the file: the other end is written
// after the events of the subagent's lane, which follow later. A subagent without timed work has no
// arrow.
func (t *writer) arrow(c *lanes.Call, from event) {
	child := &t.a.Lanes[*c.Lane]
	n := slices.IndexFunc(child.Stretches, func(s lanes.Stretch) bool { return s.Kind != lanes.Idle && s.To > max(s.From, c.From) })
	if _, twice := t.ends[*c.Lane]; n < 0 || twice || c.End() <= c.From {
		return
	}
	from.Name, from.Cat, from.Phase, from.Time, from.ID = "starts", "agent", "s", micros(c.From), *c.Lane+1
	t.put(from)
	to := from
	to.Phase, to.Bind, to.Time = "f", "e", micros(max(child.Stretches[n].From, c.From))
	to.PID, to.TID = t.pids[child.Session], t.tracks[*c.Lane]
	t.ends[*c.Lane] = to
}

var kindNames = map[lanes.Kind]string{lanes.Model: "model", lanes.Tools: "tools", lanes.Asked: "waits for an answer", lanes.User: "waits for a prompt"}
