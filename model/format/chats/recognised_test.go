package chats

import (
	"testing"

	"turns/model"
	"turns/model/format/formattest"
)

// TestPlacesOfNikita finds the messages in each part of a document that may have them.
func TestPlacesOfNikita(t *testing.T) {
	formattest.Places(t, NikitaFormat(), `[{"role":"nikita","message":"hi"}]`, "[]", "messages", "transcript", "history", "conversation.messages", "conversations")
}

// TestRecordsOfNikita recognises the format by single records, each with another of its marks.
func TestRecordsOfNikita(t *testing.T) {
	formattest.Records(t, NikitaFormat(), 90,
		`{"role":"nikita","message":"hi"}`,
		`{"role":"agent","message":"hi","time_in_call_secs":3}`,
		`{"messages":[{"role":"user","message":"hi"}],"chapter_at_time":2}`,
		`{"messages":[{"role":"user","message":"hi"}],"is_boss_fight":true}`,
		`{"messages":[{"role":"user","message":"hi"}],"score_delta":5}`,
	)
}

// TestMediaOfShareGPT: each mark in a text refers to a medium in the list of its kind.
func TestMediaOfShareGPT(t *testing.T) {
	for _, kind := range []string{"image", "video", "audio"} {
		var fs model.Facts
		line := `{"conversations":[{"from":"human","value":"<` + kind + `> what is it?"}],"` + kind + `s":["a/b.bin"]}`
		if err := ShareGPTFormat().Parse(model.Record{Data: []byte(line)}, &fs); err != nil {
			t.Fatal(err)
		}
		found := false
		for i := range fs.Len() {
			for _, b := range fs.At(i).Blocks {
				found = found || b.Kind == model.Media && b.Name.String() == kind && b.Text.String() == "a/b.bin"
			}
		}
		if !found {
			t.Errorf("no %s in %s", kind, line)
		}
	}
}
