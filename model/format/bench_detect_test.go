package format

import (
	"os"
	"testing"
)

// BenchmarkDetect recognises transcripts of three formats.
func BenchmarkDetect(b *testing.B) {
	for _, file := range []string{"claude-code/session.jsonl", "codex/paginated.jsonl", "openai/array.json"} {
		data, err := os.ReadFile(samplesDir + "/" + file)
		if err != nil {
			b.Fatal(err)
		}
		s := sampleOf(file, data)
		b.Run(file, func(b *testing.B) {
			for b.Loop() {
				Detect(s)
			}
		})
		b.Run(file+" known", func(b *testing.B) {
			for b.Loop() {
				detectKnown(s)
			}
		})
	}
}
