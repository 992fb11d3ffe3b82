package format

import (
	"bytes"
	"testing"

	"turns/model"
	"turns/model/format/formattest"
)

// ownChat describes OpenAI's messages, as a user without a parser for them would.
const ownChat = `
name  = "mine"
match = ["role", "content"]
role  = "role"
text  = "content"
id    = "tool_call_id"

[[rule]]
at        = "tool_calls[]"
as        = "call"
tool      = "function.name"
arguments = "function.arguments"
id        = "id"
`

// BenchmarkOwnFormat reads the same messages with a user's description and with the format's
// parser. The former may take twice as long.
func BenchmarkOwnFormat(b *testing.B) {
	own, err := Own("mine.toml", []byte(ownChat))
	if err != nil {
		b.Fatal(err)
	}
	known, err := Find("openai")
	if err != nil {
		b.Fatal(err)
	}
	data := bytes.Repeat([]byte(`{"role":"user","content":"How warm is it in Oslo, and will it rain there tomorrow?"}
{"role":"assistant","content":"I look.","tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}]}
{"role":"tool","tool_call_id":"call_1","content":"{\"degrees\": 4, \"rain\": true}"}
`), 100)
	s := sampleOf("chat.jsonl", data)
	for _, f := range []*model.Format{known, own} {
		m := f.Detect(s)
		records := formattest.Cut(f, m, s, data)
		b.Run(f.Name, func(b *testing.B) {
			var fs model.Facts
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				for _, rec := range records {
					fs.Clear()
					if err := f.Parse(rec, &fs); err != nil || fs.Len() == 0 {
						b.Fatal("no facts", err)
					}
				}
			}
		})
	}
}
