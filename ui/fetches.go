package ui

import (
	tea "charm.land/bubbletea/v2"

	"turns/model"
)

// keptBlocks are the blocks of an item that keep a text elsewhere.
func (l *list) keptBlocks(it *item) []*model.Content {
	var out []*model.Content
	m := l.h.bodies.get(it.key.id)
	if m == nil {
		return nil
	}
	add := func(b *model.Content) {
		if l.h.kept(b) {
			out = append(out, b)
		}
	}
	line, ok := l.lineOf(it)
	switch {
	case ok && line.Call != noCall:
		call := blockOfCall(m, line)
		if call != nil {
			add(call)
		}
		if c := l.h.snap.Call(line.Call); c.Result != model.NoID {
			rm := m
			if c.Result != m.ID {
				rm = l.h.bodies.get(c.Result)
			}
			if rm != nil && call != nil {
				add(resultFor(rm, call.ID))
			} else if rm != nil {
				add(firstResult(rm))
			}
		}
	case ok && line.Block >= 0 && line.Block < len(m.Blocks):
		add(&m.Blocks[line.Block])
	case !ok:
		for i := range m.Blocks {
			add(&m.Blocks[i])
		}
	}
	return out
}

// fetchCur fetches what the item of the cursor keeps elsewhere, again if that was tried before, and opens it.
func (l *list) fetchCur() tea.Cmd {
	it, ok := l.curItem()
	if !ok {
		return l.h.complain("nothing here")
	}
	var cmds []tea.Cmd
	for _, b := range l.keptBlocks(&it) {
		cmds = append(cmds, l.h.fetch(b))
	}
	if len(cmds) == 0 {
		return l.h.complain("nothing of this row is kept elsewhere")
	}
	if l.h.focus != paneDetail && !l.isOpen(&it) {
		l.setState(&it, openWhole)
		l.reveal()
	}
	return tea.Batch(append(cmds, l.moved())...)
}
