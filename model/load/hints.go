package load

import (
	"path/filepath"
	"sync"

	"turns/model"
	"turns/model/format"
)

// Hints are the formats found so far in a list of transcripts, because most files in a folder are
// from one agent. Detection is most of the work of a list, since every format reads every record.
// With a hint one format reads all records, and the others do only if it is unsure.
type Hints struct {
	mu     sync.Mutex
	folder map[string]*model.Format
	last   *model.Format
}

// fewRecords are enough to recognise most formats, at a score of at least sureScore. At most one
// format reaches this score: a test checks that for all samples.
const (
	fewRecords = 6
	sureScore  = 90
)

// hintRecords are enough to decide whether a transcript has the format of its neighbours.
const hintRecords = 3

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
