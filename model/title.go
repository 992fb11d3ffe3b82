package model

import (
	"context"
	"strings"
)

// Titles tells what the conversations of a snapshot are called.
type Titles struct {
	snap   *Snapshot
	reader *Reader
	live   [][]ID // by conversation
}

// NewTitles looks at the messages once, and reads none of them. r reads the texts later;
// nil: a reader of its own.
func NewTitles(s *Snapshot, r *Reader) *Titles {
	if r == nil {
		r = s.NewReader()
	}
	t := &Titles{snap: s, reader: r, live: make([][]ID, len(s.ix.Sessions))}
	if len(t.live) == 1 {
		t.live[0] = s.LiveIDs()
		return t
	}
	for _, id := range s.LiveIDs() {
		n := s.ix.Threads[s.HeadRow(id).Thread].Session
		t.live[n] = append(t.live[n], id)
	}
	return t
}

// Of is what a conversation is called: its title as recorded, else its first prompt as a
// line; where there is none, as in a stream that holds the answers only, the command that was
// called instead, else the first words that anybody says, the system last.
func (t *Titles) Of(ctx context.Context, session int) string {
	return t.title(ctx, session, t.live[session])
}

// Whole is what the snapshot is called: as its first conversation, else by the first prompt
// in any of them.
func (t *Titles) Whole(ctx context.Context) string { return t.title(ctx, 0, t.snap.LiveIDs()) }

func (t *Titles) title(ctx context.Context, session int, ids []ID) string {
	s, r := t.snap, t.reader
	if title := s.ix.Sessions[session].Field("title"); title != "" {
		return title
	}
	words, command := NoID, ""
	for _, id := range ids {
		h := s.HeadRow(id)
		if h.Flags&Prompt != 0 {
			if line := promptLine(ctx, r, id, h); line != "" {
				return line
			}
		}
		if h.Flags&HasWords == 0 {
			continue
		}
		if command == "" && h.Flags&Injected != 0 {
			command = CalledCommand(promptLine(ctx, r, id, h))
		}
		if words == NoID || s.HeadRow(words).Role == System && h.Role != System {
			words = id
		}
	}
	switch {
	case command != "":
		return command
	case words != NoID:
		return promptLine(ctx, r, words, s.HeadRow(words))
	}
	return ""
}

// promptLength is how much of a prompt is shown as a title, in bytes.
const promptLength = 400

// promptLine is the beginning of a message's content as one line.
func promptLine(ctx context.Context, r *Reader, id ID, h *Head) string {
	blocks, err := r.Blocks(ctx, id)
	if err != nil {
		return ""
	}
	results := h.Role == Tool
	var text []byte
	for i, said := 0, false; i < len(blocks) && len(text) <= promptLength; i++ {
		b := &blocks[i]
		if b.Text.IsNull() || b.Kind != Words && (b.Kind != ToolResult || !results) {
			continue
		}
		if said {
			text = append(text, '\n')
		}
		said = true
		text = b.Text.AppendBegin(text, promptLength+1)
	}
	if len(text) > promptLength {
		return CleanLine(strings.ToValidUTF8(string(text[:promptLength]), ""))
	}
	return CleanLine(string(text))
}

// CalledCommand is the command as it was typed, of a line that says in elements
// that one was called: <command-name>/review</command-name>; "" for any other line.
func CalledCommand(line string) string {
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
