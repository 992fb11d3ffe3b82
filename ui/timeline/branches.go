package timeline

import (
	"fmt"
	"slices"

	"turns/model"
	"turns/query/human"
	"turns/ui/paint"
)

// beginsSession reports whether a slot starts another session than the slot before; files of
// results contain many sessions.
func (l *List) beginsSession(slot int, h *model.Head) bool {
	if !l.h.Snap.Several() {
		return false
	}
	of := func(thread uint32) (uint32, bool) {
		t := l.Thread(thread)
		if t == nil || !t.Main {
			return 0, false
		}
		return t.Session, true
	}
	session, ok := of(h.Thread)
	if !ok {
		return false
	}
	for n := slot - 1; n >= 0 && n > slot-lookBack; n-- {
		b := l.h.Snap.HeadRow(l.SlotID(n))
		if b.Op != model.Say {
			continue
		}
		if before, ok := of(b.Thread); ok {
			return before != session
		}
	}
	return slot < lookBack
}

// sessionWord names the session that begins with a message.
func (l *List) sessionWord(id model.ID) string {
	ss := l.h.Snap.Session(id)
	for _, f := range [...]string{"title", "session"} {
		if text := paint.OneLine(ss.Field(f)); text != "" {
			return text
		}
	}
	return human.SessionOf(l.Thread(l.h.Snap.HeadRow(id).Thread).Session)
}

// endsTurnOnly reports whether a recorded end is only that of a turn: the session continues and did
// not fail.
func (l *List) endsTurnOnly(slot int, id model.ID) bool {
	snap := l.h.Snap
	if ss := snap.Session(id); ss.Outcome.Failed() && len(snap.Sessions()) > 1 {
		return false
	}
	switch snap.Name(snap.HeadRow(id).Name) {
	case "task_complete", "turn_complete":
	default:
		return false
	}
	for n := slot + 1; n < l.Slots() && n < slot+lookBack; n++ {
		if h := snap.HeadRow(l.SlotID(n)); h.Op == model.Say && h.Thread == snap.HeadRow(id).Thread {
			return true
		}
	}
	return false
}

// beginsBranch reports whether a message is the first of a branch: several messages have the same
// parent.
func (l *List) beginsBranch(id model.ID, h *model.Head) bool {
	return h.Parent != model.NoID && len(l.siblings(id)) > 1
}

// siblings returns the messages with the same parent, nearby ones only. If there are several, the
// session branches here.
func (l *List) siblings(id model.ID) []model.ID {
	snap := l.h.Snap
	h := snap.HeadRow(id)
	if !l.branched() {
		return nil
	}
	var ids []model.ID
	for n := int(h.Parent) + 1; n < snap.Rows() && n < int(h.Parent)+branchLook; n++ {
		o := snap.HeadRow(model.ID(n))
		if o.Op == model.Say && o.Parent == h.Parent && o.Thread == h.Thread && o.Flags&model.Rewound == 0 && o.Flags&model.HasResults == 0 {
			ids = append(ids, model.ID(n))
		}
	}
	return ids
}

const branchLook = 4096

// branched reports whether any message is on another branch. It is computed once per snapshot.
func (l *List) branched() bool {
	snap := l.h.Snap
	if l.branchesOf == snap.Version() {
		return l.anyBranch
	}
	for id := range snap.Changed(l.branchesOf) {
		if l.anyBranch {
			break
		}
		l.anyBranch = snap.HeadRow(id).Flags&model.OffBranch != 0
	}
	l.branchesOf = snap.Version()
	return l.anyBranch
}

// branchWord describes the branch that begins with a message.
func (l *List) branchWord(id model.ID) string {
	all := l.siblings(id)
	at := max(slices.Index(all, id), 0)
	text := fmt.Sprintf("branch %d of %d", at+1, len(all))
	switch {
	case l.h.Snap.HeadRow(id).Flags&model.OffBranch != 0:
		text += ", abandoned"
	case l.branches:
		text += ", the one that goes on"
	}
	return text + ", " + l.h.Key("B") + " chooses"
}

// anySlotBefore reports whether a slot before this one may have rows.
func (l *List) anySlotBefore(slot int) bool {
	for n := slot - 1; n >= 0; n-- {
		id := l.SlotID(n)
		if !l.hiddenByHead(id, l.h.Snap.HeadRow(id)) || slot-n > lookBack {
			return true
		}
	}
	return false
}

// partial describes a record still being written at the end of the file, "" for none.
func (l *List) partial() string {
	t := l.h.Snap.Tail()
	if !l.h.Live || l.h.State.Indexed < 1 || t.Len == 0 || l.View().On {
		return ""
	}
	return "a line is still being written"
}

// drawPartial draws the row of the incomplete record.
func (l *List) drawPartial() string {
	c := &l.Col
	spans := []paint.Span{{Text: paint.Blanks(max(c.Fold+1, 1))}, {Text: "… ", Ink: paint.InkRunning}}
	if c.word > 0 {
		spans = append(spans, paint.Span{Text: paint.Fit("partial", c.word), Ink: paint.InkRunning})
	}
	size := model.SizeOf(l.h.Snap.Tail().Len) + " so far"
	room := c.end - c.about
	about := paint.Cut(l.partial(), max(room-paint.Width(size)-2, 0))
	spans = append(spans, paint.Span{Text: about, Ink: paint.InkDim}, paint.Span{Text: paint.Blanks(room - paint.Width(about) - paint.Width(size))}, paint.Span{Text: size, Ink: paint.InkDim})
	return l.h.Styles.Line(l.w-1, paint.GroundNone, spans...)
}

// beginsAgent reports whether a message is the first of a subagent in a separate file that no call
// shows, such as one started by a workflow.
func (l *List) beginsAgent(id model.ID, h *model.Head) bool {
	t := l.Thread(h.Thread)
	if t == nil || !t.Apart || uint32(t.Call) != model.NoRow {
		return false
	}
	for _, first := range l.threadIDs(h.Thread) {
		if !l.hiddenByHead(first, l.h.Snap.HeadRow(first)) {
			return first == id
		}
	}
	return false
}
