package model

import (
	"bytes"
	"strconv"
	"time"
)

// Message is a message with its texts, read from its source.
type Message struct {
	ID      ID
	Pos     int // -1: none
	Op      Op
	Role    Role
	Name    string // recorded name of the role, or kind of a note
	Model   string
	Flags   Flags
	Time    int64 // Unix ms; 0 unknown
	Stop    Stop
	Key     string // hash of its recorded id, in hexadecimal, or ""
	Blocks  []Content
	Usage   *Usage // as recorded with it; nil if there is none
	Extra   []KeyValue
	By      string       // what invalidated or superseded it, if recorded
	Records []RecordText // the recorded bytes, in order
	// Files are the contents and changes of files that the records have outside of results.
	// Their texts are parts of Records.
	Files []FileText `json:"-"`
	Err   error      // why a record is unreadable
}

// RecordText has the bytes of a record as recorded, and its place.
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
	Name    string // tool, media type, or the kind of an other block
	Text    string
	Null    bool // recorded as null or not at all: distinct from ""
	JSON    bool // Text is JSON source
	// the id was recorded as a number or another non-string value
	BareID bool `json:",omitempty"`
	// of a call: it appears only in the text of its script
	InText    bool `json:",omitempty"`
	Elsewhere string
	Took      time.Duration
	Size      int64 // size of the data, if Text is only a placeholder for it
	// Width and Height are the size of a picture in pixels, 0 if unknown.
	Width, Height int        `json:",omitempty"`
	Extra         []KeyValue `json:",omitempty"` // further fields of the block in its format
}

// Decode turns a block into content. It does not decode large media data, only their size.
func (b *Block) Decode() Content {
	c := Content{
		Kind: b.Kind, Outcome: b.Outcome, Took: b.Took, Size: b.Size,
		ID: b.ID.String(), Name: b.Name.String(), Elsewhere: b.Elsewhere.String(),
		Null: b.Text.IsNull(), JSON: b.Text.enc == JSONValue, BareID: b.ID.enc == JSONValue, InText: b.Nesting == OfText,
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

// Fields returns the recorded fields of the message and its blocks that the model does not know.
// Fields of later blocks get a number if their name was used before.
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

// Content returns the text of the message, or the results of a tool message, joined by newlines.
// null reports that it has none, as distinct from an empty text.
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

// Calls returns the tool calls of the message, in order.
func (m *Message) Calls() []Content { return m.blocks(ToolCall) }

// Results returns the tool results of the message, in order.
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

// Size estimates the memory of the message, in bytes.
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

// Raw returns the recorded bytes of the message, one record per line.
func (m *Message) Raw() []byte {
	var parts [][]byte
	for _, r := range m.Records {
		parts = append(parts, r.Data)
	}
	return bytes.Join(parts, []byte("\n"))
}

// DocumentText is the name of [Words] that are the text of an attached document. Its title and its
// context are fields of the block.
const DocumentText = "document"

// MalformedCall is the name of an [OtherBlock] in the place of a call that names no tool or is not
// an object.
const MalformedCall = "malformed call"
