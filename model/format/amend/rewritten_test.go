package amend_test

import (
	"bytes"
	"regexp"
	"testing"

	"turns/model/format"
	"turns/model/format/formattest"
)

var (
	snake   = regexp.MustCompile(`"([a-z]+)_([a-z])(\w*)"\s*:`)
	camel   = regexp.MustCompile(`"([a-z]+)([A-Z])(\w*)"\s*:`)
	content = regexp.MustCompile(`"(content|text|role)"\s*:\s*("(?:[^"\\]|\\.)*")`)
	id      = regexp.MustCompile(`("\w*(?:id|Id)"\s*:\s*)"(?:[^"\\]|\\.)*"`)
)

// TestRewritten detects and reads samples of all formats whose names are spelled in another way,
// whose values are one level deeper, whose ids are numbers, or which have another name for a field.
func TestRewritten(t *testing.T) {
	formattest.Rewritten(t, "testdata/rewritten.golden", format.Detect, func(data []byte) [][]byte {
		return [][]byte{
			snake.ReplaceAllFunc(data, func(key []byte) []byte { // toolCalls for tool_calls
				parts := snake.FindSubmatch(key)
				return bytes.Join([][]byte{[]byte(`"`), parts[1], bytes.ToUpper(parts[2]), parts[3], []byte(`":`)}, nil)
			}),
			camel.ReplaceAllFunc(data, func(key []byte) []byte {
				parts := camel.FindSubmatch(key)
				return bytes.Join([][]byte{[]byte(`"`), parts[1], []byte("_"), bytes.ToLower(parts[2]), parts[3], []byte(`":`)}, nil)
			}),
			content.ReplaceAll(data, []byte(`"$1":{"value":$2}`)),
			id.ReplaceAll(data, []byte(`${1}12345`)),
			bytes.ReplaceAll(data, []byte(`"role"`), []byte(`"zub"`)),
			bytes.ReplaceAll(data, []byte(`"content"`), []byte(`"zub"`)),
		}
	})
}
