package load

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"turns/model/modeltest"
)

// folderOf creates a folder of n transcripts of about size bytes. Large folders repeat a few
// hundred texts under many names, because generating a text is slower than listing it.
func folderOf(tb testing.TB, n int, size func(i int) int64) []string {
	tb.Helper()
	dir := tb.TempDir()
	texts := make([]string, min(n, 250))
	for i := range texts {
		var b bytes.Buffer
		if _, err := modeltest.Transcript(&b, size(i), uint64(i)); err != nil {
			tb.Fatal(err)
		}
		texts[i] = filepath.Join(dir, fmt.Sprint("text-", i))
		if err := os.WriteFile(texts[i], b.Bytes(), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	paths := make([]string, n)
	for i := range paths {
		sub := filepath.Join(dir, fmt.Sprint("project-", i%50))
		if err := os.MkdirAll(sub, 0o700); err != nil {
			tb.Fatal(err)
		}
		paths[i] = filepath.Join(sub, fmt.Sprintf("%05d.jsonl", i))
		if err := os.Link(texts[i%len(texts)], paths[i]); err != nil {
			tb.Fatal(err)
		}
	}
	return paths
}

// realSize returns sizes like those of real sessions: from 50 KB to 2 MB, evenly by order of
// magnitude.
func realSize(i int) int64 {
	const golden = 0.6180339887498949
	_, at := math.Modf(float64(i) * golden)
	return int64(50e3 * math.Pow(40, at))
}

func sized(n int64) func(int) int64 { return func(int) int64 { return n } }

// readWindows reads the windows that a list may read of each file, with several files at a time.
func readWindows(tb testing.TB, paths []string) {
	jobs := make(chan string)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			buf := make([]byte, shortEnough)
			for p := range jobs {
				if err := readEnds(p, buf); err != nil {
					tb.Error(err)
				}
			}
		})
	}
	for _, p := range paths {
		jobs <- p
	}
	close(jobs)
	wg.Wait()
}

func readEnds(path string, buf []byte) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if size := info.Size(); size > shortEnough {
		if _, err := f.ReadAt(buf[:headWindow], 0); err != nil {
			return err
		}
		_, err = f.ReadAt(buf[:tailWindow], size-tailWindow)
		return err
	}
	_, err = f.ReadAt(buf[:info.Size()], 0)
	return err
}

// BenchmarkList lists transcripts: the time of the first page, the cost of each, and the ratio to
// only reading the windows. It compares CPU time, because both use all cores and other programs
// disturb the clock.
func BenchmarkList(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
		size func(int) int64
	}{
		{"10000real", 10_000, realSize}, {"10000x4KB", 10_000, sized(4 << 10)}, {"500x64KB", 500, sized(64 << 10)}, {"100x1MB", 100, sized(1 << 20)},
	} {
		b.Run(c.name, func(b *testing.B) {
			paths := folderOf(b, c.n, c.size)
			readWindows(b, paths) // into the page cache
			var first, listing, reading time.Duration
			b.ResetTimer()
			for b.Loop() {
				begun, cpu := time.Now(), cpuTime()
				n := 0
				for l := range List(context.Background(), paths, ListOptions{}) {
					if l.Err != nil || l.Messages == 0 {
						b.Fatalf("%+v", l)
					}
					if n++; n == 50 {
						first += time.Since(begun)
					}
				}
				b.StopTimer()
				listing += cpuTime() - cpu
				cpu = cpuTime()
				readWindows(b, paths)
				reading += cpuTime() - cpu
				b.StartTimer()
			}
			files := float64(b.N * c.n)
			b.ReportMetric(float64(first.Milliseconds())/float64(b.N), "ms/first-page")
			b.ReportMetric(float64(listing.Microseconds())/files, "us/file")
			b.ReportMetric(float64(reading.Microseconds())/files, "us/read")
			b.ReportMetric(float64(listing)/float64(reading), "x-reading")
		})
	}
}
