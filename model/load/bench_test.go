package load

import (
	"context"
	"os"
	"testing"
)

// BenchmarkIndex indexes the file that TURNS_BIG names.
func BenchmarkIndex(b *testing.B) {
	path := os.Getenv("TURNS_BIG")
	if path == "" {
		b.Skip("TURNS_BIG names no large transcript")
	}
	for b.Loop() {
		c, err := Open(context.Background(), path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		s, err := c.Load(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(s.Len()), "messages")
		c.Close()
	}
	info, _ := os.Stat(path)
	b.SetBytes(info.Size())
}
