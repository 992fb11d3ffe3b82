package transcripts

import (
	"context"
	"crypto/rand"
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

// Labels is the store of people's labels of sessions: JSON lines in one file, to which lines are
// only added. Several programs may write it concurrently.
type Labels struct {
	Path  string
	By    string // the author of new labels
	Cache string // folder for cached data of lists; "": no cache

	mu     sync.Mutex
	set    *label.Set // as of setAt
	wrong  error      // why it was unreadable
	setAt  storeState
	digest keptDigest // cache for lists, with the state of the file
}

// storeState detects changes of a store: lines are only added.
type storeState struct{ Size, Written int64 }

// keptDigest is the cached data for lists of sessions: reading ten thousand lines takes as long as
// listing a thousand sessions.
type keptDigest struct {
	Path string
	At   storeState
	*label.Digest
}

// LabelsFile returns the file of labels by the XDG rules; "" without a home folder.
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

// Author returns the author of new labels: from the environment, otherwise the logged-in user.
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

// MostLabels is the maximum size of a file of labels.
const MostLabels = 256 << 20

// Read reads the store. It counts unreadable lines, which stay in the file. For a missing file the
// set is empty.
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

// Add adds lines. If the program is killed, only the first ones may be written.
func (l *Labels) Add(lines []label.Line) error {
	if len(lines) == 0 {
		return nil
	}
	if l.Path == "" {
		return errors.New("writing the labels: no folder for data on this machine; use --label-file FILE")
	}
	var b []byte
	for i := range lines {
		line, err := model.JSONOf(&lines[i])
		if err != nil {
			return fmt.Errorf("writing the label %q: %w", lines[i].String(), err)
		}
		b = append(append(b, line...), '\n')
	}
	if err := outfile.Append(l.Path, 0o600, b); err != nil {
		return fmt.Errorf("writing the labels: %w", err)
	}
	return nil
}

// Pen returns a pen that writes lines with the time now.
func (l *Labels) Pen(now time.Time) *label.Pen {
	return &label.Pen{By: l.By, Now: now.UTC().Truncate(time.Millisecond), ID: rand.Text}
}

// SourceOf returns a transcript's place in the form of labels.
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
	case remote.Is(file): // unchanged
	case filepath.IsAbs(file):
		at.Path = filepath.Clean(file)
	case dir != "":
		at.Path = filepath.Join(dir, file)
	}
	return at
}

// Label adds to the rows of a list their labels.
func (l *Labels) Label(rows []session.Session) { LabelRows(l.Digest(), rows) }

// LabelRows adds to the rows of a list their labels.
func LabelRows(marks *label.Digest, rows []session.Session) {
	in := newLabeller(marks)
	for i := range rows {
		in.label(&rows[i])
	}
}

// labeller adds labels to rows. It caches its queries to the system.
type labeller struct {
	marks *label.Digest
	there map[string]bool // paths whose existence was checked
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

// isThere reports whether a labelled transcript still exists at its path. Its labels then do not
// apply to another transcript with the same id, such as a subagent's or a copy.
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

// listedRun identifies a session by its data in a list.
func listedRun(s *session.Session, dir string) label.Run {
	at := sourceIn(dir, s.Path)
	r := label.Run{Session: s.Session, Path: at.Path, Number: at.Part}
	if s.Sessions > 1 && at.Part == 0 { // all labels of its conversations
		r.Session = ""
	}
	return r
}

// About returns the labels of an entire session in a list, and its identification.
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

// ExitMarks returns the marks from the end of a session: a verdict, and its score.
func ExitMarks(s *session.Session) (marks []label.Mark) {
	switch {
	case s.Sessions > 1: // each conversation ended in its own way
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

// Find finds the places of the labels for a snapshot that was read from path.
func (l *Labels) Find(ctx context.Context, s *model.Snapshot, path string) (*label.Here, error) {
	return l.Now().Find(ctx, s, SourceOf(path))
}

// Own is Find without the labels of a copy that still exists elsewhere: over many transcripts each
// label counts once, as in lists of sessions.
func (l *Labels) Own(ctx context.Context, s *model.Snapshot, path string) (*label.Here, error) {
	h, err := l.Find(ctx, s, path)
	at, there := SourceOf(path), map[string]bool{}
	own := slices.DeleteFunc(slices.Clone(h.All()), func(p label.Placed) bool {
		return p.Run.Path != at.Path && isThere(p.Run.Path, there)
	})
	return label.NewHere(s, own), err
}

// Now returns the labels in the store, and reads it again after a change. An unreadable store has
// no labels: Read returns the reason.
func (l *Labels) Now() *label.Set {
	now, ok := l.state()
	if !ok {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.setOf(now)
}

// state returns the state of the store; ok is false if there is none.
func (l *Labels) state() (now storeState, ok bool) {
	if l == nil || l.Path == "" {
		return now, false
	}
	info, err := os.Stat(l.Path)
	if err != nil {
		return now, !errors.Is(err, fs.ErrNotExist) // reading it returns the reason
	}
	return storeState{info.Size(), info.ModTime().UnixNano()}, true
}

// Wrong returns why the last use of the labels could not read the store.
func (l *Labels) Wrong() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wrong
}

// setOf returns the labels of the store in the state now.
func (l *Labels) setOf(now storeState) *label.Set {
	if l.set == nil || l.setAt != now {
		l.set, _, l.wrong = l.Read()
		l.setAt = now
	}
	return l.set
}

// Digest returns the store's data for lists of sessions, from the cache or from the file.
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
		l.digest = keptDigest{l.Path, now, l.setOf(now).Digest()}
		l.remember()
	}
	return l.digest.Digest
}

// digestFile returns the file of the cache for lists.
func (l *Labels) digestFile() string { return filepath.Join(l.Cache, "labels-1.gob") }

// recall reads the cache if it is for the store's current state.
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

// remember writes the cache. A write failure is not an error: the next list only takes longer.
func (l *Labels) remember() {
	if l.Cache != "" {
		writeGob(l.digestFile(), &l.digest)
	}
}
