package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"turns/model"
	"turns/model/load"
	"turns/query"
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
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	n, shown := 0, 0
	for l := range load.List(ctx, paths, cache.known) {
		n++
		p.set(int64(n), int64(len(paths)))
		if l.Err != nil {
			fmt.Fprintf(a.Err, "turns: error: %s\n", model.Clean(l.Err.Error()))
			continue
		}
		cache.keep(l.Summary)
		if !filter.holds(&l.Summary) {
			continue
		}
		shown++
		if a.json {
			if err := writeJSONLine(w, l.Summary); err != nil {
				return err
			}
			continue
		}
		a.listRow(tw, &l.Summary)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if shown == 0 {
		return errNoMatch
	}
	return tw.Flush()
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

func (a *app) listRow(w io.Writer, s *load.Summary) {
	when := s.Last
	if when == 0 {
		when = s.Written
	}
	more := ""
	if s.Partial {
		more = "+"
	}
	errs := "·"
	if s.Errors > 0 {
		errs = fmt.Sprint(s.Errors) + more
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s%s\t%s\t%s\t%s\n",
		time.UnixMilli(when).In(a.zone()).Format("2006-01-02 15:04"), s.Format, model.CleanLine(filepath.Base(s.Project)),
		ansi.Truncate(model.CleanLine(s.Title), 60, "…"), query.Count(s.Messages), more, errs, ending(s), model.CleanLine(s.Path)+many(s))
}

// many says that a file has more than one conversation.
func many(s *load.Summary) string {
	if s.Sessions < 2 {
		return ""
	}
	return fmt.Sprintf("  (%s conversations)", query.Count(s.Sessions))
}

// ending says how a transcript ended.
func ending(s *load.Summary) string {
	switch {
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
	c.path = filepath.Join(dir, "turns", "list-2.json")
	data, err := os.ReadFile(c.path)
	if err != nil || json.Unmarshal(data, &c.old) != nil {
		c.old = make(map[string]load.Summary)
	}
	return c
}

// known is a summary that still holds: the file has neither grown nor been
// written to since.
func (c *listCache) known(path string, info fs.FileInfo) (load.Summary, bool) {
	s, ok := c.old[path]
	return s, ok && s.Bytes == info.Size() && s.Written == info.ModTime().UnixMilli() && !strings.HasSuffix(path, ".db")
}

func (c *listCache) keep(s load.Summary) { c.now[s.Path] = s }

// save keeps what is known for the next run. A cache that cannot be written is no
// error: the next list only takes longer.
func (c *listCache) save() {
	if c.path == "" || len(c.now) == 0 || os.MkdirAll(filepath.Dir(c.path), 0o700) != nil {
		return
	}
	for path, s := range c.old {
		if _, ok := c.now[path]; !ok && len(c.now) < 50_000 {
			c.now[path] = s
		}
	}
	_ = writeFile(c.path, true, func(w io.Writer) error { return json.NewEncoder(w).Encode(c.now) })
}
