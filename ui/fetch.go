package ui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
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

// Message takes a text that has come.
func (h *host) Message(msg tea.Msg) tea.Cmd {
	m, ok := msg.(fetchedMsg)
	s := &h.fetches
	if !ok || s.known[m.place] == nil {
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
		return h.complain("cannot be fetched: " + f.err)
	}
	return h.ask(Said{"fetched " + model.SizeOf(int64(len(m.text))), inkText})
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
