package fork

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"turns/export/outfile"
	"turns/model"
)

// Options choose the session to fork, the last message and the place of the fork.
type Options struct {
	Path string    // of the transcript, as it was opened, without the number of a part
	At   int       // position of the last message that the fork has
	Into string    // file to write; "": the folder of the agent
	Now  time.Time // the moment of the fork
}

// Closed is a call without a result at the cut. The fork has a result for it, as its agent would
// have written it.
type Closed struct {
	Message int    // position of the message that made the call
	ID      string // as recorded
	Tool    string
}

// Plan is a fork before [Plan.Write].
type Plan struct {
	Format   string // name of the format, as of [model.Format]
	Agent    string // its title
	From     string // id of the original session
	ID       string // of the fork
	Path     string // the file of the fork, or its session file
	Folder   string // working folder of the session, "" if unknown
	Messages int    // messages of the original that the fork has
	Closed   []Closed
	Left     int // records before the cut that the fork leaves out
	// Stored reports that the agent finds the fork at its path. False with Options.Into,
	// unless the agent opens files.
	Stored bool
	// Import is the command that brings the fork into the agent's store, FILE in place of its path.
	// "": the fork is there, or the agent has no such command.
	Import string

	at     int // position of the last message
	now    time.Time
	snap   *model.Snapshot
	stream int                           // number of the source
	text   func() (io.ReadCloser, error) // the transcript's lines
	pieces []piece
	perm   os.FileMode
}

// piece is a file of a fork.
type piece struct {
	path  string
	write func(w io.Writer) error
}

// Refusal is the error of a session without a fork.
type Refusal struct {
	Why  string
	Hint string // the alternative, for the user
}

// Error returns why.
func (r *Refusal) Error() string { return r.Why }

// toProvider is the way to continue any session.
const toProvider = "turns trim FILE --at N --to anthropic -o request.json writes a request for a provider up to that message"

func refuse(hint, format string, args ...any) error {
	return &Refusal{Why: fmt.Sprintf(format, args...), Hint: hint}
}

// writer prepares a fork in one format: it sets ID, Path and the pieces of a plan.
type writer func(ctx context.Context, p *Plan, o Options) error

// writers has a writer for each format that turns can fork.
var writers = map[string]writer{
	"claude-code": ofLines(newClaude),
	"codex":       ofLines(newCodex),
	"pi":          ofLines(newPi),
	"gemini-cli":  gemini,
	"opencode":    opencode,
}

// Formats returns the sorted names of the formats with a fork.
func Formats() []string {
	var names []string
	for name := range writers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// New plans the fork of a session, and only reads the transcript. The error is a
// *Refusal if the session or its format cannot be forked.
func New(ctx context.Context, snap *model.Snapshot, o Options) (*Plan, error) {
	if snap.Len() == 0 {
		return nil, refuse("", "the session has no message")
	}
	if o.At < 0 || o.At >= snap.Len() {
		return nil, refuse(fmt.Sprintf("valid: 0 to %d", snap.Len()-1), "there is no message %d", o.At)
	}
	write := writers[snap.Format()]
	if write == nil {
		return nil, refuse(toProvider, "turns cannot write sessions in the format %q", snap.Format())
	}
	if len(snap.Sessions()) != 1 {
		return nil, refuse("turns ls FILE lists them; name one, such as FILE#1", "%q has %d sessions", o.Path, len(snap.Sessions()))
	}
	if err := placeable(o); err != nil {
		return nil, err
	}
	session := &snap.Sessions()[0]
	p := &Plan{
		Format: snap.Format(), From: session.Field("session"), Folder: session.Field("cwd"), Messages: o.At + 1,
		at: o.At, now: o.Now, snap: snap, perm: 0o600, Stored: o.Into == "",
	}
	var err error
	if p.stream, err = ownStream(snap, o.Path); err != nil {
		return nil, err
	}
	p.Agent = snap.Sources()[p.stream].Title
	if p.Closed, err = openCalls(ctx, snap, o.At); err != nil {
		return nil, err
	}
	if err := write(ctx, p, o); err != nil {
		return nil, err
	}
	return p, nil
}

// placeable returns an error if a fork without a path has no folder to go to.
func placeable(o Options) error {
	switch {
	case o.Into != "":
		return nil
	case o.Path == "" || o.Path == "-":
		return refuse("-o FILE writes the fork to a file", "a session from a pipe has no folder for its fork")
	case strings.Contains(o.Path, "://"):
		return refuse("-o FILE writes the fork to a file", "%q is not on this machine", o.Path)
	}
	if _, err := os.Stat(o.Path); err != nil {
		return refuse("-o FILE writes the fork to a file", "%q is not on this machine", o.Path)
	}
	return nil
}

// ownStream returns the number of the source with the transcript's own records. The other
// sources are those of a parent session that it continues.
func ownStream(snap *model.Snapshot, path string) (int, error) {
	sources := snap.Sources()
	if len(sources) == 0 {
		return 0, errors.New("fork: the session has no records")
	}
	for i := range sources {
		if sources[i].Path == path {
			return i, nil
		}
	}
	return len(sources) - 1, nil
}

// openCalls returns the calls up to a message that need a result: calls answered after it, and
// calls followed only by calls and results. An unanswered call further up stays unanswered,
// because the agent has resumed with it before.
func openCalls(ctx context.Context, snap *model.Snapshot, at int) ([]Closed, error) {
	var open []Closed
	spoken := at + 1 // position of the first message that no prompt or answer follows
	for pos := at; pos >= 0; pos-- {
		if h := snap.HeadRow(snap.At(pos)); h.Role != model.Tool {
			spoken = pos
			break
		}
	}
	for pos := range at + 1 {
		id := snap.At(pos)
		rows := snap.Calls(id)
		if len(rows) == 0 {
			continue
		}
		var body []model.Content
		for i := range rows {
			c := &rows[i].Call
			later := c.Result != model.NoID && snap.Pos(c.Result) > at
			if _, nested := c.Parent(); nested || !later && (!c.Pending() || pos < spoken) {
				continue
			}
			if body == nil {
				m, err := snap.Body(ctx, id)
				if err != nil {
					return nil, err
				}
				body = m.Calls()
			}
			if int(c.Block) < len(body) {
				open = append(open, Closed{Message: pos, ID: body[c.Block].ID, Tool: snap.Name(c.Tool)})
			}
		}
	}
	return open, nil
}

// Write writes the fork. force lets it replace the file of Options.Into; it never replaces a file
// in an agent's folder.
func (p *Plan) Write(force bool) error {
	for _, f := range p.pieces {
		if p.Stored || p.Import != "" {
			if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
				return fmt.Errorf("making the folder of the fork: %w", err)
			}
		}
		if _, err := outfile.Write(f.path, p.perm, force && !p.Stored, f.write); err != nil {
			return err
		}
	}
	return nil
}

// Files returns the paths of the files that Write creates, the session's own last.
func (p *Plan) Files() []string {
	var paths []string
	for _, f := range p.pieces {
		paths = append(paths, f.path)
	}
	return paths
}
