package transcripts

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkFollow checks 200 transcripts that each grew by a line, like the list does every second:
// 10 ms are 1 % of a core.
func BenchmarkFollow(b *testing.B) {
	dir := b.TempDir()
	const runs = 200
	line := func(run, n int) string {
		head := fmt.Sprintf(`{"parentUuid":"u%d-%d","isSidechain":false,"sessionId":"s%d","cwd":"/w/p","version":"2.1.0","timestamp":%q,"uuid":"u%d-%d",`, run, n-1, run, time.Now().UTC().Format(time.RFC3339Nano), run, n)
		if n%2 == 1 {
			return head + fmt.Sprintf(`"type":"assistant","requestId":"r%d","message":{"id":"m%d","type":"message","role":"assistant","model":"claude-opus-4-6","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"go test ./p%d"}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":50,"cache_read_input_tokens":9000}}}`+"\n", n, n, n, n)
		}
		return head + fmt.Sprintf(`"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"ok"}]}}`+"\n", n-1)
	}
	files := make([]*os.File, runs)
	for i := range files {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("s%d.jsonl", i)))
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		for n := range 100 {
			fmt.Fprint(f, line(i, n))
		}
		files[i] = f
	}
	lib := New(Options{Dirs: []string{dir}})
	defer lib.Close()
	l, err := lib.newLister(b.Context(), func(Update) {})
	if err != nil {
		b.Fatal(err)
	}
	if err := l.list(b.Context()); err != nil {
		b.Fatal(err)
	}
	n := 100
	grow := func() {
		for i, f := range files {
			fmt.Fprint(f, line(i, n))
		}
		n++
	}
	grow()
	l.look(b.Context())
	if len(l.tails) != runs {
		b.Fatalf("%d are followed", len(l.tails))
	}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		grow()
		b.StartTimer()
		var news Update
		l.grow(b.Context(), &news)
		if len(news.Sessions) != runs {
			b.Fatalf("%d have grown", len(news.Sessions))
		}
	}
}
