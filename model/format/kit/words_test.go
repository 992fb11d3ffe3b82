package kit

import (
	"testing"

	"turns/model"
)

// TestMediaTypes lists the short names that APIs use for media types.
func TestMediaTypes(t *testing.T) {
	for short, want := range map[string]string{"wav": "audio/wav", "mp3": "audio/mpeg", "pcm16": "audio/pcm", "png": "image/png", "jpeg": "image/jpeg", "jpg": "image/jpeg",
		"gif": "image/gif", "webp": "image/webp", "pdf": "application/pdf", "image": "image", "audio": "audio", "video": "video", "file": "file", "text": "text/plain", "exe": ""} {
		if got := MediaType(short).String(); got != want {
			t.Errorf("%s is %q, want %q", short, got, want)
		}
	}
}

// TestVotes: the letter before a sign is its vote, and the first matching sign decides.
func TestVotes(t *testing.T) {
	judge := Judge("x secret", "- uuid", "~ role", "+ id")
	for record, want := range map[string]int{`{"id":1}`: Certain, `{"id":1,"role":"user"}`: Possible, `{"id":1,"uuid":1}`: Unfit, `{"id":1,"secret":1}`: Excluded, `{}`: Unfit} {
		if got := judge([]byte(record)); got != want {
			t.Errorf("%s has the vote %d, want %d", record, got, want)
		}
	}
}

// TestElementsInTexts: elements of a text become reasoning and calls, and the words around them
// stay words.
func TestElementsInTexts(t *testing.T) {
	for text, want := range map[string]model.BlockKind{
		"<think>hm</think>ok": model.Reasoning, "<thinking>hm</thinking>ok": model.Reasoning, `<tool_call>{"name":"ls","arguments":{}}</tool_call>ok`: model.ToolCall,
	} {
		var f model.Fact
		EvalWords(&f, model.StringText(text))
		if len(f.Blocks) != 2 || f.Blocks[0].Kind != want || f.Blocks[1].Text.String() != "ok" {
			t.Errorf("%s has the blocks %v", text, f.Blocks)
		}
	}
}

// TestTimesOfMessages: a message may have its time in any of these fields.
func TestTimesOfMessages(t *testing.T) {
	for _, name := range []string{"timestamp", "created_at", "createdAt", "created", "time", "ts", "date"} {
		var fs model.Facts
		record := `{"role":"user","content":"hi","` + name + `":"2026-01-05T10:00:00Z"}`
		if err := ChatParse(model.Record{Data: []byte(record), Variant: ChatLines}, &fs); err != nil || fs.At(0).Time.Ms == 0 {
			t.Errorf("%s has no time (%v)", record, err)
		}
	}
}
