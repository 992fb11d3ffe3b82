package parquet

import (
	"cmp"
	"slices"

	"turns/model"
	"turns/query/label"
)

// labelsOf returns the annotations of a message, in one line.
func (p *pen) labelsOf(id model.ID) string {
	return p.line(p.in.Labels.At(id), func(l *label.Placed) bool { return l.Call == model.CallID(model.NoRow) })
}

// labelsOfCall returns the annotations of a call.
func (p *pen) labelsOfCall(at model.ID, call model.CallID) string {
	return p.line(p.in.Labels.At(at), func(l *label.Placed) bool { return l.Call == call })
}

func (p *pen) ofRun() string {
	if len(p.in.IDs) == 0 {
		return ""
	}
	return p.line(p.in.Labels.OfRun(p.session()), func(*label.Placed) bool { return true })
}

func (p *pen) session() uint32 { return p.snap.Threads()[p.snap.HeadRow(p.in.IDs[0]).Thread].Session }

func (p *pen) line(placed []*label.Placed, wanted func(*label.Placed) bool) string {
	some := slices.DeleteFunc(placed, func(l *label.Placed) bool { return !wanted(l) })
	if len(some) == 0 {
		return ""
	}
	return p.clean(label.Join(label.Marks(some)))
}

// addLabels adds the rows for the annotations of the session.
func (p *pen) addLabels() {
	if len(p.in.IDs) == 0 {
		return
	}
	for _, l := range p.in.Labels.All() {
		if l.Session != p.session() || l.ID != model.NoID && p.snap.Pos(l.ID) < 0 {
			continue
		}
		row := labelRow{TranscriptID: p.id, MessageIndex: -1, Scope: string(l.Scope), Kind: string(l.Kind), Name: l.Name, Text: p.clean(l.Text), By: l.By}
		switch {
		case l.ID != model.NoID:
			row.MessageIndex = int64(p.snap.Pos(l.ID))
		case l.Scope == label.OfMessage:
			row.Scope = string(label.OfRun)
		}
		row.Scope = cmp.Or(row.Scope, "message")
		if l.At != nil {
			row.ToolCallID = l.At.Call
		}
		if n, ok := l.Number(); ok {
			row.Value = &n
		}
		if !l.Time.IsZero() {
			row.Time = l.Time.UnixMilli()
		}
		p.labels = append(p.labels, row)
		p.total.Labels++
	}
}
