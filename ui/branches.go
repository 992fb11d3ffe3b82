package ui

import (
	"fmt"

	"turns/model"
)

// beginsSession reports whether a slot is the first of another conversation than the one before it: files of results hold many.
func (l *list) beginsSession(slot int, id model.ID, h *model.Head) bool {
	if len(l.h.snap.Sessions()) < 2 {
		return false
	}
	of := func(thread uint32) (uint32, bool) {
		t := l.thread(thread)
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
		b := l.h.snap.HeadRow(l.slotID(n))
		if b.Op != model.Say {
			continue
		}
		if before, ok := of(b.Thread); ok {
			return before != session
		}
	}
	return slot < lookBack
}

// sessionWord names the conversation that begins with a message.
func (l *list) sessionWord(id model.ID) string {
	ss := l.h.snap.Session(id)
	for _, f := range [...]string{"title", "session"} {
		if text := oneLine(ss.Field(f)); text != "" {
			return text
		}
	}
	t := l.thread(l.h.snap.HeadRow(id).Thread)
	return fmt.Sprintf("conversation %d of %d", int(t.Session)+1, len(l.h.snap.Sessions()))
}

// endsTurnOnly reports whether the end that a log tells is not that of the run, because the conversation goes on, and went well.
func (l *list) endsTurnOnly(slot int, id model.ID) bool {
	snap := l.h.snap
	if ss := snap.Session(id); ss.Outcome.Failed() && len(snap.Sessions()) > 1 {
		return false
	}
	switch snap.Name(snap.HeadRow(id).Name) {
	case "task_complete", "turn_complete":
	default:
		return false
	}
	for n := slot + 1; n < l.slots() && n < slot+lookBack; n++ {
		if h := snap.HeadRow(l.slotID(n)); h.Op == model.Say && h.Thread == snap.HeadRow(id).Thread {
			return true
		}
	}
	return false
}

// beginsBranch reports whether a slot is the first message of a branch that is not the live one, or the first of the live one after such.
func (l *list) beginsBranch(slot int, id model.ID, h *model.Head) bool {
	if h.Parent == model.NoID || len(l.siblings(id)) < 2 {
		return false
	}
	return true
}

// siblings are the messages that follow the same one: where there are two, the conversation branches. Only what stands near is looked at.
func (l *list) siblings(id model.ID) []model.ID {
	snap := l.h.snap
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

// branched reports whether anything lies on another branch: it is asked once for each snapshot.
func (l *list) branched() bool {
	snap := l.h.snap
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

// branchWord says which branch begins.
func (l *list) branchWord(id model.ID) string {
	all := l.siblings(id)
	at := 0
	for i, s := range all {
		if s == id {
			at = i
		}
	}
	text := fmt.Sprintf("branch %d of %d", at+1, len(all))
	switch {
	case l.h.snap.HeadRow(id).Flags&model.OffBranch != 0:
		text += ", not taken"
	case l.branches:
		text += ", the one that goes on"
	default:
		return text + ", B shows the others"
	}
	return text + ", B hides what was not taken"
}

// toggleBranches shows what lies on other branches, or hides it again.
func (a *app) toggleBranches() string {
	l := a.list
	if !l.branched() {
		return "no other branch in this conversation"
	}
	row := l.rowOnScreen()
	l.branches = !l.branches
	l.redraw()
	l.sync()
	l.center(row)
	l.reveal()
	if l.branches {
		a.say("all branches")
	} else {
		a.say("the branch that goes on")
	}
	return ""
}

// anySlotBefore reports whether a slot before this one may have rows.
func (l *list) anySlotBefore(slot int) bool {
	for n := slot - 1; n >= 0; n-- {
		id := l.slotID(n)
		if !l.hiddenByHead(id, l.h.snap.HeadRow(id)) || slot-n > lookBack {
			return true
		}
	}
	return false
}

// partial says what is still being written at the end of the file, "" for nothing.
func (l *list) partial() string {
	t := l.h.snap.Tail()
	if !l.h.live || l.h.state.Indexed < 1 || t.Len == 0 || l.view().on {
		return ""
	}
	return "a line is still being written"
}

// drawPartial is the row of what is still being written.
func (l *list) drawPartial() string {
	c := &l.col
	spans := []span{{text: blanks(max(c.fold+1, 1))}, {text: "… ", ink: inkRunning}}
	if c.word > 0 {
		spans = append(spans, span{text: fit("partial", c.word), ink: inkRunning})
	}
	size := model.SizeOf(l.h.snap.Tail().Len) + " so far"
	room := c.end - c.about
	about := cut(l.partial(), max(room-width(size)-2, 0))
	spans = append(spans, span{text: about, ink: inkDim}, span{text: blanks(room - width(about) - width(size))}, span{text: size, ink: inkDim})
	return l.h.styles.line(l.w-1, groundNone, spans...)
}
