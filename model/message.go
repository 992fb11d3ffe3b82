package model

import (
	"bytes"
	"strconv"
	"time"
)

// Message is a message with its texts, read from its source.
type Message struct {
	ID      ID
	Pos     int // -1: it has none
	Op      Op
	Role    Role
	Name    string // recorded name of the role, or kind of a note
	Model   string
	Flags   Flags
	Time    int64 // Unix ms; 0 unknown
	Stop    Stop
	Key     string // hash of its recorded id, in hexadecimal, or ""
	Blocks  []Content
	Usage   *Usage // as recorded with it; nil for none
	Extra   []KeyValue
	By      string       // what invalidated or superseded it, where recorded
	Records []RecordText // the recorded bytes, in order
	Err     error        // of an unreadable record: why
}

// RecordText is the bytes of a record as they were recorded, and its place.
type RecordText struct {
	Ref  Ref
	List string
	Data []byte
}

// Content is a decoded block.
type Content struct {
	Kind    BlockKind
	Outcome Outcome
	ID      string // call id as recorded
	Name    string // tool, media type, or what an other block is
	Text    string
	Null    bool // recorded as null or not at all: not the same as ""
	JSON    bool // Text is JSON source
	// the id was recorded as a number or another value that is no string
	BareID    bool `json:",omitempty"`
	Elsewhere string
	Took      time.Duration
	Size      int64 // bytes that Text stands for where it is only a placeholder
	// Width and Height are those of a picture in pixels, 0 where they are not known.
	Width, Height int        `json:",omitempty"`
	Extra         []KeyValue `json:",omitempty"` // what its format says of the block beyond that
}

// Decode turns a block into content. Large media data is not decoded: its size
// is kept.
func (b *Block) Decode() Content {
	c := Content{
		Kind: b.Kind, Outcome: b.Outcome, Took: b.Took, Size: b.Size,
		ID: b.ID.String(), Name: b.Name.String(), Elsewhere: b.Elsewhere.String(),
		Null: b.Text.IsNull(), JSON: b.Text.enc == JSONValue, BareID: b.ID.enc == JSONValue,
	}
	for _, e := range b.Extra {
		c.Extra = append(c.Extra, KeyValue{e.Name, e.Value.String()})
	}
	if b.Kind == Media {
		if c.Width, c.Height = Pixels(b.Text.Raw()); c.Width == 0 {
			c.Width, c.Height = int(b.Width), int(b.Height)
		}
	}
	if b.Kind == Media && b.Text.Size() > 1024 {
		if c.Size == 0 {
			c.Size = int64(b.Text.Size()) * 3 / 4
		}
		return c
	}
	c.Text = b.Text.String()
	return c
}

// Fields are what the format says of the message that the model has no place for, and of
// its blocks, those of later blocks numbered where they have the same names.
func (m *Message) Fields() []KeyValue {
	fields := m.Extra[:len(m.Extra):len(m.Extra)]
	times := map[string]int{}
	for i := range m.Blocks {
		for _, kv := range m.Blocks[i].Extra {
			if times[kv.Name]++; times[kv.Name] > 1 {
				kv.Name += " " + strconv.Itoa(times[kv.Name])
			}
			fields = append(fields, kv)
		}
	}
	return fields
}

// Content is the message's words, joined by newlines; null reports that it has
// none at all, which is not the same as an empty text. Of a tool message it is
// its results.
func (m *Message) Content() (text string, null bool) {
	var buf []byte
	null = true
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Kind != Words && (b.Kind != ToolResult || m.Role != Tool) {
			continue
		}
		if b.Null {
			continue
		}
		if !null {
			buf = append(buf, '\n')
		}
		null = false
		buf = append(buf, b.Text...)
	}
	return string(buf), null
}

// Calls are the blocks that are calls, in order.
func (m *Message) Calls() []Content { return m.blocks(ToolCall) }

// Results are the blocks that are results, in order.
func (m *Message) Results() []Content { return m.blocks(ToolResult) }

func (m *Message) blocks(kind BlockKind) []Content {
	var out []Content
	for i := range m.Blocks {
		if m.Blocks[i].Kind == kind {
			out = append(out, m.Blocks[i])
		}
	}
	return out
}

// Size is about how many bytes of memory the message takes.
func (m *Message) Size() int64 {
	n := int64(256)
	for i := range m.Blocks {
		n += int64(len(m.Blocks[i].Text)+len(m.Blocks[i].ID)+len(m.Blocks[i].Name)) + 128
	}
	for _, kv := range m.Extra {
		n += int64(len(kv.Name)+len(kv.Value)) + 32
	}
	for _, r := range m.Records {
		n += int64(len(r.Data)) + 48
	}
	return n
}

// Raw is the recorded bytes of the message, a record a line.
func (m *Message) Raw() []byte {
	var parts [][]byte
	for _, r := range m.Records {
		parts = append(parts, r.Data)
	}
	return bytes.Join(parts, []byte("\n"))
}

// MalformedCall is the name of an [OtherBlock] that stands where a call should,
// and names no tool or is no object.
const MalformedCall = "malformed call"
