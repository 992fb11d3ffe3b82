package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/claude"
)

// claudeBenchLines generates a session of about size bytes: prompts, responses with a line for each
// block, and results of very different sizes.
func claudeBenchLines(size int) [][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the build fails because parser returns early when buffer is empty so we read file again check error path")
	prose := func(n int) string {
		var b strings.Builder
		for range n {
			for range 6 + rng.IntN(54) {
				b.WriteString(words[rng.IntN(len(words))])
				b.WriteByte(' ')
			}
			b.WriteString("\n\n")
		}
		return b.String()
	}
	var lines [][]byte
	written, n := 0, 0
	emit := func(kind, message, more string) {
		n++
		line := fmt.Sprintf(`{"parentUuid":"u%012d","isSidechain":false,"userType":"external","cwd":"/src/app","sessionId":"5e55-big",`+
			`"version":"2.1.239","gitBranch":"main","type":%q,"message":%s,"uuid":"u%012d","timestamp":"2026-01-01T00:%02d:%02d.%03dZ"%s}`,
			n-1, kind, message, n, n/60%60, n%60, n%1000, more)
		lines = append(lines, []byte(line))
		written += len(line)
	}
	quote := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	for resp := 0; written < size; {
		emit("user", `{"role":"user","content":`+quote(prose(1+rng.IntN(2)))+`}`, "")
		for range 1 + rng.IntN(12) {
			resp++
			head := fmt.Sprintf(`{"id":"msg_%09d","type":"message","role":"assistant","model":"claude-opus-4-5","stop_reason":"tool_use",`+
				`"usage":{"input_tokens":3,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d},"content":[`,
				resp, rng.IntN(4000), rng.IntN(150000), 20+rng.IntN(900))
			request := fmt.Sprintf(`,"requestId":"req_%09d"`, resp)
			if rng.Float64() < .3 {
				emit("assistant", head+`{"type":"thinking","thinking":`+quote(prose(2))+`,"signature":"`+strings.Repeat("c2ln", 40)+`"}]}`, request)
			}
			if rng.Float64() < .6 {
				emit("assistant", head+`{"type":"text","text":`+quote(prose(1+rng.IntN(4)))+`}]}`, request)
			}
			emit("assistant", head+fmt.Sprintf(`{"type":"tool_use","id":"toolu_%09d","name":"Read","input":{"file_path":"/src/app/file%d.go","note":%s}}]}`,
				resp, rng.IntN(400), quote(prose(1))), request)
			sizes := []int{2, 2, 2, 2, 2, 2, 12, 12, 12, 120}
			text := prose(sizes[rng.IntN(len(sizes))])
			bad := ""
			if rng.Float64() < .04 {
				bad, text = `,"is_error":true`, "Error: exit status 1\n"+text
			}
			emit("user", fmt.Sprintf(`{"role":"user","content":[{"tool_use_id":"toolu_%09d","type":"tool_result","content":%s%s}]}`, resp, quote(text), bad),
				`,"toolUseResult":{"stdout":`+quote(text[:min(len(text), 200)])+`,"interrupted":false}`)
		}
	}
	return lines
}

// BenchmarkClaudeParse measures the speed of only the parser, on one core.
func BenchmarkClaudeParse(b *testing.B) {
	lines := claudeBenchLines(8 << 20)
	b.SetBytes(int64(len(bytes.Join(lines, []byte("\n")))))
	parse := claude.CodeFormat().Parse
	var fs model.Facts
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			fs.Clear()
			if err := parse(model.Record{Data: line}, &fs); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// TestClaudeParseAllocates checks that the hot path does not allocate.
func TestClaudeParseAllocates(t *testing.T) {
	lines := claudeBenchLines(200 << 10)
	parse := claude.CodeFormat().Parse
	var fs model.Facts
	allocs := testing.AllocsPerRun(5, func() {
		for _, line := range lines {
			fs.Clear()
			if err := parse(model.Record{Data: line}, &fs); err != nil {
				t.Fatal(err)
			}
		}
	})
	if allocs > 0 {
		t.Errorf("parsing %d lines allocates %v times", len(lines), allocs)
	}
}
