package take

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"turns/export"
	"turns/export/people"
	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/human"
	"turns/query/reading"
	"turns/query/redact"
	"turns/query/window"
	"turns/ui/screen"
)

// exportView returns the view for an export.
func (d *Desk) exportView(ctx context.Context, what exportContent) describe.View {
	h := d.H
	switch what {
	case exportSelection:
		return d.takenView(ctx)
	case ExportItem:
		id, call := h.Rows.Selected()
		return d.itemView(ctx, id, call)
	case ExportTurn:
		return describe.NewView(query.Selection{Snap: h.Snap, IDs: d.turnMessages()}, nil)
	case ExportContext:
		return describe.NewView(query.Selection{Snap: h.Snap, IDs: d.contextMessages()}, nil)
	case ExportView, ExportReading:
		if h.View.On && h.View.Result != nil {
			return describe.NewView(h.View.Result.Selection(h.Snap), h.View.Result)
		}
	}
	return describe.NewView(query.Everything(h.Snap), nil)
}

// match returns the result of the filter, nil if the screen shows messages in full.
func (d *Desk) match() *filter.Result {
	h := d.H
	if h.View.On && h.View.Around == 0 {
		return h.View.Result
	}
	return nil
}

// takenView returns the rows selected with v, without the rest of their messages. If a result
// cannot be read, it returns the full messages.
func (d *Desk) takenView(ctx context.Context) describe.View {
	var rows []describe.ChosenRow
	for _, r := range d.H.Rows.LabelRows() {
		row := describe.ChosenRow{ID: r.Key.ID, Call: r.Call, Block: -1}
		switch r.Key.Kind {
		case screen.RowLine, screen.RowNote, screen.RowRule, screen.RowStep:
		default:
			continue // a rule made by the screen
		}
		if r.Key.Kind == screen.RowLine && r.Line != nil {
			row.Block = r.Line.Block
		}
		rows = append(rows, row)
	}
	if view, err := describe.NewRowsView(ctx, d.H.Snap, rows); err == nil {
		return view
	}
	return describe.NewView(d.H.Rows.Taken(), d.match())
}

// itemView returns one row: a message, or a call with its result, without the rest of their
// messages.
func (d *Desk) itemView(ctx context.Context, id model.ID, call model.CallID) describe.View {
	if call != screen.NoCall {
		if view, err := describe.NewRowsView(ctx, d.H.Snap, []describe.ChosenRow{{ID: id, Call: call}}); err == nil {
			return view
		}
	}
	sel := query.Selection{Snap: d.H.Snap}
	if id != model.NoID {
		sel.IDs = []model.ID{id}
	}
	return describe.NewView(sel, nil)
}

// turn returns the turn of the cursor, in a subagent that of its call; query.NoTurn for none.
func (d *Desk) turn() int {
	id, _ := d.H.Rows.Selected()
	if d.H.Turns == nil || id == model.NoID {
		return query.NoTurn
	}
	threads := d.H.Snap.Threads()
	for range threads {
		th := &threads[d.H.Snap.HeadRow(id).Thread]
		if th.Main || th.Call == screen.NoCall || d.H.Snap.Call(th.Call).Msg == model.NoID {
			break
		}
		id = d.H.Snap.Call(th.Call).Msg
	}
	return d.H.Turns.Turn(id)
}

// turnName names the turn of the cursor: "turn 3".
func (d *Desk) turnName(space string) string {
	if n := d.turn(); n >= 0 {
		return fmt.Sprintf("turn%s%d", space, n)
	}
	return "no" + space + "turn"
}

// turnMessages returns the messages of the turn at the cursor.
func (d *Desk) turnMessages() (ids []model.ID) {
	n := d.turn()
	for _, id := range d.H.Snap.LiveIDs() {
		if d.H.Turns != nil && d.H.Turns.Turn(id) == n {
			ids = append(ids, id)
		}
	}
	return ids
}

// contextAt returns the last message of the context: that of the cursor, for a call that of its
// result.
func (d *Desk) contextAt() model.ID {
	id, call := d.H.Rows.Selected()
	if call != screen.NoCall {
		if answer := d.H.Snap.Call(call).Result; answer != model.NoID {
			return answer
		}
	}
	return id
}

// contextEnd returns the position from which results are unknown at the cursor. The model saw the
// results of all calls of a message together.
func (d *Desk) contextEnd() int {
	end := d.H.Snap.Pos(d.contextAt()) + 1
	if id, call := d.H.Rows.Selected(); call != screen.NoCall && id != model.NoID {
		for _, c := range d.H.Snap.Calls(id) {
			if c.Result != model.NoID {
				end = max(end, d.H.Snap.Pos(c.Result)+1)
			}
		}
	}
	return end
}

// contextName describes the end of the context.
func (d *Desk) contextName() string {
	if n := d.H.Snap.Pos(d.contextAt()); n >= 0 {
		return "context up to " + human.Place(n)
	}
	return "context up to here"
}

// contextMessages returns the messages that the model had seen at the cursor, and the message
// there.
func (d *Desk) contextMessages() []model.ID {
	at := d.contextAt()
	if at == model.NoID {
		return nil
	}
	ids := window.NewIndex(d.H.Snap, d.H.Tokens).Seen(at)
	if n := len(ids); n == 0 || ids[n-1] != at {
		ids = append(ids, at)
	}
	return ids
}

// requestFormat returns the request format of the provider, from the session's model name.
func (d *Desk) requestFormat() string {
	name := strings.ToLower(d.H.Session().Field("model"))
	for _, known := range [...]struct{ model, format string }{{"claude", "anthropic"}, {"gemini", "gemini"}} {
		if strings.Contains(name, known.model) {
			return known.format
		}
	}
	return "openai"
}

// readingFormat returns the format of the reading mode.
func readingFormat() export.Format {
	return export.Anonymizing(export.Format{Name: "markdown", Ext: ".md", People: true,
		Write: func(ctx context.Context, w io.Writer, view describe.View, opts export.Options) (export.Report, error) {
			var b bytes.Buffer
			if err := reading.Markdown(ctx, &b, view, query.NewTurnIndex(view.Snap), reading.Options{Zone: opts.Zone}); err != nil {
				return export.Report{}, err
			}
			text, report := b.String(), export.Report{Messages: view.Len()}
			if opts.Redact {
				text, report.Secrets = redact.New().RedactString(text)
			}
			people.NoteLimits(&report, text)
			if _, err := io.WriteString(w, text); err != nil {
				return report, fmt.Errorf("writing the conversation: %w", err)
			}
			return report, nil
		}})
}
