package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"turns/model"
	"turns/model/format"
	"turns/model/source"
	"turns/model/source/disk"
	"turns/model/source/remote"
)

// agentFile is the transcript of a subagent.
type agentFile struct {
	file  *disk.File
	index *indexer
}

// loadAgents reads the transcripts of subagents that calls have started and that
// were not read yet. They are found by listing the folders that the format
// declares; no path that a transcript names is ever opened.
func (c *Conversation) loadAgents(ctx context.Context) error {
	if len(c.format.Children) == 0 || c.src.Path() == "" || c.src.Framed() {
		return nil
	}
	if c.known == nil {
		c.known = make(map[model.ChildRef]bool)
	}
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
			if err := c.loadAgent(ctx, child, path); err != nil {
				return err
			}
		}
		if !found {
			return nil
		}
	}
}

func (c *Conversation) loadAgent(ctx context.Context, child model.ChildRef, path string) error {
	f, err := openFile(context.WithoutCancel(ctx), path)
	if err != nil { // the call's row shows what its own transcript says of it
		if !errors.Is(err, fs.ErrNotExist) {
			c.unopened++
			c.err = fmt.Errorf("transcripts of subagents that cannot be read: %d, the last because: %w", c.unopened, err)
		}
		return nil
	}
	r := c.reader()
	x := &indexer{reader: r, stream: f, builder: c.builder, workers: c.opts.Workers, limits: c.opts.Limits}
	x.agent = c.builder.AddAgent(child.Call, c.opts.Agents)
	parser := x.reader
	x.source = c.builder.AddSource(model.Source{
		Stream: f, Path: path, Format: c.format.Name, Title: c.format.Title, Why: c.match.Reason, Variant: c.match.Variant,
		Limit: r.maxSize, Parse: parser.parse,
	})
	x.follows = c.opts.Follow
	c.agents = append(c.agents, &agentFile{f, x})
	err = c.agents[len(c.agents)-1].advance(ctx)
	if broken := x.damage.err(); broken != nil {
		c.err = broken
	}
	if err == nil && x.over != nil {
		c.leave(x.over)
	}
	if len(c.agents) > heldAgents {
		f.Rest()
	}
	return err
}

// heldAgents is how many transcripts of subagents are kept open. There can be
// hundreds of them, and a process may have only a few hundred files.
const heldAgents = 32

// advance indexes what the file has got.
func (a *agentFile) advance(ctx context.Context) error {
	if info, err := remote.Stat(ctx, a.file.Path()); err != nil || info.Size() == a.file.Size() && a.index.off > 0 {
		return nil // it is gone, and what was read stays; or it has not grown
	}
	if _, err := a.file.Refresh(); err != nil {
		return nil
	}
	if err := a.index.advance(ctx, a.file.Size(), false); err != nil && !a.index.torn(err) {
		return fmt.Errorf("reading %q: %w", a.file.Path(), err)
	}
	return nil
}

// advanceAgents indexes what the files of subagents have got since they were
// looked at, and files that have appeared.
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

// Agents returns the transcripts of subagents that Load read together with the one that started
// them.
func (c *Conversation) Agents() []string {
	paths := make([]string, len(c.agents))
	for i, a := range c.agents {
		paths[i] = a.file.Path()
	}
	return paths
}

// MaybeAgent reports whether a file is named as some format names the transcripts of
// subagents.
func MaybeAgent(name string) bool {
	for _, f := range format.All() {
		for _, place := range f.Children {
			pattern := path.Base(strings.NewReplacer("{stem}", "*", "{id}", "*").Replace(place))
			if is, _ := path.Match(pattern, path.Base(filepath.ToSlash(name))); is {
				return true
			}
		}
	}
	return false
}

func (c *Conversation) closeAgents() {
	for _, a := range c.agents {
		a.file.Close()
	}
	c.agents, c.known, c.unopened = nil, nil, 0
}

// childPath is the first file among the declared places whose name holds the id,
// "" for none. An id that is no plain name finds nothing.
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

// children are the files of a declared place whose names hold the id, which may
// be a pattern.
func children(ctx context.Context, path, place, id string) []string {
	dir, base := dirOf(path), filepath.Base(path)
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	pattern := strings.NewReplacer("{stem}", quoteGlob(stem), "{id}", id).Replace(place)
	found, err := remote.Glob(ctx, dir, pattern)
	if err != nil {
		return nil // no pattern: nothing lies there
	}
	return found
}

// agentsMaybe is Maybe for the files that may be transcripts of its subagents.
func (c *Conversation) agentsMaybe(ctx context.Context, lits [][]byte) bool {
	for _, place := range c.format.Children {
		for _, path := range children(ctx, c.src.Path(), place, "*") {
			f, err := openFile(ctx, path)
			if err != nil {
				continue // nor will it be read as a subagent's
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

// openFile opens a file of this machine or one that lies elsewhere.
func openFile(ctx context.Context, path string) (*disk.File, error) {
	if err := source.Allowed(ctx, path); err != nil {
		return nil, err
	}
	if remote.Is(path) {
		return remote.System(ctx, false).OpenFile(path)
	}
	return disk.OpenFile(path)
}

func quoteGlob(s string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}
