package summary

import (
	"context"
	"testing"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/querytest"
)

// benchAnswer measures an answer over a million messages; the limit is 100 ms.
func benchAnswer(b *testing.B, answer func(sel query.Selection)) {
	sel := query.Everything(querytest.Million(1_000_000))
	b.ResetTimer()
	start := time.Now()
	for range b.N {
		answer(sel)
	}
	b.ReportMetric(float64(time.Since(start).Milliseconds())/float64(b.N), "ms/million")
}

func BenchmarkStats(b *testing.B) {
	benchAnswer(b, func(sel query.Selection) {
		if _, err := Stats(context.Background(), sel, nil); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkToolSummary(b *testing.B) {
	benchAnswer(b, func(sel query.Selection) { ToolSummary(sel, nil) })
}

func BenchmarkTimeline(b *testing.B) { benchAnswer(b, func(sel query.Selection) { Timeline(sel) }) }

func BenchmarkTurnIndex(b *testing.B) {
	benchAnswer(b, func(sel query.Selection) { query.NewTurnIndex(sel.Snap) })
}

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
	d := describe.Describer{Cwd: "/work"}
	b.SetBytes(int64(len(big)))
	for range b.N {
		d.Call(&call, &result, nil)
	}
}
