package load

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatAPartialSummaryCounts: a summary counts all of a transcript of lines up to 128 KiB, if
// one of the same format is next to it. If it is longer, the summary counts the beginning up to
// the first answer, in steps that double from 4 KiB to 64 KiB, and the last 8 KiB, or the last 64
// KiB if these have no message.
func TestWhatAPartialSummaryCounts(t *testing.T) {
	const size, kib = 256, 1024 / 256 // of a line, and lines in 1 KiB
	line := func(i int, kind string) string {
		start, end := fmt.Sprintf(`{"type":%q,"uuid":"u%d","sessionId":"s","timestamp":"2026-01-01T10:00:00Z","message":{"role":%[1]q,"content":"`, kind, i), `"}}`+"\n"
		if kind == "summary" {
			start, end = `{"type":"summary","leafUuid":"u","summary":"`, `"}`+"\n"
		}
		return start + strings.Repeat("x", size-len(start)-len(end)) + end
	}
	for name, c := range map[string]struct {
		lines    int // the first is the prompt
		answer   int // the line of the answer
		silent   int // lines without a message at the end
		messages int
		partial  bool
	}{
		"128 KiB":                       {128 * kib, 1, 0, 128 * kib, false},
		"128 KiB and a line":            {128*kib + 1, 1, 0, 12*kib - 1, true}, // the last 8 KiB start within a line
		"an answer in the first 4 KiB":  {200 * kib, 4*kib - 1, 0, 12*kib - 1, true},
		"an answer after 4 KiB":         {200 * kib, 4 * kib, 0, 16*kib - 1, true},
		"an answer after 32 KiB":        {200 * kib, 32 * kib, 0, 72*kib - 1, true},
		"no answer in the first 64 KiB": {200 * kib, 64 * kib, 0, 72*kib - 1, true},
		"the last message at 8 KiB":     {200 * kib, 1, 8*kib - 2, 4*kib + 1, true},
		"the last message before 8 KiB": {200 * kib, 1, 8*kib - 1, 60 * kib, true},
		"the last message at 64 KiB":    {200 * kib, 1, 64*kib - 2, 4*kib + 1, true},
		"no message in the last 64 KiB": {200 * kib, 1, 64*kib - 1, 4 * kib, true},
	} {
		text := strings.Builder{}
		for i := range c.lines {
			switch {
			case i >= c.lines-c.silent:
				text.WriteString(line(i, "summary"))
			case i == c.answer:
				text.WriteString(line(i, "assistant"))
			default:
				text.WriteString(line(i, "user"))
			}
		}
		dir := t.TempDir()
		path, neighbour := filepath.Join(dir, "run.jsonl"), filepath.Join(dir, "a.jsonl")
		write(t, path, text.String())
		write(t, neighbour, line(0, "user")+line(1, "assistant"))
		l := newLister(&Hints{})
		l.summarised(t.Context(), byAge(t.Context(), []string{neighbour})[0], nil)
		s := l.summarised(t.Context(), byAge(t.Context(), []string{path})[0], nil)
		if s.Err != nil || s.Format != "claude-code" || s.Messages != c.messages || s.Partial != c.partial {
			t.Errorf("%s: %d messages of %q, partial %v, %v; want %d", name, s.Messages, s.Format, s.Partial, s.Err, c.messages)
		}
	}
}

// TestLongFirstLines: a transcript of lines is summarised by its ends if its first line ends in the
// first 256 KiB, otherwise completely.
func TestLongFirstLines(t *testing.T) {
	const line = `{"role":"user","content":"hi"}` + "\n"
	for first, partial := range map[int]bool{256 << 10: true, 256<<10 + 1: false} {
		start, end := `{"role":"user","content":"`, `"}`+"\n"
		text := start + strings.Repeat("x", first-len(start)-len(end)) + end + strings.Repeat(line, 5000)
		path := filepath.Join(t.TempDir(), "run.jsonl")
		write(t, path, text)
		s, err := Summarise(t.Context(), path)
		if err != nil || s.Partial != partial {
			t.Errorf("a first line of %d bytes: partial %v, %d messages, %v", first, s.Partial, s.Messages, err)
		}
	}
}

// TestWhatIsSummarisedWhole: the counts of a document are exact up to 8 MiB, and of a database up
// to 64 MiB. One byte more makes them lower bounds. The files only claim the sizes.
func TestWhatIsSummarisedWhole(t *testing.T) {
	document := filepath.Join(t.TempDir(), "run.json")
	write(t, document, "{\n"+`"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yes"}]}`)
	for path, limit := range map[string]int64{document: 8 << 20, agentDatabases(t)["crush"]: 64 << 20} {
		file := byAge(t.Context(), []string{path})[0]
		for over := range int64(2) {
			file.size = limit + over
			got := newLister(&Hints{}).summarised(t.Context(), file, nil)
			if got.Err != nil || got.Messages == 0 || got.Partial != (over > 0) {
				t.Errorf("%s of %d bytes: partial %v, %d messages, %v", filepath.Base(path), file.size, got.Partial, got.Messages, got.Err)
			}
		}
	}
}
