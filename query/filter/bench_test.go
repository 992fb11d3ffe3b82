package filter

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/lang"
)

// evalLog returns text like the results of tools.
func evalLog(rnd *rand.Rand, size int) string {
	words := []string{"INFO", "request", "handled", "in", "12ms", "path=/api/v1/items", "status=200", "func", "return", "err", "nil", "package", "main",
		"building", "linking", "3f8a9c", "0x7ffd", "test", "ok", "github.com/x/y", "line", "value"}
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(words[rnd.IntN(len(words))])
		b.WriteByte(" \n      "[rnd.IntN(8)])
	}
	return b.String()
}

// BenchmarkRegexWithoutLiteral prints the speed of a regex without a usable literal, relative to
// the standard library.
func BenchmarkRegexWithoutLiteral(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var bodies []string
	var msgs []model.Message
	for range 512 {
		bodies = append(bodies, evalLog(rnd, 4<<10))
		msgs = append(msgs, model.Message{Role: model.Tool, Blocks: []model.Content{{Kind: model.ToolResult, ID: "x", Text: bodies[len(bodies)-1]}}})
	}
	sel := query.Everything(model.FromMessages(msgs))
	for _, pattern := range []string{`[0-9a-f]{40}`, `[a-z]+ing\s+[0-9]{3}\b`, `(error|panic|fatal): [a-z]+`, `\bTODO\b.*fix`} {
		f, err := lang.Parse("/" + pattern + "/")
		if err != nil {
			b.Fatal(err)
		}
		std := regexp.MustCompile(pattern)
		b.Run(pattern, func(b *testing.B) {
			b.SetBytes(int64(len(bodies) * len(bodies[0])))
			for b.Loop() {
				if _, err := Apply(context.Background(), sel, f, Env{}); err != nil {
					b.Fatal(err)
				}
			}
			mine := b.Elapsed() / time.Duration(b.N)
			start := time.Now()
			for _, s := range bodies {
				std.MatchString(s)
			}
			b.ReportMetric(float64(time.Since(start))/float64(mine), "×stdlib")
		})
	}
}

// BenchmarkLiteralSearch prints the time of a filter for a rare word, relative to a plain search of
// the bytes.
func BenchmarkLiteralSearch(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var msgs []model.Message
	for i := range 20_000 {
		text := evalLog(rnd, 2<<10)
		if i%5000 == 77 {
			text += " Needle in it"
		}
		msgs = append(msgs, model.Message{Role: model.Assistant, Blocks: []model.Content{{Kind: model.Words, Text: text}}})
	}
	s := evalSourced(rnd, model.FromMessages(msgs), msgs)
	stream := s.Sources()[0].Stream
	data := make([]byte, stream.Size())
	if _, err := stream.ReadAt(data, 0); err != nil {
		b.Fatal(err)
	}
	f, _ := lang.Parse("needle")
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if r, err := Apply(context.Background(), query.Everything(s), f, Env{}); err != nil || len(r.IDs) != 4 {
			b.Fatal(len(r.IDs), err)
		}
	}
	mine := b.Elapsed() / time.Duration(b.N)
	start := time.Now()
	n := bytes.Count(data, []byte("needle")) + bytes.Count(data, []byte("Needle"))
	b.ReportMetric(float64(mine)/float64(time.Since(start)), "×scan")
	if n != 4 {
		b.Fatal(n)
	}
}

// BenchmarkLiteralThatIsEverywhere compares a filter for a word in all of 100,000 lines, of one
// message each or of one message, with a filter for an absent word. The ratio includes reading the
// matching messages: the bytes of a transcript prove the absence of a word without reading any.
func BenchmarkLiteralThatIsEverywhere(b *testing.B) {
	const line = "zebra crossing in the middle of the road\n"
	for _, each := range []int{1, 100_000} {
		b.Run(fmt.Sprint(each), func(b *testing.B) {
			var msgs []model.Message
			for range 100_000 / each {
				msgs = append(msgs, model.Message{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: strings.Repeat(line, each)}}})
			}
			s := evalSourced(rand.New(rand.NewPCG(1, 2)), model.FromMessages(msgs), msgs)
			apply := func(word string, want int) time.Duration {
				f, _ := lang.Parse(word)
				start := time.Now()
				if r, err := Apply(context.Background(), query.Everything(s), f, Env{}); err != nil || len(r.IDs) != want {
					b.Fatal(len(r.IDs), err)
				}
				return time.Since(start)
			}
			var with, without time.Duration
			for b.Loop() {
				without += apply("nothinghere", 0)
				with += apply("zebra", len(msgs))
			}
			b.ReportMetric(float64(with)/float64(without), "×without")
		})
	}
}

// BenchmarkHeads applies a filter to a million heads.
func BenchmarkHeads(b *testing.B) {
	var ix model.Index
	ix.Version, ix.Names = 1, []string{"", "Bash", "Read"}
	ix.Threads, ix.Sessions = []model.Thread{{Main: true}}, []model.Session{{}}
	const n = 1_000_000
	for i := range n {
		h := model.Head{Role: model.Assistant, Flags: model.HasCalls, LastCall: model.NoRow, Usage: model.NoRow, Time: int64(i), Size: 100}
		if i%2 == 1 {
			h.Role, h.Flags = model.Tool, model.HasResults
			h.LastCall = uint32(i / 2)
		} else {
			c := model.Call{Msg: model.ID(i), Result: model.ID(i + 1), Prev: model.NoRow, PrevResult: model.NoRow, Tool: uint16(1 + i/2%2), Took: uint32(i)}
			if i%20 == 0 {
				c.Outcome = model.Failure
			}
			h.LastCall = uint32(ix.Calls.Append(c))
		}
		ix.Heads.Append(h)
		ix.Live = append(ix.Live, model.ID(i))
	}
	s := model.NewSnapshot(ix, nil)
	for _, src := range []string{"role:user", "is:error", "tool:Bash is:error dur:>5s", "-tool:Bash"} {
		f, _ := lang.Parse(src)
		b.Run(fmt.Sprint(src), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Apply(context.Background(), query.Everything(s), f, Env{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
