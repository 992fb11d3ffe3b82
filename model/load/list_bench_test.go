package load

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"turns/model/modeltest"
)

// folderOf makes a folder of n transcripts of about size bytes.
func folderOf(tb testing.TB, n int, size int64) []string {
	tb.Helper()
	dir := tb.TempDir()
	var texts [10][]byte // making a transcript takes longer than listing it
	for i := range texts {
		var b bytes.Buffer
		if _, err := modeltest.Transcript(&b, size, uint64(i)); err != nil {
			tb.Fatal(err)
		}
		texts[i] = b.Bytes()
	}
	paths := make([]string, n)
	for i := range paths {
		sub := filepath.Join(dir, fmt.Sprint("project-", i%50))
		if err := os.MkdirAll(sub, 0o700); err != nil {
			tb.Fatal(err)
		}
		paths[i] = filepath.Join(sub, fmt.Sprintf("%05d.jsonl", i))
		if err := os.WriteFile(paths[i], texts[i%len(texts)], 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return paths
}

// readWindows reads what a list may read of each file, several at a time.
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

// BenchmarkList lists transcripts: how long the first page takes, what each costs,
// and how that compares with reading the windows. What it computed is compared,
// as both use all cores and other programs disturb the clock.
func BenchmarkList(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
		size int64
	}{{"10000x4KB", 10_000, 4 << 10}, {"500x64KB", 500, 64 << 10}, {"100x1MB", 100, 1 << 20}} {
		b.Run(c.name, func(b *testing.B) {
			paths := folderOf(b, c.n, c.size)
			readWindows(b, paths) // into the page cache
			var first, listing, reading time.Duration
			b.ResetTimer()
			for b.Loop() {
				begun, cpu := time.Now(), cpuTime()
				n := 0
				for l := range List(context.Background(), paths, nil) {
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
