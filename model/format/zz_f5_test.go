package format

import (
	"strings"
	"testing"
	"time"

	"turns/model"
)

func TestZZF5Deep(t *testing.T) {
	for _, open := range []string{`{"model":"m","input":[`, `{"contents":[`, `{"request":{"contents":[],"response":`, `{"citationsContent":{"content":[`, `{"values":`, `[`, `{"messages":[`, `{"output":[{"role":"assistant","content":[{"type":"output_text"}]},`, `{"request":`, `{"input":{"inputBodyJson":`} {
		cl := strings.Map(func(r rune) rune {
			switch r {
			case '{':
				return '}'
			case '[':
				return ']'
			}
			return -1
		}, rev(open))
		// balanced closings only for what stays open
		depth := 3000
		stack := []byte{}
		for i := 0; i < depth; i++ {
			for _, c := range []byte(open) {
				switch c {
				case '{':
					stack = append(stack, '}')
				case '[':
					stack = append(stack, ']')
				case '}', ']':
					stack = stack[:len(stack)-1]
				}
			}
		}
		_ = cl
		for i, j := 0, len(stack)-1; i < j; i, j = i+1, j-1 {
			stack[i], stack[j] = stack[j], stack[i]
		}
		doc := strings.Repeat(open, depth)
		if strings.HasSuffix(open, ":") {
			doc += "null"
		}
		b := []byte(doc + string(stack))
		for _, s := range []*model.Sample{sampleOf("x.jsonl", b), sampleOf("x.json", b)} {
			for _, f := range All() {
				t0 := time.Now()
				m := f.Detect(s)
				var fs model.Facts
				f.Parse(model.Record{Data: b, Variant: m.Variant}, &fs)
				f.Parse(model.Record{Data: b}, &fs)
				if d := time.Since(t0); d > 300*time.Millisecond {
					t.Log(open, f.Name, d, len(b), fs.Len())
				}
			}
		}
	}
}
func rev(s string) string { return s }
