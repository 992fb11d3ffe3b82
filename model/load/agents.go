package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"turns/model"
	"turns/model/format"
	"turns/model/source"
	"turns/model/source/disk"
	"turns/model/source/remote"
)

// agentFile is the transcript of a subagent.
type agentFile struct {
	path  string
	file  *disk.File     // nil for a compressed one
	src   *source.Source // if compressed
	index *indexer
}

func (a *agentFile) close() {
	if a.file != nil {
		a.file.Close()
	} else {
		a.src.Close()
	}
}

// noCall is the call of a subagent without a call that names it.
const noCall = model.CallID(model.NoRow)

// loadAgents reads the transcripts of new subagents: those that calls have started, then the others
// in the folder of the session, which no call names. It finds them by listing the folders that the
// format declares, and never opens a path named in a transcript.
func (c *Conversation) loadAgents(ctx context.Context) error {
	if len(c.format.Children) == 0 || c.src.Path() == "" || c.src.Framed() {
		return nil
	}
	if c.known == nil {
		c.known, c.found = make(map[model.ChildRef]bool), make(map[string]bool)
	}
	if err := c.loadStarted(ctx); err != nil {
		return err
	}
	for _, path := range c.ownAgents(ctx) {
		if c.left || c.found[path] {
			continue
		}
		if err := c.loadAgent(ctx, noCall, path); err != nil {
			return err
		}
		if err := c.loadStarted(ctx); err != nil { // its own subagents
			return err
		}
	}
	return nil
}

// loadStarted reads the transcripts of subagents that calls have started, and of their own
// subagents.
func (c *Conversation) loadStarted(ctx context.Context) error {
	for {
		found := false
		for _, child := range c.builder.Children() {
			if c.left || c.known[child] {
				continue
			}
			path := childPath(ctx, c.src.Path(), c.format.Children, child.Name)
			if path == "" {
				continue // it may appear later
			}
			c.known[child], found = true, true
			if c.found[path] { // it was read before a call named it
				if a := c.agentAt(path); a != nil {
					c.builder.Started(a.index.agent, child.Call)
				}
				continue
			}
			if err := c.loadAgent(ctx, child.Call, path); err != nil {
				return err
			}
		}
		if !found {
			return nil
		}
	}
}

// ownAgents returns the transcripts of subagents in the session's own folder. A workflow starts
// subagents without a call that names them. It skips a folder that sessions share, because only a
// call shows whose subagent is there. In a remote folder it looks only once, because each look is a
// request.
func (c *Conversation) ownAgents(ctx context.Context) (paths []string) {
	if c.looked && remote.Is(c.src.Path()) {
		return nil
	}
	c.looked = true
	for _, place := range c.format.Children {
		if strings.HasPrefix(place, "{stem}/") {
			paths = append(paths, children(ctx, c.src.Path(), place, "*")...)
		}
	}
	return paths
}

// agentAt returns the open subagent with a path, or nil.
func (c *Conversation) agentAt(path string) *agentFile {
	if i := slices.IndexFunc(c.agents, func(a *agentFile) bool { return a.path == path }); i >= 0 {
		return c.agents[i]
	}
	return nil
}

func (c *Conversation) loadAgent(ctx context.Context, call model.CallID, path string) error {
	c.found[path] = true
	a, stream, err := c.openAgent(ctx, path)
	if err != nil { // the call's row shows its own transcript's data about it
		if !errors.Is(err, fs.ErrNotExist) {
			c.unopened++
			c.err = fmt.Errorf("transcripts of subagents that cannot be read: %d, the last because: %w", c.unopened, err)
		}
		return nil
	}
	r := c.reader()
	x := &indexer{reader: r, stream: stream, builder: c.builder, workers: c.opts.Workers, limits: c.opts.Limits}
	x.agent = c.builder.AddAgent(call, c.opts.Agents)
	parser := x.reader
	x.source = c.builder.AddSource(model.Source{
		Stream: stream, Path: path, Format: c.format.Name, Title: c.format.Title, Why: c.match.Reason, Variant: c.match.Variant,
		Limit: r.maxSize, Parse: parser.parse,
	})
	x.follows = c.opts.Follow
	a.index = x
	c.agents = append(c.agents, a)
	err = a.advance(ctx)
	if broken := x.damage.err(); broken != nil {
		c.err = broken
	}
	if err == nil && x.over != nil {
		c.leave(x.over)
	}
	if len(c.agents) > heldAgents && a.file != nil {
		a.file.Rest()
	}
	return err
}

// openAgent opens the transcript of a subagent. It reads a compressed one, from an archive, to the
// end.
func (c *Conversation) openAgent(ctx context.Context, path string) (*agentFile, model.Stream, error) {
	if !strings.HasSuffix(path, packed) {
		f, err := openFile(context.WithoutCancel(ctx), path)
		return &agentFile{path: path, file: f}, f, err
	}
	src, err := source.Open(ctx, path, source.Options{Limits: c.opts.Limits})
	if err != nil {
		return nil, nil, err
	}
	for {
		ev, err := src.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return &agentFile{path: path, src: src}, src.Stream(), nil
		case err == nil && ev.Kind == source.Failed:
			err = ev.Err
			fallthrough
		case err != nil:
			src.Close()
			return nil, nil, err
		}
	}
}

// For speed only: heldAgents is the number of subagents' transcripts that stay open. There can be
// hundreds of them, and a process may have only a few hundred open files.
const heldAgents = 32

// advance indexes the new part of the file.
func (a *agentFile) advance(ctx context.Context) error {
	if a.file == nil {
		if a.index.off > 0 {
			return nil
		}
		return a.reach(ctx, a.src.Stream().Size(), true)
	}
	if info, err := remote.Stat(ctx, a.file.Path()); err != nil || info.Size() == a.file.Size() && a.index.off > 0 {
		return nil // the file is gone, so that its rows stay, or it has not grown
	}
	if _, err := a.file.Refresh(); err != nil {
		return nil
	}
	return a.reach(ctx, a.file.Size(), false)
}

func (a *agentFile) reach(ctx context.Context, size int64, ended bool) error {
	if err := a.index.advance(ctx, size, ended); err != nil && !a.index.torn(err) {
		return fmt.Errorf("reading %q: %w", a.path, err)
	}
	return nil
}

// advanceAgents indexes the new parts of the subagents' files, and new files.
func (c *Conversation) advanceAgents(ctx context.Context) (changed bool, err error) {
	before := c.builder.Rows()
	for _, a := range c.agents {
		if err := a.advance(ctx); err != nil {
			return false, err
		}
		if broken := a.index.damage.err(); broken != nil {
			c.err = broken
		}
	}
	if err := c.loadAgents(ctx); err != nil {
		return false, err
	}
	return c.builder.Rows() != before, nil
}

// Agents returns the transcripts of subagents that Load read together with the main one.
func (c *Conversation) Agents() []string {
	paths := make([]string, len(c.agents))
	for i, a := range c.agents {
		paths[i] = a.path
	}
	return paths
}

// MaybeAgent reports whether a file's name matches a format's pattern for transcripts of subagents.
func MaybeAgent(name string) bool {
	for _, f := range format.All() {
		for _, place := range f.Children {
			pattern := path.Base(strings.NewReplacer("{stem}", "*", "{id}", "*").Replace(place))
			if is, _ := path.Match(pattern, plainName(filepath.ToSlash(name))); is {
				return true
			}
		}
	}
	return false
}

func (c *Conversation) closeAgents() {
	for _, a := range c.agents {
		a.close()
	}
	c.agents, c.known, c.found, c.looked, c.unopened = nil, nil, nil, false, 0
}

// childPath returns the first file at the declared places whose name contains the id, or "". An id
// that is not a plain name matches no file.
func childPath(ctx context.Context, path string, places []string, id string) string {
	if id == "" || strings.ContainsAny(id, `/\*?[`) || strings.Contains(id, "..") || len(id) > 200 {
		return ""
	}
	for _, place := range places {
		if found := children(ctx, path, place, id); len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

// children returns the files of a declared place whose names contain the id, which may be a
// pattern.
func children(ctx context.Context, path, place, id string) []string {
	dir, base := dirOf(path), filepath.Base(path)
	plain, compressed := strings.CutSuffix(base, packed)
	stem := strings.TrimSuffix(plain, filepath.Ext(plain))
	pattern := strings.ReplaceAll(strings.ReplaceAll(place, "{id}", id), "{stem}", remote.QuoteGlob(stem))
	if compressed { // an archive compresses both
		pattern += packed
	}
	found, err := remote.Glob(ctx, dir, pattern)
	if err != nil {
		return nil // an invalid pattern matches no file
	}
	return found
}

// agentsMaybe implements Maybe for possible transcripts of subagents.
func (c *Conversation) agentsMaybe(ctx context.Context, lits [][]byte) bool {
	for _, place := range c.format.Children {
		for _, path := range children(ctx, c.src.Path(), place, "*") {
			f, err := openFile(ctx, path)
			if err != nil {
				continue // Load would not read it either
			}
			maybe := model.StreamMaybe(ctx, f, lits)
			f.Close()
			if maybe {
				return true
			}
		}
	}
	return false
}

// openFile opens a local or remote file.
func openFile(ctx context.Context, path string) (*disk.File, error) {
	if err := source.Allowed(ctx, path); err != nil {
		return nil, err
	}
	if remote.Is(path) {
		return remote.System(ctx, false).OpenFile(path)
	}
	return disk.OpenFile(path)
}
