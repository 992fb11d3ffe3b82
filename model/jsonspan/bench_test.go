package jsonspan

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// BenchmarkSkip measures the speed of skipping a record, the basis of all other costs: with short
// strings, as in envelopes, and with long ones.
func BenchmarkSkip(b *testing.B) {
	short := `{"type":"message","id":"m1","role":"assistant","usage":{"input_tokens":12,"output_tokens":345},"content":[{"type":"text","text":"All is well."}],"done":true}`
	var indented, spaced bytes.Buffer
	if err := json.Indent(&indented, []byte(short), "      ", "  "); err != nil {
		b.Fatal(err)
	}
	// as Python writes it
	spaced.WriteString(strings.NewReplacer(`":`, `": `, `,"`, `, "`).Replace(short))
	for name, record := range map[string]string{
		"short":    short,
		"indented": indented.String(),
		"spaced":   spaced.String(),
		"long":     `{"type":"tool_result","content":"` + strings.Repeat(`the line of a program\n`, 200) + `"}`,
		"nested":   `{"data":"` + strings.Repeat(`{\"type\":\"text\",\"text\":\"the line of a program\"},`, 50) + `"}`,
	} {
		b.Run(name, func(b *testing.B) {
			data := []byte(record)
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				c := New(data)
				c.Skip()
			}
		})
		b.Run(name+" walked", func(b *testing.B) {
			data := []byte(record)
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				c := New(data)
				walk(&c)
			}
		})
	}
}

// walk goes through a value and everything in it.
func walk(c *Cursor) {
	switch c.Kind() {
	case Object:
		for c.Object(); c.Key(); {
			walk(c)
		}
	case Array:
		for c.Array(); c.More(); {
			walk(c)
		}
	default:
		c.Skip()
	}
}
