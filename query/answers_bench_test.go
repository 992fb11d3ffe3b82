package query

import (
	"context"
	"testing"
	"time"

	"turns/model"
)

// million is a conversation of a million messages: prompts, responses with two
// calls, their results.
func million(rows int) *model.Snapshot {
	g := newGrowing()
	g.ix.Names = []string{"", "opus", "Bash", "Read", "Edit"}
	for i := 0; g.ix.Heads.Len() < rows; i++ {
		at := 1_770_000_000_000 + int64(i)*5_000
		if i%12 == 0 {
			g.add(model.Head{Time: at, Role: model.User, Flags: model.Prompt | model.HasWords, Size: 80})
		}
		msg := model.ID(g.ix.Heads.Len())
		last := model.NoRow
		for k := range 2 {
			last = uint32(g.ix.Calls.Append(model.Call{
				Msg: msg, Result: msg + 1, Prev: last, PrevResult: last, Tool: uint16(2 + (i+k)%3), Took: uint32(i * 37 % 9000),
				Outcome: model.Success + model.Outcome(i%17/16), ArgsSize: 60, ResultSize: uint32(i % 5000),
			}))
		}
		g.add(model.Head{Time: at + 2000, Role: model.Assistant, Name: 1, Flags: model.HasCalls, LastCall: last, Size: 200})
		g.ix.Heads.Amend(int(msg)).Usage = uint32(g.ix.Tokens.Append(model.Tokens{Input: 3, CacheRead: 9000, CacheWrite: 50, Output: 90, Reasoning: model.NoTokens}))
		g.add(model.Head{Time: at + 4000, Role: model.Tool, Flags: model.HasResults, LastCall: last, Size: 3000})
	}
	return g.snapshot()
}

// benchAnswer reports how long an answer over a million messages takes; the bar is
// 100 ms.
func benchAnswer(b *testing.B, answer func(sel Selection)) {
	sel := Everything(million(1_000_000))
	b.ResetTimer()
	start := time.Now()
	for range b.N {
		answer(sel)
	}
	b.ReportMetric(float64(time.Since(start).Milliseconds())/float64(b.N), "ms/million")
}

func BenchmarkStats(b *testing.B) {
	benchAnswer(b, func(sel Selection) {
		if _, err := Stats(context.Background(), sel, nil); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkToolSummary(b *testing.B) {
	benchAnswer(b, func(sel Selection) { ToolSummary(sel, nil) })
}

func BenchmarkTimeline(b *testing.B) { benchAnswer(b, func(sel Selection) { Timeline(sel) }) }

func BenchmarkTurnIndex(b *testing.B) { benchAnswer(b, func(sel Selection) { NewTurnIndex(sel.Snap) }) }

func BenchmarkDescribeLong(b *testing.B) {
	big := make([]byte, 1<<20)
	for i := range big {
		big[i] = byte('a' + i%26)
		if i%80 == 79 {
			big[i] = '\n'
		}
	}
	call := model.Content{Kind: model.ToolCall, Name: "Bash", Text: `{"command":"cat big"}`}
	result := model.Content{Kind: model.ToolResult, Text: string(big)}
	d := Describer{Cwd: "/work"}
	b.SetBytes(int64(len(big)))
	for range b.N {
		d.Call(&call, &result, nil)
	}
}
