package timeline

import (
	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/ui/screen"
)

// keptBlocks are the blocks of an item that keep a text elsewhere.
func (l *List) keptBlocks(it *item) []*model.Content {
	var out []*model.Content
	m := l.h.Bodies.Get(it.Key.ID)
	if m == nil {
		return nil
	}
	add := func(b *model.Content) {
		if l.h.Kept(b) {
			out = append(out, b)
		}
	}
	line, ok := l.lineOf(it)
	switch {
	case ok && line.Call != screen.NoCall:
		if call := screen.BlockOfCall(m, line); call != nil {
			add(call)
		}
		if result, _ := l.h.ResultOf(line, m); result != nil {
			add(result)
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

// FetchCur fetches what the item of the cursor keeps elsewhere, again if that was tried before, and
// opens it.
func (l *List) FetchCur() tea.Cmd {
	it, ok := l.CurItem()
	if !ok {
		return l.h.Complain("nothing here")
	}
	var cmds []tea.Cmd
	for _, b := range l.keptBlocks(&it) {
		cmds = append(cmds, l.h.Fetch(b))
	}
	if len(cmds) == 0 {
		return l.h.Complain("nothing of this row is kept elsewhere")
	}
	if l.h.Focus != screen.PaneDetail && !l.IsOpen(&it) {
		l.setState(&it, OpenWhole)
		l.Reveal()
	}
	return tea.Batch(append(cmds, l.Moved())...)
}
