package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// prose returns text like that of conversations, without secrets: words, code, JSON with escapes,
// hashes, token counts.
func prose(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		line, _ := json.Marshal(map[string]any{
			"role": "assistant", "id": fmt.Sprintf("msg_%032x", i*7919),
			"content": "I'll read the test first, then look at how the watcher debounces.\n\n```go\nfunc (w *Watcher) Add(path string) error {\n\tif w.closed {\n\t\treturn ErrClosed\n\t}\n\treturn w.add(path) // the parser's tokens are counted below\n}\n```\nSee https://pkg.go.dev/github.com/fsnotify/fsnotify for what is supported.",
			"usage":   map[string]int{"input_tokens": 2000 + i, "output_tokens": i, "cache_read_input_tokens": 15700},
			"command": "go test -run TestWatch -count=50 ./internal/watch 2>&1 | tail -20",
		})
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// coloured returns text as printed by tools: with a colour for every word.
func coloured(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte(" "), []byte("\x1b[0m \x1b[38;5;109m"))
}

func BenchmarkFind(b *testing.B) {
	r := New()
	for _, c := range []struct {
		name string
		text []byte
	}{
		{"clean", prose(1 << 20)},
		{"colours", coloured(prose(1 << 20))},
		{"base64", bytes.Repeat([]byte("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg"), 10000)},
		{"hostile", bytes.Repeat([]byte("sk-token=\"password:://eyJ"), 40000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				r.Find(c.text)
			}
		})
	}
}
