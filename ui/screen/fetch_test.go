package screen

import (
	"context"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"turns/model"
)

// texts is a store with one text for all requests.
type texts struct {
	Store
	text string
}

func (t texts) Fetch(context.Context, *model.Content) (string, error) { return t.text, nil }

// TestFetchedTextsAreBounded draws the rows of a hundred texts stored on a server: few are fetched
// at a time, the most recently used ones are cached, and the others are fetched again only on
// request.
func TestFetchedTextsAreBounded(t *testing.T) {
	const size = 1 << 20
	running, most := 0, 0
	h := &Host{Ctx: t.Context(), Ask: func(tea.Msg) tea.Cmd { return nil }}
	h.State.Path = "http://example.test/history"
	h.Opts.Store = texts{text: strings.Repeat("x", size)}
	rows := make([]*model.Content, 100)
	for i := range rows {
		rows[i] = &model.Content{Kind: model.ToolResult, Elsewhere: fmt.Sprintf("/tool-results/%d", i), Text: "begins"}
	}
	for range len(rows) { // frames
		for _, r := range rows {
			h.FullBlock(r)
		}
		cmd := h.FetchWanted()
		if cmd == nil {
			break
		}
		running = h.Fetches.busy()
		most = max(most, running)
		cmds, ok := cmd().(tea.BatchMsg)
		if !ok {
			cmds = tea.BatchMsg{cmd}
		}
		for _, c := range cmds {
			h.Message(c())
		}
	}
	if most > fetchedAtOnce || most == 0 {
		t.Errorf("%d were fetched at a time", most)
	}
	if used := h.Fetches.texts.used; used > fetchedBytes || used < fetchedBytes/2 {
		t.Errorf("%d bytes are kept", used)
	}
	if _, note := h.FullBlock(rows[0]); !strings.Contains(note, "zf") {
		t.Errorf("a dropped text has the note %q", note)
	}
	if full, note := h.FullBlock(rows[99]); note != "" || len(full.Text) != size {
		t.Errorf("the last one says %q", note)
	}
}
