package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"turns/export/outfile"
	"turns/model"
	"turns/model/load"
	"turns/query/human"
)

func (a *app) lsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "ls [DIR…|FILE]", Short: "List the transcripts of a folder or of this machine's agents, or the conversations of a file",
		Example: "  turns ls\n  turns ls ~/.claude/projects --json\n  turns ls ~/.codex -q 'end:failed after:yesterday'\n" +
			"  turns ls eval.json          # a file of many: then turns show eval.json --session 3",
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := a.summaryFilter()
			if err != nil {
				return err
			}
			return a.write(func(w io.Writer) error { return a.list(cmd.Context(), w, args, f) })
		},
	}
	cmd.Flags().StringVarP(&a.filter, "filter", "q", "", "only those that match QUERY: project:, title:, session:, model:, end:, after:, is:error, words")
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON, a transcript a line")
	cmd.Flags().BoolVar(&a.whole, "whole", false, "read long transcripts whole, for exact counts, instead of their ends")
	cmd.Flags().BoolVar(&a.utc, "utc", false, "times in UTC instead of the local zone")
	a.outputFlags(cmd)
	return cmd
}

func (a *app) list(ctx context.Context, w io.Writer, dirs []string, filter *summaryFilter) error {
	if len(dirs) == 1 {
		if many, err := a.listParts(ctx, w, dirs[0], filter); many || err != nil {
			return err
		}
	}
	places, err := a.places(dirs)
	if err != nil {
		return err
	}
	cache := a.openListCache()
	defer cache.save()
	p := a.progress("listing")
	defer p.done()
	paths := load.Find(places)
	if a.json && a.Terminal {
		p.w = nil // the rows themselves tell
	}
	table := columns{w: w, before: p.done}
	done, shown := 0, 0
	found := func(yield func(load.Listed) bool) {
		for l := range load.List(ctx, paths, load.ListOptions{Known: cache.known, Whole: a.whole}) {
			done++
			p.set(int64(done), int64(len(paths)))
			if l.Err == nil {
				cache.keep(&l)
			}
			if !yield(l) {
				return
			}
		}
	}
	for l := range rowsOf(found) {
		if l.Err != nil {
			p.done()
			a.complain(l.Err)
			continue
		}
		if l.Format == "records" && !slices.Contains(dirs, l.Path) || !filter.holds(&l.Summary) {
			continue // in a folder lies much that is no transcript
		}
		shown++
		if err := a.listed(w, &table, &l.Summary); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if shown == 0 {
		return errNoMatch
	}
	return table.flush()
}

// listed writes a row, as soon as it is there: a line of JSON is sent on its way,
// the rows of a table go page by page.
func (a *app) listed(w io.Writer, table *columns, s *load.Summary) error {
	if !a.json {
		return table.add(a.row(s)...)
	}
	if err := writeJSONLine(w, s); err != nil {
		return err
	}
	return flushed(w)
}

// places are the folders that were given, else those of the agents.
func (a *app) places(dirs []string) ([]string, error) {
	for _, d := range dirs {
		if _, err := os.Stat(d); err != nil {
			return nil, err
		}
	}
	if len(dirs) > 0 {
		return dirs, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, hinted{err, "turns ls DIR lists a folder"}
	}
	return load.Usual(home), nil
}

// messages is how many messages a transcript has: ~ marks an estimate, + that
// there are more, and where nothing was counted it is not said.
func messages(s *load.Summary) string {
	switch {
	case !s.Partial:
		return human.Count(s.Messages)
	case s.Estimate > 0:
		return "~" + human.Short(int64(s.Estimate))
	case s.Messages > 0:
		return human.Count(s.Messages) + "+"
	}
	return human.NotSaid
}

// failures is how many calls failed.
func failures(s *load.Summary) string {
	switch {
	case s.Partial && s.Messages == 0:
		return human.NotSaid
	case s.Errors == 0:
		return "·"
	case s.Partial:
		return human.Count(s.Errors) + "+"
	}
	return human.Count(s.Errors)
}

// many says that a file has more than one conversation.
func many(s *load.Summary) string {
	if s.Sessions < 2 {
		return ""
	}
	more := ""
	if s.Partial {
		more = "+"
	}
	return fmt.Sprintf("  (%s%s conversations)", human.Count(s.Sessions), more)
}

// ending says how a transcript ended, or of several conversations how many did well.
func ending(s *load.Summary) string {
	switch {
	case s.Judged > 0:
		return human.Count(s.Passed) + " of " + human.Count(s.Judged)
	case s.Scored:
		return fmt.Sprintf("score %.3g", s.Score)
	case s.Ended && s.Outcome.Failed():
		return "✗ " + model.CleanLine(s.Reason)
	case s.Ended:
		return "✓ " + model.CleanLine(s.Reason)
	case s.Open:
		return "open"
	}
	return ""
}

// listCache keeps summaries between runs, under the XDG cache folder.
type listCache struct {
	path string
	old  map[string]load.Summary
	now  map[string]load.Summary
	made bool // a summary that was not kept yet
}

// openListCache reads what was kept; what cannot be read is made anew.
func (a *app) openListCache() *listCache {
	c := &listCache{old: make(map[string]load.Summary), now: make(map[string]load.Summary)}
	dir := a.Env("XDG_CACHE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return c
		}
		dir = filepath.Join(home, ".cache")
	}
	c.path = filepath.Join(dir, "turns", "list-4.json")
	data, err := outfile.Read(c.path, 64<<20)
	if err != nil || json.Unmarshal(data, &c.old) != nil {
		c.old = make(map[string]load.Summary)
	}
	return c
}

// known is a summary that still holds: the file has neither grown nor been
// written to since.
func (c *listCache) known(path string, info fs.FileInfo) (load.Summary, bool) {
	s, ok := c.old[path]
	return s, ok && s.Bytes == info.Size() && s.Written == info.ModTime().UnixMilli()
}

// keep remembers a summary. What a store holds its own size and time do not tell:
// a database has a log beside it.
func (c *listCache) keep(l *load.Listed) {
	if l.Store {
		return
	}
	c.now[l.Path] = l.Summary
	c.made = c.made || c.old[l.Path] != l.Summary
}

// save keeps what is known for the next run. A cache that cannot be written is no
// error: the next list only takes longer.
func (c *listCache) save() {
	if c.path == "" || !c.made || os.MkdirAll(filepath.Dir(c.path), 0o700) != nil {
		return
	}
	for path, s := range c.old {
		if _, ok := c.now[path]; !ok && len(c.now) < 50_000 {
			c.now[path] = s
		}
	}
	_ = writeFile(c.path, true, func(w io.Writer) error { return json.NewEncoder(w).Encode(c.now) })
}
