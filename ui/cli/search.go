package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/model/load"
	"turns/model/source/web"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/human"
	"turns/ui/library"
)

func (a *app) searchCommand() *cobra.Command {
	cmd := a.command("search FILE|DIR… PATTERN", "Print the messages that match, with the line that does",
		"  turns search run.jsonl 'exit status'\n  turns search run.jsonl '/timeout \\d+/i'\n  turns search ~/.claude/projects ~/.codex 'rate limit'", nil)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) < 2 {
			return hinted{errors.New("search takes a transcript and a pattern"), "turns search FILE PATTERN; quote a pattern that has spaces"}
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.search(cmd.Context(), cmd, args[:len(args)-1], args[len(args)-1])
	}
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON, a match a line")
	return cmd
}

// search looks into transcripts one after another. One that cannot be read is
// said, and the rest goes on.
func (a *app) search(ctx context.Context, cmd *cobra.Command, args []string, pattern string) error {
	p, err := filter.NewPattern(pattern, false)
	if err != nil {
		return fmt.Errorf("reading the pattern %q: %w", pattern, err)
	}
	if err := a.checkFlags(); err != nil {
		return err
	}
	paths, several := a.searched(ctx, args)
	a.inputs = paths // they are opened when the output is
	s := searcher{app: a, cmd: cmd, pattern: p, several: several}
	err = a.write(func(w io.Writer) error {
		for i, path := range paths {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s.tell(i, len(paths))
			if err := s.file(ctx, w, path); err != nil {
				return err
			}
		}
		s.clear()
		return nil
	})
	switch {
	case err != nil:
		return err
	case s.matched > 0:
		return nil
	case s.failed != nil && s.unread == len(paths):
		return s.failed
	}
	return errNoMatch
}

// searched is what the arguments stand for: of a folder that is not itself one
// transcript those in it, the newest first. several says that there is more than
// one, so that it must be told which one matched.
func (a *app) searched(ctx context.Context, args []string) (paths []string, several bool) {
	for _, arg := range args {
		if library.IsFolder(arg) {
			found, err := load.Find(ctx, []string{arg})
			a.complainEach(err)
			paths = append(paths, load.ByAge(found)...)
			several = true
			continue
		}
		paths = append(paths, arg)
	}
	return paths, several || len(paths) > 1
}

// searcher is a search through transcripts.
type searcher struct {
	*app
	cmd     *cobra.Command
	pattern *filter.Pattern
	several bool
	matched int // messages
	unread  int // transcripts
	failed  error
	told    time.Time
}

func (s *searcher) file(ctx context.Context, w io.Writer, path string) error {
	c, res, err := s.open(ctx, path)
	if err != nil {
		return s.unreadable(ctx, err)
	}
	if c == nil {
		return nil
	}
	defer c.Close()
	var writeErr error
	err = filter.SearchEach(ctx, res.Selection, s.pattern, func(m filter.SearchMatch) bool {
		s.matched++
		writeErr = s.writeMatch(w, web.Shown(path), &m)
		return writeErr == nil
	})
	if writeErr != nil || err == nil {
		return writeErr
	}
	return s.unreadable(ctx, err)
}

// open opens the transcript and applies the selection flags. It gives nil where
// the file's bytes show that nothing can match: most files of a folder need no
// index.
func (s *searcher) open(ctx context.Context, path string) (*load.Conversation, describe.View, error) {
	p := s.progress("reading")
	defer p.done()
	c, err := s.openOnly(ctx, path, p)
	if err != nil {
		return nil, describe.View{}, err
	}
	if !c.Maybe(ctx, s.pattern.Literals()) {
		return nil, describe.View{}, c.Close()
	}
	snap, err := s.load(ctx, c)
	if err != nil {
		return nil, describe.View{}, err
	}
	res, err := s.choose(ctx, s.cmd, snap)
	if err != nil {
		c.Close()
		return nil, describe.View{}, err
	}
	return c, res, nil
}

// unreadable says that a transcript could not be read; of a single one the search
// says it when it ends.
func (s *searcher) unreadable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.unread++
	if s.failed = err; s.several {
		s.clear()
		s.complain(err)
		s.failed = fmt.Errorf("none of %d transcripts could be read", s.unread)
	}
	return nil
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
	_, err := fmt.Fprintf(w, "%6d  %s %s\n", m.Index, pad(role(*m), 11), s.mark(*m))
	return err
}

// tell shows on a terminal how far the search is.
func (s *searcher) tell(done, all int) {
	if !s.ErrTerm || !s.several || time.Since(s.told) < progressEvery {
		return
	}
	s.told = time.Now()
	fmt.Fprintf(s.Err, "\r\x1b[Kturns: searching, %s of %s transcripts, %s matches", human.Count(done), human.Count(all), human.Count(s.matched))
}

func (s *searcher) clear() {
	if !s.told.IsZero() {
		fmt.Fprint(s.Err, "\r\x1b[K")
	}
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
		if a.colour() {
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

// colour reports whether output is coloured: on a terminal, unless NO_COLOR or
// --color say otherwise.
func (a *app) colour() bool {
	switch a.screen.color {
	case "always":
		return true
	case "never":
		return false
	}
	return a.Terminal && a.out == "" && a.Env("NO_COLOR") == ""
}
