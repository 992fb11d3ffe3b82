package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"turns/model"
	"turns/model/format"
	"turns/model/source"
	"turns/model/stitch"
)

// Summary is what a session list says of a transcript. It is made from windows at
// its beginning and end, so that a folder of thousands is listed at once.
type Summary struct {
	Path     string        `json:"path"`
	Format   string        `json:"format"`
	Agent    string        `json:"agent"`   // title of the format
	Project  string        `json:"project"` // folder that the agent worked in
	Title    string        `json:"title"`   // as recorded, else the first prompt
	Session  string        `json:"session"` // recorded id
	Model    string        `json:"model"`
	Started  int64         `json:"started"` // Unix ms of the first record with a time; 0 unknown
	Last     int64         `json:"last"`    // of the last one
	Written  int64         `json:"written"` // of the last write to the file
	Bytes    int64         `json:"bytes"`
	Messages int           `json:"messages"`
	Calls    int           `json:"calls"`
	Errors   int           `json:"errors"`
	Tokens   int64         `json:"tokens"`   // recorded output
	Partial  bool          `json:"partial"`  // the middle was not read: the counts are lower bounds
	Sessions int           `json:"sessions"` // conversations in the file
	Ended    bool          `json:"ended"`
	Outcome  model.Outcome `json:"outcome"`
	Reason   string        `json:"reason"`
	Score    float64       `json:"score"`
	Scored   bool          `json:"scored"`
	Passed   int           `json:"passed,omitempty"` // of the conversations that have a score, those that did well
	Judged   int           `json:"judged,omitempty"`
	Open     bool          `json:"open"` // a call has no result, or an answer is due
}

// The windows of a transcript that its summary is made from.
const (
	headWindow = 256 << 10
	tailWindow = 128 << 10
)

// Summarise reads the windows of a transcript. Errors are those of opening it; a
// file that is no transcript gives the format records.
func Summarise(ctx context.Context, path string) (Summary, error) {
	return summarise(ctx, path, &hints{})
}

// SummariseWhole is Summarise of all that a transcript holds, whatever its size.
func SummariseWhole(ctx context.Context, path string) (Summary, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Summary{}, err
	}
	s := Summary{Path: path, Bytes: info.Size(), Written: info.ModTime().UnixMilli()}
	err = s.whole(ctx, &hints{})
	return s, err
}

func summarise(ctx context.Context, path string, h *hints) (Summary, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Summary{}, err
	}
	s := Summary{Path: path, Bytes: info.Size(), Written: info.ModTime().UnixMilli()}
	if info.IsDir() || info.Size() > headWindow {
		err = s.windows(ctx, h)
		return s, err
	}
	err = s.whole(ctx, h)
	return s, err
}

// whole summarises all that a transcript holds.
func (s *Summary) whole(ctx context.Context, h *hints) error {
	c, err := Open(ctx, s.Path, Options{Workers: 1, Limits: model.Limits{Record: 4 << 20}, hints: h})
	if err != nil {
		return err
	}
	defer c.Close()
	snap, err := c.Load(ctx)
	if snap == nil {
		return err
	}
	s.fill(ctx, snap, c.format)
	return nil
}

// windows summarises what is too large to be read for a list.
func (s *Summary) windows(ctx context.Context, h *hints) error {
	src, err := source.Open(ctx, s.Path, source.Options{})
	if err != nil {
		return err
	}
	defer src.Close()
	sample := src.Sample()
	f, m := h.detect(sample)
	s.Format, s.Agent, s.Partial = f.Name, f.Title, true
	if src.Shape() != model.Lines || f.Split != nil && f.Split(m) != nil || f.Lists != nil && f.Lists(m) != nil || f.Unroll != nil && f.Unroll.Replay != nil {
		return nil // what it holds is told when it is opened
	}
	stream := src.Stream()
	b := stitch.New(f.Order, f.Repeats, model.NewBodyCache(1<<20))
	x := &indexer{
		reader: reader{format: f, variant: m.Variant, maxSize: 4 << 20}, stream: stream, builder: b, workers: 1,
	}
	b.AddSource(model.Source{Stream: stream, Path: s.Path, Format: f.Name, Variant: m.Variant, Limit: x.maxSize, Parse: x.parse})
	if err := x.advance(ctx, min(headWindow, s.Bytes), false); err != nil {
		return err
	}
	if from, ok := lineAfter(stream, max(x.off, s.Bytes-tailWindow), s.Bytes); ok {
		x.off = from
		if err := x.advance(ctx, s.Bytes, false); err != nil {
			return err
		}
	}
	s.fill(ctx, b.Snapshot(), f)
	s.Partial = true
	return nil
}

// lineAfter is where the first line that begins at or after from does.
func lineAfter(stream model.Stream, from, end int64) (int64, bool) {
	buf := make([]byte, min(tailWindow, end-from))
	n, _ := stream.ReadAt(buf, from)
	i := bytes.IndexByte(buf[:n], '\n')
	return from + int64(i) + 1, i >= 0
}

func (s *Summary) fill(ctx context.Context, snap *model.Snapshot, f *model.Format) {
	s.Format, s.Agent = f.Name, f.Title
	sessions := snap.Sessions()
	se := &sessions[0]
	s.Project, s.Title, s.Session, s.Model = se.Field("cwd"), se.Field("title"), se.Field("session"), se.Field("model")
	s.Sessions, s.Messages = len(sessions), snap.Len()
	s.Ended, s.Outcome, s.Reason, s.Score, s.Scored = se.Ended, se.Outcome, se.Reason, se.Score, se.Scored
	for i := range sessions {
		if !sessions[i].Scored {
			continue
		}
		if s.Judged++; sessions[i].Outcome == model.Success {
			s.Passed++
		}
	}
	for n := range snap.Rows() {
		if t := snap.HeadRow(model.ID(n)).Time; t != 0 {
			if s.Started == 0 || t < s.Started {
				s.Started = t
			}
			s.Last = max(s.Last, t)
		}
	}
	for _, id := range snap.LiveIDs() {
		if u, ok := snap.Tokens(id); ok && u.Output != model.NoTokens {
			s.Tokens += int64(u.Output)
		}
	}
	pending := false
	for i := range snap.CallCount() {
		c := snap.Call(model.CallID(i))
		s.Calls++
		if c.Outcome.Failed() {
			s.Errors++
		}
		pending = pending || c.Result == model.NoID
	}
	s.Open = pending || !s.Ended && lastAsks(snap)
	if s.Title == "" {
		s.Title = firstPrompt(ctx, snap)
	}
}

// lastAsks reports whether the last message wants an answer.
func lastAsks(snap *model.Snapshot) bool {
	if snap.Len() == 0 {
		return false
	}
	h := snap.HeadRow(snap.At(snap.Len() - 1))
	return h.Role == model.User || h.Role == model.Tool
}

func firstPrompt(ctx context.Context, snap *model.Snapshot) string {
	for _, id := range snap.LiveIDs() {
		if snap.HeadRow(id).Flags&model.Prompt == 0 {
			continue
		}
		return promptLine(ctx, snap, id)
	}
	return ""
}

// promptLine is the beginning of a message as one line.
func promptLine(ctx context.Context, snap *model.Snapshot, id model.ID) string {
	m, err := snap.Body(ctx, id)
	if err != nil {
		return ""
	}
	text, _ := m.Content()
	if len(text) > 400 {
		text = strings.ToValidUTF8(text[:400], "")
	}
	return model.CleanLine(text)
}

// ByAge puts paths in the order in which they were written, the newest first.
func ByAge(paths []string) []string {
	sorted := make([]string, 0, len(paths))
	for _, f := range byAge(paths) {
		sorted = append(sorted, f.path)
	}
	return sorted
}

// Usual are the places on this machine where the agents keep their transcripts,
// as the formats declare them.
func Usual(home string) []string {
	var places []string
	for _, f := range format.All() {
		for _, where := range f.Where {
			if rest, ok := strings.CutPrefix(where, "~/"); ok {
				places = append(places, filepath.Join(home, filepath.FromSlash(rest)))
			}
		}
	}
	return places
}

// Find gives the transcripts under the places, which are files, folders or
// patterns: of a folder all files that could be one. What cannot be listed is
// left out.
func Find(places []string) []string {
	seen := make(map[string]bool)
	var paths []string
	add := func(p string) {
		if !seen[p] {
			seen[p] = true
			paths = append(paths, p)
		}
	}
	for _, place := range places {
		if info, err := os.Stat(place); err == nil && info.IsDir() {
			for _, p := range walk(place) {
				add(p)
			}
			continue
		} else if err == nil {
			add(place)
			continue
		}
		found, _ := filepath.Glob(place)
		for _, p := range found {
			if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
				add(p)
			}
		}
	}
	return paths
}

// walk is the files below a folder whose names could be those of transcripts.
func walk(dir string) []string {
	var paths []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			if name := d.Name(); p != dir && (name == ".git" || name == "node_modules") {
				return fs.SkipDir
			}
			return nil
		case d.Type().IsRegular() && transcriptName(d.Name()):
			paths = append(paths, p)
		}
		return nil
	})
	_ = err // WalkDir gives only what the function gives, which is nothing
	return paths
}

func transcriptName(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".zst")
	for _, ext := range []string{".jsonl", ".ndjson", ".json", ".db", ".sqlite", ".eval", ".traj", ".vscdb"} {
		if strings.HasSuffix(name, ext) {
			return true
		}
	}
	return name == ".aider.chat.history.md"
}

// Listed is a summary, or why there is none.
type Listed struct {
	Summary
	Err error
}

// List summarises transcripts, several at a time, in the order in which they were
// written, the newest first. known gives a summary that was made before and still
// holds; nil for none.
func List(ctx context.Context, paths []string, known func(path string, info fs.FileInfo) (Summary, bool)) iter.Seq[Listed] {
	return func(yield func(Listed) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		files := byAge(paths)
		h := &hints{}
		jobs := make(chan int)
		results := make([]chan Listed, len(files))
		for i := range results {
			results[i] = make(chan Listed, 1)
		}
		var wg sync.WaitGroup
		defer wg.Wait()
		for range runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				for i := range jobs {
					results[i] <- summarised(ctx, files[i], known, h)
				}
			})
		}
		wg.Go(func() {
			defer close(jobs)
			for i := range files {
				select {
				case jobs <- i:
				case <-ctx.Done():
					return
				}
			}
		})
		for i := range results {
			select {
			case r := <-results[i]:
				if !yield(r) {
					cancel()
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

type agedFile struct {
	path string
	info fs.FileInfo
	err  error
}

func byAge(paths []string) []agedFile {
	files := make([]agedFile, 0, len(paths))
	for _, p := range paths {
		info, err := os.Stat(p)
		files = append(files, agedFile{p, info, err})
	}
	slices.SortStableFunc(files, func(a, b agedFile) int {
		switch {
		case a.err != nil || b.err != nil:
			return 0
		}
		return b.info.ModTime().Compare(a.info.ModTime())
	})
	return files
}

func summarised(ctx context.Context, f agedFile, known func(string, fs.FileInfo) (Summary, bool), h *hints) (out Listed) {
	defer func() { // one damaged file must not end the list
		if r := recover(); r != nil {
			out = Listed{Summary{Path: f.path}, fmt.Errorf("summarising %q: %v", f.path, r)}
		}
	}()
	if f.err != nil {
		return Listed{Summary{Path: f.path}, f.err}
	}
	if known != nil {
		if s, ok := known(f.path, f.info); ok {
			return Listed{s, nil}
		}
	}
	s, err := summarise(ctx, f.path, h)
	if errors.Is(err, context.Canceled) {
		err = ctx.Err()
	}
	return Listed{s, err}
}
