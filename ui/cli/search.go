package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/model/load"
	"turns/model/source/web"
	"turns/query"
	"turns/query/filter"
	"turns/query/human"
	"turns/ui/transcripts"
)

func (a *app) searchCommand() *cobra.Command {
	rank := false
	cmd := a.command("search FILE|DIR… PATTERN", "Print the messages that match, with the line that does",
		"  turns search run.jsonl 'exit status'\n  turns search run.jsonl '/timeout \\d+/i'\n  turns search ~/.claude/projects ~/.codex 'rate limit'", nil)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) < 2 {
			return hinted{errors.New("search takes a transcript and a pattern"), "turns search FILE PATTERN; quote a pattern that has spaces"}
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		names, pattern := args[:len(args)-1], args[len(args)-1]
		p, err := filter.NewPattern(pattern, false)
		if err != nil {
			return fmt.Errorf("reading the pattern %q: %w", pattern, err)
		}
		if err := a.checkFlags(); err != nil {
			return err
		}
		s := searcher{app: a, cmd: cmd, pattern: p, several: rank || askedOfMany(cmd, names)}
		if s.several {
			return s.many(cmd.Context(), names, rank)
		}
		return s.one(cmd.Context(), names[0])
	}
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON, a match a line")
	cmd.Flags().BoolVar(&rank, "rank", false, "print what tells most first: prompts and answers before results, whole words before parts of some")
	a.sessionFlags(cmd)
	return cmd
}

// searcher is a search through transcripts.
type searcher struct {
	*app
	cmd     *cobra.Command
	pattern *filter.Pattern
	several bool // it must be told which one matched
	matched int  // messages
}

// one looks into a single transcript, and tells of each match when it is found. It is
// not indexed where its bytes show that nothing can match.
func (s *searcher) one(ctx context.Context, path string) error {
	p := s.progress("reading")
	defer p.done()
	c, err := s.openOnly(ctx, path, p)
	if err != nil {
		return err
	}
	if err := s.spareInputs(); err != nil {
		return errors.Join(c.Close(), err)
	}
	if !c.Maybe(ctx, s.pattern.Literals()) {
		return errors.Join(c.Close(), errNoMatch)
	}
	snap, err := s.load(ctx, c)
	if err != nil {
		return err
	}
	defer c.Close()
	res, err := s.choose(ctx, s.cmd, snap)
	if err != nil {
		return err
	}
	p.done()
	err = s.write(func(w io.Writer) error {
		var writeErr error
		err := filter.SearchEach(ctx, res.Selection, s.pattern, func(m filter.SearchMatch) bool {
			s.matched++
			writeErr = s.writeMatch(w, web.Shown(path), &m)
			return writeErr == nil
		})
		return cmp.Or(writeErr, err)
	})
	if err == nil && s.matched == 0 {
		err = errNoMatch
	}
	return err
}

// many looks into transcripts, several at a time, and tells of each in order, of those
// of folders the newest first. One that cannot be read is said, and the rest goes on.
func (s *searcher) many(ctx context.Context, names []string, rank bool) error {
	if err := s.checkMany(); err != nil {
		return err
	}
	c, err := s.crowd(ctx, names)
	if err != nil {
		return err
	}
	defer c.lib.Close()
	if !slices.Equal(c.paths, names) { // folders or patterns among them
		c.paths = load.ByAge(ctx, c.paths)
	}
	c.shown.what = "searching"
	var ranked []pathMatch
	choose := s.chooseAlone(s.cmd)
	err = s.write(func(w io.Writer) error {
		for got := range transcripts.Map(ctx, c.lib, c.paths, transcripts.Query[[]filter.SearchMatch]{
			Holding: s.pattern.Literals(), Records: true,
			Ask: func(ctx context.Context, t *transcripts.Loaded) ([]filter.SearchMatch, error) {
				return s.matches(ctx, c, t, choose)
			},
		}) {
			if !asked(c, &got) {
				continue
			}
			c.runs += len(got.Answer)
			for i := range got.Answer {
				m := pathMatch{web.Shown(got.Path), got.Answer[i]}
				if rank {
					ranked = append(ranked, m)
				} else if err := s.writeMatch(w, m.Path, &m.SearchMatch); err != nil {
					return err
				}
			}
			if len(got.Answer) > 0 && s.out == "" {
				c.shown.done()
				if err := flushed(w); err != nil {
					return err
				}
			}
		}
		slices.SortStableFunc(ranked, func(x, y pathMatch) int {
			return cmp.Compare(y.Rank(), x.Rank())
		})
		for i := range ranked {
			if err := s.writeMatch(w, ranked[i].Path, &ranked[i].SearchMatch); err != nil {
				return err
			}
		}
		return nil
	})
	return c.end(ctx, err)
}

// matches are those in one of many transcripts.
func (s *searcher) matches(ctx context.Context, c *crowd, t *transcripts.Loaded, choose func(context.Context, *model.Snapshot) (query.Selection, error)) (found []filter.SearchMatch, err error) {
	if !c.lib.Wanted(ctx, t, c.wants) {
		return nil, nil
	}
	sel, err := choose(ctx, t.Chosen.Snap)
	if err != nil {
		return nil, err
	}
	err = filter.SearchEach(ctx, sel, s.pattern, func(m filter.SearchMatch) bool {
		found = append(found, m)
		return true
	})
	return found, err
}

// pathMatch is a match with the transcript that it is in.
type pathMatch struct {
	Path string `json:"path"`
	filter.SearchMatch
}

func (s *searcher) writeMatch(w io.Writer, path string, m *filter.SearchMatch) error {
	if s.json {
		return writeJSONLine(w, pathMatch{path, *m})
	}
	if s.several {
		if _, err := fmt.Fprintf(w, "%s:", model.CleanLine(path)); err != nil {
			return err
		}
	}
	index := human.NotSaid
	if m.Index >= 0 {
		index = strconv.Itoa(m.Index)
	}
	_, err := fmt.Fprintf(w, "%6s  %s %s\n", index, pad(role(*m), 11), s.mark(*m))
	return err
}

func role(m filter.SearchMatch) string {
	if m.Tool != "" {
		return model.CleanLine(m.Tool)
	}
	return model.CleanLine(m.Role)
}

// around is how much of a long line is shown before the first match.
const around = 60

// mark is the matching line, cut around its first match, with the matches
// coloured on a terminal.
func (a *app) mark(m filter.SearchMatch) string {
	line, cut := m.Line, 0
	if len(m.Spans) > 0 && m.Spans[0][0] > around {
		cut = strings.LastIndexByte(line[:m.Spans[0][0]-around/2], ' ') + 1
	}
	var b strings.Builder
	if cut > 0 {
		b.WriteString("…")
	}
	at := cut
	for _, s := range m.Spans {
		if s[0] < at || s[1]-cut > 400 {
			continue
		}
		b.WriteString(m.Fit(line[at:s[0]]))
		if a.coloured() {
			b.WriteString("\x1b[1;31m" + m.Fit(line[s[0]:s[1]]) + "\x1b[0m")
		} else {
			b.WriteString(m.Fit(line[s[0]:s[1]]))
		}
		at = s[1]
	}
	rest := line[at:]
	if len(rest) > 200 {
		rest = strings.ToValidUTF8(rest[:200], "") + "…"
	}
	b.WriteString(m.Fit(rest))
	return b.String()
}
