package kit_test

import (
	"testing"

	"turns/model"
	"turns/model/format/formattest"
	"turns/model/format/kit"
)

// TestChat reads messages, requests and responses in all spellings of the chat formats.
func TestChat(t *testing.T) { formattest.Lines(t, "testdata/chat.jsonl", kit.ChatParse) }

// TestReadBack reads messages with the additional fields of a JSON export.
func TestReadBack(t *testing.T) { formattest.Lines(t, "testdata/readback.jsonl", kit.ChatParse) }

// TestDetails reads the elements in the words of an answer.
func TestDetails(t *testing.T) { formattest.Lines(t, "testdata/details.jsonl", evalWords) }

func evalWords(rec model.Record, fs *model.Facts) error {
	f := fs.Add(model.Say)
	kit.EvalWords(f, model.ValueText(rec.Data))
	return nil
}
