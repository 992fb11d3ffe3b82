package load

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"turns/model"
	"turns/model/format"
	"turns/model/source/remote"
)

// Skim searches the bytes of transcripts for the texts of a search, before they are opened: most
// files in a folder contain none of them, and need no recognition. It is safe for concurrent use.
type Skim struct {
	formats []*model.Format // whose content their bytes alone do not show
	pool    sync.Pool       // of *skimmer
	mu      sync.Mutex
	agents  map[string]bool            // by folder: subagents in it may have a text
	folders map[string]map[string]bool // non-file names in each folder; nil: unknown
}

// NewSkim searches for any of the texts, in any case; it returns nil if bytes cannot decide.
func NewSkim(texts [][]byte) *Skim {
	if model.NewNeedles(texts) == nil {
		return nil
	}
	texts = format.Recorded(texts)
	s := &Skim{agents: map[string]bool{}, folders: map[string]map[string]bool{}}
	for _, f := range format.All() {
		if f.Base != nil || f.Rewrites != nil || f.Unroll != nil && f.Unroll.Replay != nil || len(f.Children) > 0 {
			s.formats = append(s.formats, f)
		}
	}
	s.pool.New = func() any {
		return &skimmer{needles: model.NewNeedles(texts), buf: make([]byte, 0, 2*skimStep), plain: make([]byte, 0, 2*skimStep)}
	}
	return s
}

// skimmer has the memory of one search.
type skimmer struct {
	needles    []*model.Needle
	buf, plain []byte
}

// For speed only: the size of a read. The overlap between two reads of a longer line must be longer
// than any text that a needle searches for.
const (
	skimStep    = 256 << 10
	skimOverlap = 4 << 10
)

// Misses reports whether the bytes of a transcript prove that no message in it contains one of the
// texts. It returns false if they cannot prove it: for compressed files, databases, folders, files
// without JSON, files that another file continues, edits of a document, and texts that the format
// composes. A nil Skim returns false.
func (s *Skim) Misses(ctx context.Context, path string) bool {
	if s == nil {
		return false
	}
	f, err := openToSkim(ctx, path)
	if err != nil {
		return false
	}
	defer f.Close()
	k := s.pool.Get().(*skimmer)
	defer s.pool.Put(k)
	return k.misses(ctx, f, s.readable) && !s.agentsMay(ctx, path, k)
}

// readable reports whether the bytes of a transcript that begins with begin can prove a miss.
func (s *Skim) readable(begin []byte) bool {
	text := bytes.TrimLeft(begin, " \t\r\n")
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return false
	}
	sample := model.Sample{Shape: model.Lines}
	for line := range bytes.Lines(text) {
		if len(sample.Records) == hintRecords {
			break
		}
		sample.Records = append(sample.Records, line)
	}
	for _, f := range s.formats {
		if f.Base != nil {
			if base, ok := f.Base(sample.Records[0]); ok && !base.Copied {
				return false
			}
		}
		if f.Rewrites != nil && f.Rewrites(sample.Records[0]) {
			return false
		}
		if f.Unroll != nil && f.Unroll.Replay != nil && f.Detect(&sample).Score > 0 {
			return false
		}
	}
	return true
}

// misses searches a file, if readable accepts it. It searches again if the file's end shows that
// texts may be composed of pieces, but not for a remote file.
func (k *skimmer) misses(ctx context.Context, f *skimmed, readable func(begin []byte) bool) bool {
	for _, n := range k.needles {
		if n.Reset(); f.far {
			n.Thorough()
		}
	}
	missed, again := k.through(ctx, f, readable)
	if !again {
		return missed
	}
	for _, n := range k.needles {
		n.Thorough()
	}
	f.SectionReader = io.NewSectionReader(f.SectionReader, 0, f.Size())
	missed, _ = k.through(ctx, f, readable)
	return missed
}

func (k *skimmer) through(ctx context.Context, f io.Reader, readable func(begin []byte) bool) (missed, again bool) {
	kept := 0
	for first := true; ; first = false {
		n, err := io.ReadFull(f, k.buf[kept:cap(k.buf)])
		data := k.buf[:kept+n]
		ended := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !ended || ctx.Err() != nil || first && len(data) > 0 && !readable(data) {
			return false, false
		}
		end := len(data)
		if !ended {
			end = bytes.LastIndexByte(data, '\n') + 1
		}
		cut := end == 0
		if cut { // a line that continues
			end = len(data)
		}
		plain, changed := model.Unescaped(data[:end], k.plain)
		if cut && changed { // an escape may span both
			return false, false
		}
		for _, n := range k.needles {
			if n.Look(data[:end], plain, changed); n.Found() || n.Unsure() {
				return false, n.Unsure()
			}
		}
		if ended {
			break
		}
		if cut {
			end -= skimOverlap
		}
		kept = copy(k.buf[:cap(k.buf)], data[end:])
	}
	for _, n := range k.needles {
		if n.May() {
			return false, false
		}
	}
	return true, false
}

// agentsMay reports whether a possible transcript of a subagent may contain a text: Load also reads
// it.
func (s *Skim) agentsMay(ctx context.Context, path string, k *skimmer) bool {
	for _, f := range s.formats {
		for _, place := range f.Children {
			if s.placeMay(ctx, path, place, k) {
				return true
			}
		}
	}
	return false
}

func (s *Skim) placeMay(ctx context.Context, path, place string, k *skimmer) bool {
	dir := dirOf(path)
	if strings.HasPrefix(place, "{stem}/") {
		base := filepath.Base(path)
		if !s.mayHold(dir, strings.TrimSuffix(base, filepath.Ext(base))) && !remote.Is(path) {
			return false
		}
	} else { // the same for all in the folder
		s.mu.Lock()
		may, known := s.agents[dir+"\x00"+place]
		s.mu.Unlock()
		if known {
			return may
		}
	}
	may := false
	for _, child := range children(ctx, path, place, "*") {
		f, err := openToSkim(ctx, child)
		if err != nil {
			continue // Load would not read it either
		}
		may = !k.misses(ctx, f, func([]byte) bool { return true })
		f.Close()
		if may {
			break
		}
	}
	if !strings.HasPrefix(place, "{stem}/") {
		s.mu.Lock()
		s.agents[dir+"\x00"+place] = may
		s.mu.Unlock()
	}
	return may
}

// mayHold reports whether a folder may have an entry of this name that is not a file. It lists each
// folder once for all transcripts in it.
func (s *Skim) mayHold(dir, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	names, known := s.folders[dir]
	if !known {
		entries, err := os.ReadDir(dir)
		if err == nil {
			names = map[string]bool{}
		}
		for _, e := range entries {
			if err == nil && !e.Type().IsRegular() {
				names[e.Name()] = true
			}
		}
		s.folders[dir] = names
	}
	return names == nil || names[name] // an unlisted folder may still be readable
}
