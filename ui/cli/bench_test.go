package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tiktoken "github.com/pkoukk/tiktoken-go"
	tiktoken_loader "github.com/pkoukk/tiktoken-go-loader"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/model/token"
	"turns/query"
	"turns/query/filter"
	"turns/query/summary"
)

// The benchmarks in this file compare turns with well-known programs, on one generated transcript.
// It has 64 MB; TURNS_BENCH_BYTES=1G makes it larger. TURNS_BENCH_FILE names another file. Missing
// programs have no row.

func benchFile(b *testing.B) string {
	b.Helper()
	if path := os.Getenv("TURNS_BENCH_FILE"); path != "" {
		return path
	}
	size := int64(64 << 20)
	if text := os.Getenv("TURNS_BENCH_BYTES"); text != "" {
		unit := int64(1)
		switch text[len(text)-1] {
		case 'M':
			unit, text = 1<<20, text[:len(text)-1]
		case 'G':
			unit, text = 1<<30, text[:len(text)-1]
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			b.Fatalf("TURNS_BENCH_BYTES: %v", err)
		}
		size = n * unit
	}
	path := filepath.Join(b.TempDir(), "run.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if _, err := modeltest.Transcript(f, size, 1); err != nil {
		b.Fatal(err)
	}
	return path
}

// program returns the time of another program, the best of three; 0 if it is missing.
func program(b *testing.B, name string, args ...string) time.Duration {
	b.Helper()
	if _, err := exec.LookPath(name); err != nil {
		b.Logf("%s is not installed", name)
		return 0
	}
	best := time.Duration(0)
	for range 3 {
		cmd := exec.Command(name, args...)
		cmd.Stdout = io.Discard
		begun := time.Now()
		// 1: grep without a match
		if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
			b.Fatal(err)
		}
		if took := time.Since(begun); best == 0 || took < best {
			best = took
		}
	}
	return best
}

func loadBench(b *testing.B, path string) (*load.Conversation, *model.Snapshot) {
	b.Helper()
	c, err := load.Open(context.Background(), path, load.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s, err := c.Load(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	return c, s
}

// timed runs f b.N times and reports how its best run compares with others.
func timed(b *testing.B, path string, others map[string]time.Duration, f func()) {
	b.Helper()
	if info, err := os.Stat(path); err == nil {
		b.SetBytes(info.Size())
	}
	best := time.Duration(0)
	for b.Loop() {
		begun := time.Now()
		f()
		if took := time.Since(begun); best == 0 || took < best {
			best = took
		}
	}
	for name, other := range others {
		if other > 0 {
			b.ReportMetric(float64(best)/float64(other), "x-"+name)
		}
	}
}

func BenchmarkIndex(b *testing.B) {
	path := benchFile(b)
	timed(b, path, map[string]time.Duration{"wc": program(b, "wc", "-l", path), "jq": program(b, "jq", "-c", ".type", path)}, func() {
		c, _ := loadBench(b, path)
		c.Close()
	})
}

// BenchmarkAnswers compares the answers that read no text with the index on which they are based.
func BenchmarkAnswers(b *testing.B) {
	path := benchFile(b)
	begun := time.Now()
	c, _ := loadBench(b, path)
	index := time.Since(begun)
	c.Close()
	answers := map[string]func(*model.Snapshot) error{
		"stats": func(s *model.Snapshot) error {
			_, err := summary.Stats(context.Background(), query.Everything(s), nil)
			return err
		},
		"tools":    func(s *model.Snapshot) error { summary.ToolSummary(query.Everything(s), nil); return nil },
		"timeline": func(s *model.Snapshot) error { summary.Timeline(query.Everything(s)); return nil },
	}
	for name, answer := range answers {
		b.Run(name, func(b *testing.B) {
			timed(b, path, map[string]time.Duration{"index": index}, func() {
				c, s := loadBench(b, path)
				if err := answer(s); err != nil {
					b.Fatal(err)
				}
				c.Close()
			})
		})
	}
}

// BenchmarkCommands runs each command in its own process, and reports its peak resident memory as a
// share of the file.
func BenchmarkCommands(b *testing.B) {
	path := benchFile(b)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	exe := filepath.Join(b.TempDir(), "turns")
	if out, err := exec.Command("go", "build", "-o", exe, "turns").CombinedOutput(); err != nil {
		b.Fatalf("building: %v\n%s", err, out)
	}
	for _, args := range []string{
		"stats --no-tokens", "tools --no-tokens", "timeline", "stats", "search:zzzNOTTHERE",
		"export --to json", "export --to jsonl", "export --to raw", "export --to markdown", "export --to csv",
	} {
		b.Run(strings.ReplaceAll(args, " ", "_"), func(b *testing.B) {
			b.SetBytes(info.Size())
			peak := int64(0)
			for b.Loop() {
				peak = max(peak, childPeak(b, exe, path, args))
			}
			b.ReportMetric(float64(peak)/1e6, "MB-rss")
			b.ReportMetric(100*float64(peak)/float64(info.Size()), "%-of-file")
		})
	}
}

func childPeak(b *testing.B, exe, path, args string) int64 {
	args, pattern, _ := strings.Cut(args, ":")
	fields := strings.Fields(args)
	words := append([]string{fields[0], path}, fields[1:]...)
	if pattern != "" {
		words = append(words, pattern)
	}
	peak, _ := peakAndOutput(b, nil, exe, words...)
	return peak
}

// peakAndOutput runs a program and returns its peak resident memory in bytes, and its output.
func peakAndOutput(t testing.TB, env []string, exe string, args ...string) (peak int64, printed string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, rest bytes.Buffer
	cmd := exec.Command(self, append([]string{exe}, args...)...)
	cmd.Env = append(append(os.Environ(), env...), peakEnv+"=1")
	cmd.Stdout, cmd.Stderr = &out, &rest
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %.1000s", err, rest.String())
	}
	if peak, err = strconv.ParseInt(out.String(), 10, 64); err != nil {
		t.Fatal(err)
	}
	return peak, rest.String()
}

// peakEnv makes this program run another one, whose output goes to stderr, and print its peak
// resident memory. A process inherits the peak of its parent, and the benchmark process is large.
const peakEnv = "TURNS_TEST_PEAK"

func printPeak(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, peakEnv+"=") })
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != exitNoMatch {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Print(peakOf(cmd.ProcessState))
	return 0
}

// BenchmarkSearch searches all content for a missing literal.
func BenchmarkSearch(b *testing.B) {
	path := benchFile(b)
	c, s := loadBench(b, path)
	defer c.Close()
	p, err := filter.NewPattern("zzzNOTTHERE", false)
	if err != nil {
		b.Fatal(err)
	}
	timed(b, path, map[string]time.Duration{"rg": program(b, "rg", "-c", "zzzNOTTHERE", path)}, func() {
		for hit, err := range filter.Find(context.Background(), query.Everything(s), p, nil) {
			b.Fatal(hit, err)
		}
	})
}

// BenchmarkRegexWithoutLiteral compares a regex search with the standard library's over the same
// texts.
func BenchmarkRegexWithoutLiteral(b *testing.B) {
	path := benchFile(b)
	c, s := loadBench(b, path)
	defer c.Close()
	const expr = `[a-z]+ing\s+[0-9]{3}\b`
	std := regexp.MustCompile(expr)
	begun, r := time.Now(), s.NewReader()
	var buf []byte
	for _, id := range s.LiveIDs() {
		blocks, err := r.Blocks(context.Background(), id)
		if err != nil {
			b.Fatal(err)
		}
		for i := range blocks {
			buf = blocks[i].Text.Append(buf[:0])
			std.Match(buf)
		}
	}
	stdlib := time.Since(begun)
	p, err := filter.NewPattern("/"+expr+"/", false)
	if err != nil {
		b.Fatal(err)
	}
	timed(b, path, map[string]time.Duration{"stdlib": stdlib}, func() {
		for _, err := range filter.Find(context.Background(), query.Everything(s), p, nil) {
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkTokens counts every text of the file, and compares with tiktoken-go on a part of the
// same texts.
func BenchmarkTokens(b *testing.B) {
	path := benchFile(b)
	c, s := loadBench(b, path)
	defer c.Close()
	text := someText(b, s, 1<<20)
	tiktoken.SetBpeLoader(tiktoken_loader.NewOfflineLoader())
	other, err := tiktoken.GetEncoding("o200k_base")
	if err != nil {
		b.Fatal(err)
	}
	begun := time.Now()
	other.EncodeOrdinary(text)
	theirs := time.Since(begun).Seconds() / float64(len(text))
	total := 0
	for _, id := range s.LiveIDs() {
		total += int(s.HeadRow(id).Size)
	}
	counter := &query.Counter{New: func() query.TokenCounter { return token.New(token.O200k) }, Encoding: "o200k"}
	best := time.Duration(0)
	for b.Loop() {
		begun := time.Now()
		if _, err := query.CountTokens(context.Background(), query.Everything(s), counter); err != nil {
			b.Fatal(err)
		}
		if took := time.Since(begun); best == 0 || took < best {
			best = took
		}
	}
	b.SetBytes(int64(total))
	b.ReportMetric(theirs*float64(total)/best.Seconds(), "x-faster-than-tiktoken-go")
}

// someText returns about size bytes of the session's text.
func someText(b *testing.B, s *model.Snapshot, size int) string {
	var buf []byte
	r := s.NewReader()
	for _, id := range s.LiveIDs() {
		blocks, err := r.Blocks(context.Background(), id)
		if err != nil {
			b.Fatal(err)
		}
		for i := range blocks {
			buf = append(blocks[i].Text.Append(buf), '\n')
		}
		if len(buf) >= size {
			break
		}
	}
	return string(buf)
}

// BenchmarkLongLine opens a single line of 100 MB.
func BenchmarkLongLine(b *testing.B) {
	path := filepath.Join(b.TempDir(), "long.jsonl")
	line := append([]byte(`{"role":"user","content":"`), bytes.Repeat([]byte("words and more words "), 5_000_000)...)
	if err := os.WriteFile(path, append(line, "\"}\n"...), 0o600); err != nil {
		b.Fatal(err)
	}
	timed(b, path, nil, func() {
		c, s := loadBench(b, path)
		if s.Len() != 1 {
			b.Fatal(fmt.Sprint("messages: ", s.Len()))
		}
		c.Close()
	})
}
