package formats

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"turns/export"
	"turns/model/load"
	"turns/query"
	"turns/query/describe"
)

// conversation generates a transcript of about size bytes that resembles the work of a coding
// agent.
func conversation(format string, size int) []byte {
	var b strings.Builder
	code := strings.Repeat("\tif err := run(ctx, \"name\"); err != nil {\n\t\treturn fmt.Errorf(\"running: %w\", err)\n\t}\n", 30)
	prose := strings.Repeat("The tests fail because the fixture is missing; I'll add it and run them again. ", 8)
	for i := 0; b.Len() < size; i++ {
		if format == "openai" {
			fmt.Fprintf(&b, `{"role":"user","content":%q}`+"\n", prose)
			fmt.Fprintf(&b, `{"role":"assistant","content":%q,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"read","arguments":"{\"path\":\"a/b/c%d.go\"}"}}]}`+"\n", prose, i, i)
			fmt.Fprintf(&b, `{"role":"tool","tool_call_id":"c%d","content":%q}`+"\n", i, code)
			continue
		}
		common := fmt.Sprintf(`"sessionId":"s","cwd":"/home/u/p","version":"2.1.0","timestamp":"2026-02-11T22:%02d:%02d.000Z"`, i/60%60, i%60)
		fmt.Fprintf(&b, `{"type":"assistant","uuid":"a%d",%s,"message":{"id":"m%d","type":"message","role":"assistant","model":"claude-opus-4-6","content":[{"type":"text","text":%q}],"usage":{"input_tokens":3,"output_tokens":9}}}`+"\n", i, common, i, prose)
		fmt.Fprintf(&b, `{"type":"assistant","uuid":"b%d",%s,"message":{"id":"m%d","type":"message","role":"assistant","model":"claude-opus-4-6","content":[{"type":"tool_use","id":"t%d","name":"Read","input":{"file_path":"/home/u/p/c%d.go"}}],"usage":{"input_tokens":3,"output_tokens":9}}}`+"\n", i, common, i, i, i)
		fmt.Fprintf(&b, `{"type":"user","uuid":"r%d",%s,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]}}`+"\n", i, common, i, code)
	}
	return []byte(b.String())
}

// BenchmarkExport measures the throughput of each format in bytes of the transcript, on one core.
func BenchmarkExport(b *testing.B) {
	const size = 32 << 20
	for _, in := range []struct{ name, format string }{{"openai", "openai"}, {"claude", "claude-code"}} {
		path := filepath.Join(b.TempDir(), in.name+".jsonl")
		data := conversation(in.name, size)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			b.Fatal(err)
		}
		c, err := load.Open(context.Background(), path, load.Options{Format: in.format})
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		snap, err := c.Load(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		view := describe.NewView(query.Everything(snap), nil)
		for _, f := range plainFormats() {
			b.Run(in.name+"/"+f.Name, func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
				b.SetBytes(int64(len(data)))
				opts := export.Options{Redact: f.People, MaxContent: 500, Workers: 1}
				if f.Name == "json" {
					opts.Indent = 2
				}
				for b.Loop() {
					if _, err := f.Write(context.Background(), io.Discard, view, opts); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
