package load

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"turns/model"
	"turns/model/format"
	"turns/model/source/remote"
)

// Hints are the formats found so far in a list of transcripts, because most files in a folder are
// from one agent. Detection is most of the work of a list, since every format reads every record.
// With a hint one format reads all records, and the others do only if it is unsure.
type Hints struct {
	mu     sync.Mutex
	folder map[string]*model.Format
	last   *model.Format
	crowd  map[string]bool // folders with more files than a session has parts
}

// For speed only: fewRecords are enough to recognise most formats, at a score of at least
// sureScore. At most one format reaches this score: a test checks that for all samples. hintRecords
// are enough to decide whether a transcript has the format of its neighbours, at the same score.
const (
	fewRecords  = 6
	hintRecords = 3
	sureScore   = 90
)

// detect is [format.Detect], made cheaper for lines. nil detects as usual.
func (h *Hints) detect(sample *model.Sample) (*model.Format, model.Match) {
	if h == nil || sample.Shape != model.Lines {
		return format.Detect(sample)
	}
	if f, m, ok := h.expected(sample); ok {
		return f, m
	}
	f, m := detectQuick(sample)
	if m.Score >= sureScore {
		h.found(filepath.Dir(sample.Path), f)
	}
	return f, m
}

// expected returns the format of the neighbouring transcripts, if that is sure of the sample.
func (h *Hints) expected(sample *model.Sample) (*model.Format, model.Match, bool) {
	dir := filepath.Dir(sample.Path)
	h.mu.Lock()
	folder, last := h.folder[dir], h.last
	h.mu.Unlock()
	for i, f := range [...]*model.Format{folder, last} {
		if f == nil || i == 1 && last == folder {
			continue
		}
		if m := f.Detect(sample); m.Score >= sureScore {
			if f != folder || f != last {
				h.found(dir, f)
			}
			return f, m, true
		}
	}
	return nil, model.Match{}, false
}

// found stores a format for the next transcripts. It skips a format made for one transcript, such
// as one inside envelopes, which would also accept others.
func (h *Hints) found(dir string, f *model.Format) {
	if known, err := format.Find(f.Name); err != nil || known != f {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.folder == nil {
		h.folder = make(map[string]*model.Format)
	}
	h.folder[dir], h.last = f, f
}

// detectQuick asks all formats about a few records. If one is sure, only that one reads the rest.
func detectQuick(sample *model.Sample) (*model.Format, model.Match) {
	if sample.Shape != model.Lines || len(sample.Records) <= fewRecords {
		return format.Detect(sample)
	}
	few := *sample
	few.Records = sample.Records[:fewRecords]
	f, m := format.Detect(&few)
	if m.Score >= sureScore {
		if m = f.Detect(sample); m.Score >= sureScore {
			return f, m
		}
	}
	return format.Detect(sample)
}

// partsMost limits the files next to a session's file in the folder of a session.
const partsMost = 64

// wholeSession returns the folder of a file that is only a part of a session, and other arguments
// unchanged. It lists a folder of ten thousand sessions once, and not to its end.
func (h *Hints) wholeSession(arg string) string {
	if remote.Is(arg) || !strings.HasSuffix(arg, ".json") && !strings.HasSuffix(arg, ".jsonl") {
		return arg
	}
	dir, file := filepath.Split(arg)
	dir = filepath.Clean(dir)
	if h.crowded(dir) {
		return arg
	}
	names, many := fewFiles(dir)
	if many {
		h.foundCrowd(dir)
	}
	if format.Together(dir, file, names) {
		return dir
	}
	return arg
}

// fewFiles returns the sorted names of the files of a folder; nil if it is unreadable or has too
// many entries to be a session.
func fewFiles(dir string) (names []string, many bool) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, false
	}
	defer folder.Close()
	entries, err := folder.ReadDir(partsMost + 1)
	if err != nil || len(entries) > partsMost {
		return nil, err == nil
	}
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, false
}

func (h *Hints) crowded(dir string) bool {
	if h == nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.crowd[dir]
}

func (h *Hints) foundCrowd(dir string) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.crowd == nil {
		h.crowd = make(map[string]bool)
	}
	h.crowd[dir] = true
}
