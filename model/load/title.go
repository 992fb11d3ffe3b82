package load

import (
	"context"
	"strings"

	"turns/model"
)

// Titles tells what the conversations of a source are called.
type Titles struct {
	snap   *model.Snapshot
	reader *model.Reader
	first  []model.ID // prompts, by conversation
}

// NewTitles looks at the messages once, and reads none of them.
func NewTitles(snap *model.Snapshot) *Titles {
	t := &Titles{snap: snap, reader: snap.NewReader(), first: make([]model.ID, len(snap.Sessions()))}
	for i := range t.first {
		t.first[i] = model.NoID
	}
	threads := snap.Threads()
	for _, id := range snap.LiveIDs() {
		h := snap.HeadRow(id)
		if n := threads[h.Thread].Session; h.Flags&model.Prompt != 0 && t.first[n] == model.NoID {
			t.first[n] = id
		}
	}
	return t
}

// Of is the title of a conversation as recorded, else its first prompt as a line,
// "" where it has neither.
func (t *Titles) Of(ctx context.Context, session int) string {
	if title := t.snap.Sessions()[session].Field("title"); title != "" {
		return title
	}
	if first := t.first[session]; first != model.NoID {
		return promptLine(ctx, t.snap, t.reader, first)
	}
	return ""
}

// calledCommand is the command as it was typed, of a line that says in elements
// that one was called: <command-name>/review</command-name>; "" for any other line.
func calledCommand(line string) string {
	if !strings.HasPrefix(line, "<command-") {
		return ""
	}
	name, args := element(line, "command-name"), element(line, "command-args")
	if name == "" {
		return ""
	}
	return strings.TrimSpace("/" + strings.TrimPrefix(name, "/") + " " + args)
}

// element is what the first element of a name holds.
func element(line, name string) string {
	_, inside, _ := strings.Cut(line, "<"+name+">")
	inside, _, closed := strings.Cut(inside, "</"+name+">")
	if !closed {
		return ""
	}
	return strings.TrimSpace(inside)
}
