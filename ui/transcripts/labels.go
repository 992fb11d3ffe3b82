package transcripts

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"turns/export/outfile"
	"turns/model"
	"turns/model/source/remote"
	"turns/query/label"
	"turns/query/session"
)

// Labels is the store of what people say of runs: JSON lines in one file, to which lines
// are only added. Several programs may write it at once.
type Labels struct {
	Path  string
	By    string // who writes
	Cache string // folder that keeps what lists of runs ask for; "" keeps nothing

	mu     sync.Mutex
	set    *label.Set // as of setAt
	wrong  error      // why it could not be read
	setAt  storeState
	digest keptDigest // as of their state
}

// storeState tells whether a store was written since: lines are only added.
type storeState struct{ Size, Written int64 }

// keptDigest is what lists of runs ask for, as it is kept: reading ten thousand lines takes
// as long as listing a thousand runs.
type keptDigest struct {
	Path string
	At   storeState
	*label.Digest
}

// LabelsFile is where labels are kept by the XDG rules; "" where there is no home.
func LabelsFile(env func(string) string) string {
	dir := env("XDG_DATA_HOME")
	if !filepath.IsAbs(dir) {
		home := env("HOME")
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(dir, "turns", "labels.jsonl")
}

// Author is who writes labels: as the environment says, else who is logged in.
func Author(env func(string) string) string {
	for _, name := range [...]string{"TURNS_AUTHOR", "USER", "LOGNAME"} {
		if v := env(name); v != "" {
			return v
		}
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

// MostLabels is how large a file of labels may be.
const MostLabels = 256 << 20

// Read reads the store. Lines that cannot be read are counted and stay in the file. Of a
// file that is missing the set is empty.
func (l *Labels) Read() (set *label.Set, bad int, err error) {
	if l == nil || l.Path == "" {
		return label.NewSet(nil), 0, nil
	}
	data, err := outfile.Read(l.Path, MostLabels)
	if errors.Is(err, fs.ErrNotExist) {
		return label.NewSet(nil), 0, nil
	}
	if err != nil {
		return label.NewSet(nil), 0, fmt.Errorf("reading the labels: %w", err)
	}
	lines, bad := label.Read(data)
	return label.NewSet(lines), bad, nil
}

// Add adds lines, all of them or, where the program is killed, the first ones.
func (l *Labels) Add(lines []label.Line) error {
	if len(lines) == 0 {
		return nil
	}
	if l.Path == "" {
		return errors.New("writing the labels: no folder for data on this machine; use --label-file FILE")
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i := range lines {
		if err := e.Encode(&lines[i]); err != nil {
			return fmt.Errorf("writing the label %q: %w", lines[i].String(), err)
		}
	}
	if err := outfile.Append(l.Path, 0o600, b.Bytes()); err != nil {
		return fmt.Errorf("writing the labels: %w", err)
	}
	return nil
}

// Pen writes lines that are of now.
func (l *Labels) Pen(now time.Time) *label.Pen {
	return &label.Pen{By: l.By, Now: now.UTC().Truncate(time.Millisecond), ID: rand.Text}
}

// SourceOf is how labels name the place of a transcript.
func SourceOf(path string) label.Source {
	dir, _ := os.Getwd()
	return sourceIn(dir, path)
}

func sourceIn(dir, path string) label.Source {
	file, part := PartOf(path)
	at := label.Source{Path: file}
	if part != nil {
		at.Part = *part + 1
	}
	switch {
	case file == "-" || strings.Contains(file, "://") && !remote.Is(file):
		at.Path = ""
	case remote.Is(file): // as it is
	case filepath.IsAbs(file):
		at.Path = filepath.Clean(file)
	case dir != "":
		at.Path = filepath.Join(dir, file)
	}
	return at
}

// Label writes into rows of a list what is said of them.
func (l *Labels) Label(rows []session.Session) { LabelRows(l.Digest(), rows) }

// LabelRows writes into rows of a list what is said of them.
func LabelRows(marks *label.Digest, rows []session.Session) {
	in := newLabeller(marks)
	for i := range rows {
		in.label(&rows[i])
	}
}

// labeller writes into rows what is said of them. What it asks the system it asks once.
type labeller struct {
	marks *label.Digest
	there map[string]bool // paths that were looked for
	dir   string          // the working directory
}

func newLabeller(marks *label.Digest) labeller {
	in := labeller{marks: marks}
	if marks.Len() > 0 {
		in.dir, _ = os.Getwd()
	}
	return in
}

func (in *labeller) label(row *session.Session) {
	if in.marks.Len() == 0 {
		return
	}
	if in.there == nil {
		in.there = map[string]bool{}
	}
	r := listedRun(row, in.dir)
	wanted := func(labelled *label.Run) bool {
		return labelled.Path == r.Path || !isThere(labelled.Path, in.there)
	}
	row.Labels, row.Verdict = in.marks.About(&r, wanted), in.marks.Verdict(&r, wanted)
}

// isThere reports whether there still is a transcript where one was labelled: then what is
// said there is not of another one with its id, of an agent of the run or a copy.
func isThere(path string, known map[string]bool) bool {
	if path == "" {
		return false
	}
	there, ok := known[path]
	if !ok {
		_, err := os.Stat(path)
		there = err == nil
		known[path] = there
	}
	return there
}

// listedRun names a run by what a list knows of it.
func listedRun(s *session.Session, dir string) label.Run {
	at := sourceIn(dir, s.Path)
	r := label.Run{Session: s.Session, Path: at.Path, Number: at.Part}
	if s.Sessions > 1 && at.Part == 0 { // all that is said of its conversations
		r.Session = ""
	}
	return r
}

// About is what is said of a run of a list as a whole, and how it is named.
func (l *Labels) About(set *label.Set, s *session.Session) (run label.Run, about []*label.Placed) {
	dir, _ := os.Getwd()
	run = listedRun(s, dir)
	there := map[string]bool{}
	for _, line := range set.About(&run) {
		if line.At == nil && (line.Run.Path == run.Path || !isThere(line.Run.Path, there)) {
			about = append(about, &label.Placed{Line: *line, ID: model.NoID, Call: model.CallID(model.NoRow)})
		}
	}
	return run, about
}

// ExitMarks is what the end of a run says of it: a verdict, and its score.
func ExitMarks(s *session.Session) (marks []label.Mark) {
	switch {
	case s.Sessions > 1: // each of them ended in its own way
		return nil
	case s.Outcome == model.Success:
		marks = append(marks, label.Mark{Kind: label.Verdict, Name: label.Good})
	case s.Outcome.Failed():
		marks = append(marks, label.Mark{Kind: label.Verdict, Name: label.Bad})
	}
	if s.Scored {
		marks = append(marks, label.ScoreOf("score", strconv.FormatFloat(s.Score, 'g', -1, 64)))
	}
	return marks
}

// Find finds the places of what is said of a snapshot that was read from path.
func (l *Labels) Find(ctx context.Context, s *model.Snapshot, path string) (*label.Here, error) {
	return l.Now().Find(ctx, s, SourceOf(path))
}

// Own is Find without what is said of a copy elsewhere that still is there: over many
// transcripts each thing counts once, as in lists of runs.
func (l *Labels) Own(ctx context.Context, s *model.Snapshot, path string) (*label.Here, error) {
	h, err := l.Find(ctx, s, path)
	at, there := SourceOf(path), map[string]bool{}
	own := slices.DeleteFunc(slices.Clone(h.All()), func(p label.Placed) bool {
		return p.Run.Path != at.Path && isThere(p.Run.Path, there)
	})
	return label.NewHere(s, own), err
}

// Now is what the store says, read again where it was written since. What cannot be read
// says nothing: Read tells why.
func (l *Labels) Now() *label.Set {
	now, ok := l.state()
	if !ok {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.whole(now)
}

// state is that of the store; ok is false where there is none.
func (l *Labels) state() (now storeState, ok bool) {
	if l == nil || l.Path == "" {
		return now, false
	}
	info, err := os.Stat(l.Path)
	if err != nil {
		return now, !errors.Is(err, fs.ErrNotExist) // reading it gives the reason
	}
	return storeState{info.Size(), info.ModTime().UnixNano()}, true
}

// Wrong returns why the store could not be read when its labels were last needed.
func (l *Labels) Wrong() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wrong
}

// whole is what the store says as of now.
func (l *Labels) whole(now storeState) *label.Set {
	if l.set == nil || l.setAt != now {
		l.set, _, l.wrong = l.Read()
		l.setAt = now
	}
	return l.set
}

// Digest is what lists of runs ask of the store: as it was kept, or as the store says now.
func (l *Labels) Digest() *label.Digest {
	now, ok := l.state()
	if !ok {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.digest.Digest != nil && l.digest.At == now {
		return l.digest.Digest
	}
	if !l.recall(now) {
		l.digest = keptDigest{l.Path, now, l.whole(now).Digest()}
		l.remember()
	}
	return l.digest.Digest
}

// digestFile is where what lists ask for is kept.
func (l *Labels) digestFile() string { return filepath.Join(l.Cache, "labels-1.gob") }

// recall reads what was kept of the store as it is now.
func (l *Labels) recall(now storeState) bool {
	if l.Cache == "" || l.set != nil && l.setAt == now {
		return false
	}
	var kept keptDigest
	if !readGob(l.digestFile(), 64<<20, &kept) || kept.Path != l.Path || kept.At != now || kept.Digest == nil || !kept.Index() {
		return false
	}
	l.digest = kept
	return true
}

// remember keeps them. A cache that cannot be written is no error: the next list only takes
// longer.
func (l *Labels) remember() {
	if l.Cache != "" {
		writeGob(l.digestFile(), &l.digest)
	}
}
