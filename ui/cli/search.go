package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/query"
)

func (a *app) searchCommand() *cobra.Command {
	cmd := a.command("search FILE PATTERN", "Print the messages that match, with the line that does",
		"  turns search run.jsonl 'exit status'\n  turns search run.jsonl '/timeout \\d+/i'", nil)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) != 2 {
			return hinted{fmt.Errorf("search takes a transcript and a pattern"), "turns search FILE PATTERN; quote a pattern that has spaces"}
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.search(cmd.Context(), cmd, args[0], args[1])
	}
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON, a match a line")
	return cmd
}

func (a *app) search(ctx context.Context, cmd *cobra.Command, arg, pattern string) error {
	c, res, err := a.selected(ctx, cmd, arg)
	if err != nil {
		return err
	}
	defer c.Close()
	p, err := query.NewPattern(pattern, false)
	if err != nil {
		return fmt.Errorf("reading the pattern %q: %w", pattern, err)
	}
	last := model.NoID
	err = a.write(func(w io.Writer) error {
		for hit, err := range query.Find(ctx, res.Selection, p) {
			if err != nil {
				return err
			}
			if hit.ID == last {
				continue // the first line of a message speaks for it
			}
			last = hit.ID
			if err := a.writeHit(w, res.Snap, &hit); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if last == model.NoID {
		return errNoMatch
	}
	return nil
}

func (a *app) writeHit(w io.Writer, snap *model.Snapshot, hit *query.Hit) error {
	m := query.SearchMatch{
		ID: hit.ID, Index: snap.Pos(hit.ID), Role: snap.HeadRow(hit.ID).Role.String(),
		Time: query.Stamp(snap.HeadRow(hit.ID).Time), Where: hit.Where(), Tool: hit.Tool, Line: hit.Text, Spans: hit.Ranges,
	}
	if a.json {
		return writeJSONLine(w, m)
	}
	_, err := fmt.Fprintf(w, "%6d  %s %s\n", m.Index, pad(role(m), 11), a.mark(m))
	return err
}

func role(m query.SearchMatch) string {
	if m.Tool != "" {
		return model.CleanLine(m.Tool)
	}
	return m.Role
}

// around is how much of a long line is shown before the first match.
const around = 60

// mark is the matching line, cut around its first match, with the matches
// coloured on a terminal.
func (a *app) mark(m query.SearchMatch) string {
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
		b.WriteString(model.Clean(line[at:s[0]]))
		if a.colour() {
			b.WriteString("\x1b[1;31m" + model.Clean(line[s[0]:s[1]]) + "\x1b[0m")
		} else {
			b.WriteString(model.Clean(line[s[0]:s[1]]))
		}
		at = s[1]
	}
	rest := line[at:]
	if len(rest) > 200 {
		rest = strings.ToValidUTF8(rest[:200], "") + "…"
	}
	b.WriteString(model.Clean(rest))
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
