package ui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/query"
)

// fetches are the texts that a transcript keeps elsewhere. What is on its server is fetched when its item is opened; a file beside it is read only when the
// reader asks for it, since it is the transcript that names it.
type fetches struct {
	known  map[string]*fetched // by place
	wanted []model.Content     // asked for by the frame that was drawn last
	gen    int                 // grows with every change, for caches
	ctx    context.Context
	cancel context.CancelFunc // of all that run
}

// fetched is a text, or why there is none.
type fetched struct {
	busy bool
	text string
	err  string
}

// fetchedMsg is a text that has come.
type fetchedMsg struct {
	snap  *model.Snapshot // that it belongs to
	place string
	text  string
	err   error
}

// remote reports whether the transcript came from a server.
func (h *host) remote() bool { return strings.Contains(h.state.Path, "://") }

// kept reports whether a block keeps a text elsewhere that can be fetched.
func (h *host) kept(b *model.Content) bool {
	return b != nil && b.Elsewhere != "" && h.opts.Fetch != nil && b.Kind != model.Media
}

// fullBlock is a block with the text that it keeps elsewhere, where that has come; note says else what is to be known of it, "" for nothing.
func (h *host) fullBlock(b *model.Content) (full *model.Content, note string) {
	if !h.kept(b) {
		return b, ""
	}
	f := h.fetches.known[b.Elsewhere]
	switch {
	case f == nil && h.remote():
		h.fetches.wanted = append(h.fetches.wanted, *b)
		return b, "fetching all of it from the server …"
	case f == nil:
		return b, "zf reads all of it, which is in " + oneLine(b.Elsewhere)
	case f.busy && h.remote():
		return b, "fetching all of it from the server …"
	case f.busy:
		return b, "reading " + oneLine(b.Elsewhere) + " …"
	case f.err != "":
		return b, "zf tries again to fetch all of it; " + f.err
	}
	c := *b
	c.Text, c.Elsewhere, c.JSON, c.Size = f.text, "", false, int64(len(f.text))
	return &c, ""
}

// fetchWanted are the commands that fetch what the last frame asked for.
func (h *host) fetchWanted() tea.Cmd {
	var cmds []tea.Cmd
	for i := range h.fetches.wanted {
		cmds = append(cmds, h.fetch(&h.fetches.wanted[i]))
	}
	h.fetches.wanted = nil
	return tea.Batch(cmds...)
}

// fetch is the command that fetches what a block keeps elsewhere, unless that is on its way.
func (h *host) fetch(b *model.Content) tea.Cmd {
	s := &h.fetches
	if f := s.known[b.Elsewhere]; f != nil && f.busy {
		return nil
	}
	if s.known == nil {
		s.known = map[string]*fetched{}
	}
	if s.cancel == nil {
		s.ctx, s.cancel = context.WithCancel(h.ctx)
	}
	s.known[b.Elsewhere] = &fetched{busy: true}
	s.gen++
	ctx, get, snap, block := s.ctx, h.opts.Fetch, h.snap, *b
	return func() tea.Msg {
		text, err := get(ctx, &block)
		return fetchedMsg{snap, block.Elsewhere, text, err}
	}
}

// act takes a text that has come.
func (m fetchedMsg) act(a *app) tea.Cmd {
	s := &a.h.fetches
	if s.known[m.place] == nil {
		return nil
	}
	f := &fetched{text: m.text}
	switch {
	case errors.Is(m.err, context.Canceled):
		f.err = "it was stopped"
	case m.err != nil:
		f.err = oneLine(m.err.Error())
	}
	s.known[m.place] = f
	s.gen++
	if f.err != "" {
		return a.complain("cannot be fetched: " + f.err)
	}
	a.say("fetched " + model.SizeOf(int64(len(m.text))))
	return a.moved()
}

// stop ends what is being fetched; false where nothing is.
func (s *fetches) stop() bool {
	busy := false
	for _, f := range s.known {
		busy = busy || f.busy
	}
	if busy {
		s.cancel()
		s.cancel = nil
	}
	return busy
}

// fetchCur fetches what the item of the cursor keeps elsewhere, again if that was tried before, and opens it.
func (a *app) fetchCur() tea.Cmd {
	it, ok := a.list.curItem()
	if !ok {
		return a.complain("nothing here")
	}
	var cmds []tea.Cmd
	for _, b := range a.list.keptBlocks(&it) {
		cmds = append(cmds, a.h.fetch(b))
	}
	if len(cmds) == 0 {
		return a.complain("nothing of this row is kept elsewhere")
	}
	if a.h.focus != paneDetail && !a.list.isOpen(&it) {
		a.list.setState(&it, openWhole)
		a.list.reveal()
	}
	return tea.Batch(append(cmds, a.moved())...)
}

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

// keptParts is the result that a call keeps elsewhere, as far as it is there.
func (h *host) keptParts(call *model.Content, f query.Family) []part {
	b, note := h.fullBlock(call)
	if note != "" {
		return plainParts(note, partPlain, inkDim, false)
	}
	return resultParts(b, f)
}
