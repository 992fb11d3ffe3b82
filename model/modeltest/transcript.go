// Package modeltest writes transcripts of any size for tests and benchmarks: a
// session as Claude Code records it, one line per content block, with prose,
// tool calls, failures, and now and then a result of megabytes.
package modeltest

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"
)

// Counts are the true numbers of a transcript.
type Counts struct {
	Bytes, Lines, Messages, Prompts, Answers, Calls, Results, Errors, OutputTokens int64
}

var words = strings.Fields(`the build fails because parser returns early when buffer is empty so we read file again check error path
context window token usage render frame index offset query filter timeline turn result stream retry timeout
config module package interface struct channel goroutine mutex snapshot decode encode record line byte`)

// tools with how often they are called.
var tools = []struct {
	name   string
	weight int
}{{"Read", 9}, {"Bash", 9}, {"Edit", 5}, {"Grep", 4}, {"Glob", 2}, {"Write", 2}, {"WebFetch", 1}, {"Task", 1}, {"TodoWrite", 1}}

type writer struct {
	w      *bufio.Writer
	rng    *rand.Rand
	bank   []string
	clock  time.Time
	counts Counts
	buf    []byte
}

// Transcript writes about size bytes; the same seed writes the same.
func Transcript(w io.Writer, size int64, seed uint64) (Counts, error) {
	t := writer{
		w: bufio.NewWriterSize(w, 1<<16), rng: rand.New(rand.NewPCG(seed, 0)),
		clock: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	for range 4000 {
		t.bank = append(t.bank, t.sentence(6+t.rng.IntN(55)))
	}
	call, response := 0, 0
	for t.counts.Bytes < size {
		t.prompt()
		for range 1 + t.rng.IntN(12) {
			response++
			t.answer(response, &call)
		}
		t.final(response)
	}
	return t.counts, t.w.Flush()
}

func (t *writer) sentence(n int) string {
	picked := make([]string, n)
	for i := range picked {
		picked[i] = words[t.rng.IntN(len(words))]
	}
	return strings.Join(picked, " ")
}

// prose appends k paragraphs as the inside of a JSON string.
func (t *writer) prose(b []byte, k int) []byte {
	for i := range k {
		if i > 0 {
			b = append(b, `\n\n`...)
		}
		b = append(b, t.bank[t.rng.IntN(len(t.bank))]...)
	}
	return b
}

// line writes a record around a message.
func (t *writer) line(kind string, message func([]byte) []byte, more string) {
	t.counts.Lines++
	n := t.counts.Lines
	t.clock = t.clock.Add(time.Duration(t.rng.ExpFloat64() * float64(2*time.Second)))
	b := t.buf[:0]
	parent := "null"
	if n > 1 {
		parent = fmt.Sprintf(`"u%012d"`, n-1)
	}
	b = fmt.Appendf(b, `{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":"/src/app","sessionId":"5e55-big","version":"2.1.239","gitBranch":"main","type":%q,"message":`, parent, kind)
	b = message(b)
	b = fmt.Appendf(b, `,"uuid":"u%012d","timestamp":%q%s}`, n, t.clock.Format("2006-01-02T15:04:05.000Z"), more)
	b = append(b, '\n')
	t.w.Write(b) // bufio keeps the error for Flush
	t.counts.Bytes += int64(len(b))
	t.buf = b
}

func (t *writer) prompt() {
	paragraphs := []int{1, 1, 1, 2, 3}[t.rng.IntN(5)]
	t.line("user", func(b []byte) []byte {
		b = append(b, `{"role":"user","content":"`...)
		return append(t.prose(b, paragraphs), `"}`...)
	}, "")
	t.counts.Prompts++
	t.counts.Messages++
}

// answer writes one response, a line a block, and the results of its calls.
func (t *writer) answer(response int, call *int) {
	tokens := int64(20 + t.rng.IntN(881))
	head := fmt.Sprintf(`{"id":"msg_%09d","type":"message","role":"assistant","model":"claude-opus-4-5","stop_reason":"tool_use","usage":{"input_tokens":3,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d},"content":[`,
		response, t.rng.IntN(4001), 1000+t.rng.IntN(149001), tokens)
	request := fmt.Sprintf(`,"requestId":"req_%09d"`, response)
	block := func(inside func([]byte) []byte) {
		t.line("assistant", func(b []byte) []byte { return append(inside(append(b, head...)), `]}`...) }, request)
	}
	if t.rng.Float64() < .3 {
		block(func(b []byte) []byte {
			b = t.prose(append(b, `{"type":"thinking","thinking":"`...), 2)
			return fmt.Appendf(b, `","signature":"%s"}`, strings.Repeat("c2ln", 40))
		})
	}
	if t.rng.Float64() < .6 {
		block(func(b []byte) []byte {
			b = t.prose(append(b, `{"type":"text","text":"`...), []int{1, 2, 4}[t.rng.IntN(3)])
			return append(b, `"}`...)
		})
	}
	first := *call + 1
	for range []int{1, 1, 1, 2, 3}[t.rng.IntN(5)] {
		*call++
		block(func(b []byte) []byte {
			b = fmt.Appendf(b, `{"type":"tool_use","id":"toolu_%09d","name":%q,"input":{"file_path":"/src/app/pkg%d/file%d.go","note":"`,
				*call, t.tool(), 1+t.rng.IntN(40), 1+t.rng.IntN(400))
			return append(t.prose(b, 1), `"}}`...)
		})
	}
	t.counts.Answers++
	t.counts.Messages++
	t.counts.OutputTokens += tokens
	t.counts.Calls += int64(*call - first + 1)
	for id := first; id <= *call; id++ {
		t.result(id)
	}
}

func (t *writer) tool() string {
	n := t.rng.IntN(34)
	for _, tool := range tools {
		if n -= tool.weight; n < 0 {
			return tool.name
		}
	}
	return tools[0].name
}

func (t *writer) result(id int) {
	paragraphs := 2
	switch r := t.rng.Float64(); {
	case r >= .9998:
		paragraphs = 15000
	case r >= .998:
		paragraphs = 4000
	case r >= .93:
		paragraphs = 120
	case r >= .6:
		paragraphs = 12
	}
	bad := t.rng.Float64() < .04
	t.line("user", func(b []byte) []byte {
		b = fmt.Appendf(b, `{"role":"user","content":[{"tool_use_id":"toolu_%09d","type":"tool_result","content":"`, id)
		if bad {
			b = append(b, `Error: exit status 1\n`...)
		}
		b = append(t.prose(b, paragraphs), '"')
		if bad {
			b = append(b, `,"is_error":true`...)
			t.counts.Errors++
		}
		return append(b, `}]}`...)
	}, `,"toolUseResult":{"stdout":"","interrupted":false}`)
	t.counts.Results++
	t.counts.Messages++
}

func (t *writer) final(response int) {
	t.line("assistant", func(b []byte) []byte {
		b = fmt.Appendf(b, `{"id":"msg_end%09d","type":"message","role":"assistant","model":"claude-opus-4-5","stop_reason":"end_turn","content":[{"type":"text","text":"## Summary\n\n`, response)
		b = t.prose(b, 3)
		return append(b, `\n\n`+"```go"+`\nfunc main() {}\n`+"```"+`"}],"usage":{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":9000,"output_tokens":77}}`...)
	}, fmt.Sprintf(`,"requestId":"req_end%09d"`, response))
	t.counts.Answers++
	t.counts.Messages++
	t.counts.OutputTokens += 77
}
