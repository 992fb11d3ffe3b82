package screen

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/ui/paint"
)

// fetches are the texts that a transcript keeps elsewhere. What is on its server is fetched when
// its item is opened; a file beside it is read only when the reader asks for it, since it is the
// transcript that names it.
type fetches struct {
	Known  map[string]*fetched  // by place
	texts  *Lru[string, string] // of those that have come, those that were looked at last
	wanted []model.Content      // asked for by the frame that was drawn last
	Gen    int                  // grows with every change, for caches
	ctx    context.Context
	cancel context.CancelFunc // of all that run
}

// fetchedBytes is how much of what was fetched is kept, and fetchedAtOnce how many texts are on
// their way at a time.
const (
	fetchedBytes  = 32 << 20
	fetchedAtOnce = 4
)

// fetched is what is known of a text: it is on its way, it came, or why it did not.
type fetched struct {
	busy bool
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
func (h *Host) remote() bool { return strings.Contains(h.State.Path, "://") }

// Kept reports whether a block keeps a text elsewhere that can be fetched.
func (h *Host) Kept(b *model.Content) bool {
	return b != nil && b.Elsewhere != "" && h.Opts.Store != nil && b.Kind != model.Media
}

// FullBlock is a block with the text that it keeps elsewhere, where that has come; note says else
// what is to be known of it, "" for nothing.
func (h *Host) FullBlock(b *model.Content) (full *model.Content, note string) {
	if !h.Kept(b) {
		return b, ""
	}
	f := h.Fetches.Known[b.Elsewhere]
	switch {
	case f == nil && h.remote():
		h.Fetches.wanted = append(h.Fetches.wanted, *b)
		return b, "fetching all of it from the server …"
	case f == nil:
		return b, "zf reads all of it from " + paint.OneLine(b.Elsewhere)
	case f.busy && h.remote():
		return b, "fetching all of it from the server …"
	case f.busy:
		return b, "reading " + paint.OneLine(b.Elsewhere) + " …"
	case f.err != "":
		return b, "zf tries again to fetch all of it; " + f.err
	}
	text, ok := h.Fetches.texts.Get(b.Elsewhere)
	if !ok { // not again by itself: what is on the screen could be more than is kept
		return b, "zf fetches all of it again"
	}
	c := *b
	c.Text, c.Elsewhere, c.JSON, c.Size = text, "", false, int64(len(text))
	return &c, ""
}

// FetchWanted are the commands that fetch what the last frame asked for.
func (h *Host) FetchWanted() tea.Cmd {
	var cmds []tea.Cmd
	for i := range h.Fetches.wanted {
		cmds = append(cmds, h.Fetch(&h.Fetches.wanted[i]))
	}
	h.Fetches.wanted = nil
	return tea.Batch(append(cmds, h.readWanted()...)...)
}

// Fetch is the command that fetches what a block keeps elsewhere, unless that is on its way.
func (h *Host) Fetch(b *model.Content) tea.Cmd {
	s := &h.Fetches
	if f := s.Known[b.Elsewhere]; f != nil && f.busy {
		return nil
	}
	if s.Known == nil {
		s.Known, s.texts = map[string]*fetched{}, NewLRU[string, string](fetchedBytes)
	}
	if s.cancel == nil {
		s.ctx, s.cancel = context.WithCancel(h.Ctx)
	}
	if s.busy() >= fetchedAtOnce {
		return nil // the frame after the next text asks again
	}
	s.Known[b.Elsewhere] = &fetched{busy: true}
	s.Gen++
	ctx, get, snap, block := s.ctx, h.Opts.Store.Fetch, h.Snap, *b
	return func() tea.Msg {
		text, err := get(ctx, &block)
		return fetchedMsg{snap, block.Elsewhere, text, err}
	}
}

// Message takes a text that has come.
func (h *Host) Message(msg tea.Msg) tea.Cmd {
	s := &h.Fetches
	if p, ok := msg.(pictureMsg); ok && p.snap == h.Snap {
		h.pictures.arrived(p)
		s.Gen++
	}
	m, ok := msg.(fetchedMsg)
	if !ok || s.Known[m.place] == nil {
		return nil
	}
	f := &fetched{}
	switch {
	case errors.Is(m.err, context.Canceled):
		f.err = "it was stopped"
	case m.err != nil:
		f.err = paint.OneLine(m.err.Error())
	}
	s.Known[m.place] = f
	if f.err == "" {
		s.texts.PutSized(m.place, m.text, int64(len(m.text)))
	}
	s.Gen++
	if f.err != "" {
		return h.Complain("cannot be fetched: " + f.err)
	}
	return h.Ask(Said{"fetched " + model.SizeOf(int64(len(m.text))), paint.InkText})
}

// Stop ends what is being fetched; false where nothing is.
func (s *fetches) Stop() bool {
	busy := s.busy() > 0
	if busy {
		s.cancel()
		s.cancel = nil
	}
	return busy
}

// busy is how many texts are on their way.
func (s *fetches) busy() int {
	n := 0
	for _, f := range s.Known {
		if f.busy {
			n++
		}
	}
	return n
}
