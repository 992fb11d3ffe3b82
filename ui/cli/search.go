package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/model/load"
	"turns/model/source/remote"
	"turns/model/source/web"
	"turns/query"
	"turns/query/filter"
	"turns/query/human"
	"turns/ui/cli/help"
	"turns/ui/transcripts"
)

// searchCommand searches messages of one session or many.
type searchCommand struct {
	app     *app
	order   string // for many sessions: newest or relevance
	ranks   bool   // former spelling of --sort relevance
	pattern *filter.Pattern
	several bool // rows start with the path of their transcript
	matched int  // number of printed rows
}

func (a *app) searchCommand() *cobra.Command {
	s := &searchCommand{app: a, order: "newest"}
	cmd := &cobra.Command{
		Use: "search FILE|DIR… PATTERN", Short: "Search messages",
		Long:    "Print the messages that match, with the matching line. PATTERN is text in any case, or /a regular expression/ (with i to ignore case).",
		Example: "  turns search run.jsonl 'exit status'\n  turns search run.jsonl '/timeout \\d+/i'\n  turns search ~/.claude/projects ~/.codex 'rate limit' --limit 10",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) == 1 && !s.searchesAll(cmd) {
				hint := "turns search FILE PATTERN; quote a pattern with spaces"
				if cmd.Flags().Changed("query") {
					hint = "turns show FILE -q QUERY shows what a filter matches"
				}
				return hinted{errors.New("search needs a transcript and a pattern"), hint}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd.Context(), args) },
	}
	oneOf(cmd.Flags(), &s.order, "sort", "", "Sort matches in many sessions by `ORDER`", choices("newest", "relevance"))
	cmd.Flags().BoolVar(&s.ranks, "rank", false, "")
	hide(cmd.Flags(), "rank")
	a.limitFlag(cmd, "Print the first `N` matches")
	a.selects(cmd)
	a.picks(cmd)
	a.reads(cmd)
	a.prints(cmd, textAndJSON...)
	cmd.Annotations = map[string]string{help.ExitOne: "No message matches."}
	return cmd
}

// searchesAll reports whether flags select the sessions on this machine: then a pattern is the only
// argument.
func (a *searchCommand) searchesAll(cmd *cobra.Command) bool {
	return cmd.Flags().Changed("where") || cmd.Flags().Changed("since") || cmd.Flags().Changed("until")
}

func (s *searchCommand) run(ctx context.Context, args []string) error {
	names, pattern := s.placesFirst(args)
	p, err := filter.NewPattern(pattern, false)
	if err != nil {
		return fmt.Errorf("reading the pattern %q: %w", pattern, err)
	}
	ranked := s.ranks || s.order == "relevance"
	s.pattern, s.several = p, ranked || s.asksMany(ctx, names)
	if s.several {
		return s.many(ctx, names, ranked)
	}
	return s.one(ctx, names[0])
}

// asksMany is askedOfMany, but ignores --sort.
func (s *searchCommand) asksMany(ctx context.Context, names []string) bool {
	return s.app.where != "" || s.app.since != "" || s.app.until != "" || len(names) != 1 || transcripts.IsMany(ctx, names[0])
}

// placesFirst splits the arguments into transcripts and pattern. The pattern is last, or first as
// in grep: if the last argument is a file or folder and the first is not.
func (s *searchCommand) placesFirst(args []string) (names []string, pattern string) {
	last := len(args) - 1
	there := func(name string) bool {
		file, _ := transcripts.PartOf(name)
		_, err := os.Stat(file)
		return err == nil || name == "-" || strings.Contains(name, "://")
	}
	if last > 0 && !there(args[0]) && !remote.Is(args[0]) && (there(args[last]) || remote.Is(args[last])) {
		fmt.Fprintf(s.app.Err, "turns: searching for %q (the usual order is FILE PATTERN)\n", args[0])
		return args[1:], args[0]
	}
	return args[:last], args[last]
}

// one searches a single session and prints each match immediately. It does not index a file whose
// bytes show that there is no match.
func (s *searchCommand) one(ctx context.Context, path string) error {
	p := s.app.progress("reading")
	defer p.done()
	c, err := s.app.openOnly(ctx, path, p)
	if err != nil {
		return err
	}
	if err := s.app.spareInputs(); err != nil {
		return errors.Join(c.Close(), err)
	}
	if !c.Maybe(ctx, s.pattern.Literals()) {
		return cmp.Or(c.Close(), error(errNoMatch))
	}
	snap, err := s.app.load(ctx, c)
	if err != nil {
		return err
	}
	defer c.Close()
	res, err := s.app.choose(ctx, snap)
	if err != nil {
		return err
	}
	p.done()
	err = s.app.write(func(w io.Writer) error {
		var writeErr error
		err := filter.SearchEach(ctx, res.Selection, s.pattern, func(m filter.SearchMatch) bool {
			writeErr = s.writeMatch(w, web.Shown(path), &m)
			return writeErr == nil && !s.enough()
		})
		return cmp.Or(writeErr, err)
	})
	if err == nil && s.matched == 0 {
		err = errNoMatch
	}
	return err
}

// many searches several transcripts in parallel and prints the matches in order, in folders the
// newest first. It reports unreadable transcripts and continues.
func (s *searchCommand) many(ctx context.Context, names []string, rank bool) error {
	if err := s.app.checkMany(); err != nil {
		return err
	}
	c, err := s.app.crowd(ctx, names)
	if err != nil {
		return err
	}
	defer c.lib.Close()
	if !slices.Equal(c.paths, names) { // with folders or patterns among them
		c.paths = load.ByAge(ctx, c.paths)
	}
	c.shown.what = "searching"
	var ranked []pathMatch
	choose := s.app.chooseAlone()
	err = s.app.write(func(w io.Writer) error {
		for got := range transcripts.Map(ctx, c.lib, c.paths, transcripts.Query[[]filter.SearchMatch]{
			Holding: s.pattern.Literals(), Records: true,
			Ask: func(ctx context.Context, t *transcripts.Loaded) ([]filter.SearchMatch, error) {
				return s.matches(ctx, c, t, choose)
			},
		}) {
			if !took(c, &got) {
				continue
			}
			for i := range got.Answer {
				m := pathMatch{web.Shown(got.Path), got.Answer[i]}
				if s.enough() {
					break
				}
				if rank {
					ranked = append(ranked, m)
				} else if err := s.writeMatch(w, m.Path, &m.SearchMatch); err != nil {
					return err
				}
			}
			if s.enough() {
				return nil
			}
			if len(got.Answer) > 0 && s.app.out == "" {
				c.shown.done()
				if err := flushed(w); err != nil {
					return err
				}
			}
		}
		slices.SortStableFunc(ranked, func(x, y pathMatch) int {
			return cmp.Compare(y.Rank(), x.Rank())
		})
		for i := range firstRows(s.app, ranked) {
			if err := s.writeMatch(w, ranked[i].Path, &ranked[i].SearchMatch); err != nil {
				return err
			}
		}
		return nil
	})
	c.runs = s.matched
	if err = c.end(ctx, err); isNothing(err) {
		return errNoMatch
	}
	return err
}

// enough reports whether the number of matches in --limit is reached.
func (s *searchCommand) enough() bool { return s.app.rows > 0 && s.matched >= s.app.rows }

// matches returns the matches in one of many transcripts.
func (s *searchCommand) matches(ctx context.Context, c *crowd, t *transcripts.Loaded, choose func(context.Context, *model.Snapshot) (query.Selection, error)) (found []filter.SearchMatch, err error) {
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

// pathMatch is a match and its transcript.
type pathMatch struct {
	Path string `json:"path"`
	filter.SearchMatch
}

func (s *searchCommand) writeMatch(w io.Writer, path string, m *filter.SearchMatch) error {
	s.matched++
	if s.app.json {
		return writeJSONLine(w, pathMatch{path, *m})
	}
	if s.several {
		if _, err := fmt.Fprintf(w, "%s:", model.CleanLine(path)); err != nil {
			return err
		}
	}
	index := human.NotSaid
	if m.Index >= 0 {
		index = strconv.Itoa(int(m.Index))
	}
	_, err := fmt.Fprintf(w, "%6s  %s %s\n", index, pad(role(*m), 11), s.mark(*m))
	return err
}

func role(m filter.SearchMatch) string {
	if m.Tool != "" {
		return model.CleanLine(string(m.Tool))
	}
	return model.CleanLine(m.Role)
}

// around is how much of a long line is shown before its first match.
const around = 60

// mark returns the matching line, cut around its first match, with coloured matches on a terminal.
func (a *searchCommand) mark(m filter.SearchMatch) string {
	line, from, to := m.Line, 0, len(m.Line)
	if len(m.Spans) > 0 && m.Spans[0][0] > around {
		from = strings.LastIndexByte(line[:m.Spans[0][0]-around/2], ' ') + 1
	}
	last := from
	for _, s := range m.Spans {
		if s[1]-from <= 400 {
			last = max(last, s[1])
		}
	}
	if to-last > 200 {
		to = len(human.Peek(line, last+200))
	}
	part, spans := human.Uncover(line, from, to, m.Spans)
	var b strings.Builder
	if from > 0 {
		b.WriteString("…")
	}
	at := 0
	for _, s := range spans {
		if s[0] < at {
			continue
		}
		b.WriteString(m.Fit(part[at:s[0]]))
		if a.app.coloured() {
			b.WriteString("\x1b[1;31m" + m.Fit(part[s[0]:s[1]]) + "\x1b[0m")
		} else {
			b.WriteString(m.Fit(part[s[0]:s[1]]))
		}
		at = s[1]
	}
	b.WriteString(m.Fit(part[at:]))
	if to < len(line) {
		b.WriteString("…")
	}
	return b.String()
}
