package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"turns/query"
	"turns/query/describe"
	"turns/query/reading"
	"turns/themes"
	"turns/ui/cli/help"
	"turns/ui/paint"
	"turns/ui/screen"
)

// readCommand prints a session as running text.
type readCommand struct {
	app   *app
	steps bool
}

func (a *app) readCommand() *cobra.Command {
	c := &readCommand{app: a}
	cmd := a.command("read FILE", "Print prompts and answers in full, and a line for the work between them",
		"  turns read run.jsonl\n  turns read run.jsonl --steps\n  turns read run.jsonl --to markdown -o run.md", c.run)
	cmd.Long = "Print a session as one would read it: prompts and answers in full, at most 100 columns wide, a line for the tool calls between them, " +
		"and every error. On a terminal, $PAGER shows it."
	cmd.Flags().BoolVar(&c.steps, "steps", false, "Print a line for each reasoning and tool call")
	a.selects(cmd)
	a.reads(cmd)
	a.prints(cmd, readForms...)
	cmd.Annotations = map[string]string{help.ExitOne: "No message matches."}
	return cmd
}

func (c *readCommand) run(ctx context.Context, arg string) error {
	conversation, view, err := c.app.selected(ctx, arg)
	if err != nil {
		return err
	}
	defer conversation.Close()
	turns := query.NewTurnIndex(view.Snap)
	switch {
	case c.app.json:
		var all *reading.Conversation
		if all, err = reading.NewConversation(ctx, view, turns); err == nil {
			err = c.app.write(func(w io.Writer) error { return query.WriteJSON(w, all) })
		}
	case c.app.to == "markdown":
		err = c.app.write(redacted(func(w io.Writer) error {
			return reading.Markdown(ctx, w, view, turns, reading.Options{Zone: c.app.zone(), Steps: c.steps})
		}))
	default:
		err = c.paged(ctx, view, turns)
	}
	if err == nil && view.Len() == 0 && c.app.narrowed() {
		return errNoMatch
	}
	return err
}

// paged prints the text, on a terminal through the pager.
func (c *readCommand) paged(ctx context.Context, view describe.View, turns *query.TurnIndex) error {
	pager := c.pager()
	if pager == "" {
		return c.app.write(func(w io.Writer) error { return c.text(ctx, w, view, turns) })
	}
	var b bytes.Buffer
	if err := c.text(ctx, &b, view, turns); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", pager)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &b, c.app.Out, c.app.Err
	cmd.Env = os.Environ()
	if c.app.Env("LESS") == "" {
		cmd.Env = append(cmd.Env, "LESS=FRX") // colours; no pager for short texts
	}
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) && ctx.Err() == nil {
			return hinted{fmt.Errorf("showing the text with %q: %w", pager, err), "turns read FILE | cat prints it without a pager"}
		}
		return fmt.Errorf("showing the text with %q: %w", pager, err)
	}
	return nil
}

// pager returns the program that shows long texts, "" if it is disabled or missing.
func (c *readCommand) pager() string {
	if !c.app.Terminal || c.app.out != "" {
		return ""
	}
	if p := strings.TrimSpace(c.app.Env("PAGER")); p != "" {
		return p
	}
	if _, err := exec.LookPath("less"); err == nil {
		return "less"
	}
	return ""
}

// text writes the passages like the reading pane.
func (c *readCommand) text(ctx context.Context, w io.Writer, view describe.View, turns *query.TurnIndex) error {
	width := screen.ReadingWidth
	if n := c.app.columns(); n > 0 {
		width = max(min(width, n), 20)
	}
	theme, err := themes.Open("ansi", "")
	if err != nil {
		return fmt.Errorf("reading the theme: %w", err)
	}
	styles := paint.NewStyles(theme, !c.app.coloured(), 0)
	markdown, clock := paint.NewMarkdown(styles), screen.ClockIn(c.app.zone())
	out := func(p, next *reading.Passage) error {
		doc := paint.Doc{Parts: screen.ReadingParts(p, next, width, c.steps, clock), W: width, St: styles, Wrap: true, Md: markdown}
		for part := range doc.Len() {
			for _, line := range doc.Lines(part) {
				if !c.app.coloured() {
					line = paint.Stripped(line)
				}
				if _, err := io.WriteString(w, strings.TrimRight(line, " ")+"\n"); err != nil {
					return err
				}
			}
		}
		return nil
	}
	var last *reading.Passage
	err = reading.Of(ctx, view, turns, func(p reading.Passage) error {
		before := last
		if last = &p; before == nil {
			return nil
		}
		return out(before, last)
	})
	if err != nil || last == nil {
		return err
	}
	return out(last, nil)
}
