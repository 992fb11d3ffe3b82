package screen

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/model"
	"turns/ui/paint"
)

// fetches are texts that a transcript stores elsewhere. Texts on the transcript's server are
// fetched when their row is opened. A local file is read only on request, since its name comes from
// the transcript.
type fetches struct {
	Known  map[string]*fetched  // by place
	texts  *Lru[string, string] // least recently used ones are dropped
	wanted []model.Content      // requested by the last frame
	Gen    int                  // incremented by every change, for caches
	ctx    context.Context
	cancel context.CancelFunc // cancels all running fetches
}

// fetchedBytes is the size of the cache, and fetchedAtOnce the most fetches at a time.
const (
	fetchedBytes  = 32 << 20
	fetchedAtOnce = 4
)

// fetched is the state of a text: being fetched, fetched, or failed with err.
type fetched struct {
	busy bool
	err  string
}

// fetchedMsg is the result of a fetch.
type fetchedMsg struct {
	snap  *model.Snapshot // of the block
	place string
	text  string
	err   error
}

// remote reports whether the transcript came from a server.
func (h *Host) remote() bool { return strings.Contains(h.State.Path, "://") }

// Kept reports whether a block's full text is stored elsewhere and can be fetched.
func (h *Host) Kept(b *model.Content) bool {
	return b != nil && b.Elsewhere != "" && h.Opts.Store != nil && b.Kind != model.Media
}

// FullBlock returns a block with its text from elsewhere, if fetched; otherwise note describes the
// state of the fetch. note is "" if there is none.
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
	if !ok { // not automatically: the screen may need more texts than the cache holds
		return b, "zf fetches all of it again"
	}
	c := *b
	c.Text, c.Elsewhere, c.JSON, c.Size = text, "", false, int64(len(text))
	return &c, ""
}

// FetchWanted returns the commands for the texts and pictures that the last frame requested.
func (h *Host) FetchWanted() tea.Cmd {
	var cmds []tea.Cmd
	for i := range h.Fetches.wanted {
		cmds = append(cmds, h.Fetch(&h.Fetches.wanted[i]))
	}
	h.Fetches.wanted = nil
	return tea.Batch(append(cmds, h.readWanted()...)...)
}

// Fetch returns the command that fetches the full text of a block, nil while it is running.
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
		return nil // after the next arrival, the frame requests it again
	}
	s.Known[b.Elsewhere] = &fetched{busy: true}
	s.Gen++
	ctx, get, snap, block := s.ctx, h.Opts.Store.Fetch, h.Snap, *b
	return func() tea.Msg {
		text, err := get(ctx, &block)
		return fetchedMsg{snap, block.Elsewhere, text, err}
	}
}

// Message stores a fetched text or picture.
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
	return h.Ask(Status{"fetched " + model.SizeOf(int64(len(m.text))), paint.InkText})
}

// Stop cancels all fetches; false if none is running.
func (s *fetches) Stop() bool {
	busy := s.busy() > 0
	if busy {
		s.cancel()
		s.cancel = nil
	}
	return busy
}

// busy returns the number of running fetches.
func (s *fetches) busy() int {
	n := 0
	for _, f := range s.Known {
		if f.busy {
			n++
		}
	}
	return n
}
