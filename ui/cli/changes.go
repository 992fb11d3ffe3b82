package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/changes"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/session"
)

// changesCommand prints what sessions did to files.
type changesCommand struct {
	app         *app
	file, group string
	turn, at    optional
}

func (a *app) changesCommand() *cobra.Command {
	c := &changesCommand{app: a, group: "file"}
	cmd := a.command("changes FILE", "Show the net changes of files, their versions and patches",
		"  turns changes run.jsonl\n  turns changes run.jsonl --file main.go\n  turns changes run.jsonl --file main.go --at 57 -o main.go.old\n"+
			"  turns changes run.jsonl --turn 3 --to patch | git apply\n  turns changes ~/.claude/projects --since 7d --by dir", a.of(c.answer))
	cmd.Long = "Show the net change of each file that a session created, edited, renamed or deleted, by tools, patches and shell commands. The state of a file is " +
		"exact, hunks (the transcript lacks the rest of the file), uncertain (a command may have changed it), or the place where something else changed it.\n\n" +
		"--file prints the versions and the net diff of one file, --at the file as it was after a message. Over a folder, changes sums up its sessions."
	f := cmd.Flags()
	f.StringVar(&c.file, "file", "", "Print the versions and the net diff of the file `PATH`")
	f.Var(&c.at, "at", "With --file: print the file as it was after message `N`; -o restores it")
	f.Var(&c.turn, "turn", "Only the changes of turn `N`")
	a.limitFlag(cmd, "Print the first `N` groups of many sessions")
	a.ofMany(cmd, c.many)
	oneOf(cmd.Flags(), &c.group, "by", "", "Group the changes of many sessions by `KEY`", changes.TotalKeys)
	a.selects(cmd)
	a.reads(cmd)
	a.prints(cmd, changeForms...)
	cmd.PreRunE = func(*cobra.Command, []string) error { return c.check() }
	return cmd
}

// check returns an error if flags conflict.
func (c *changesCommand) check() error {
	if c.at.given && c.file == "" {
		return hinted{errors.New("--at needs the name of a file"), fmt.Sprintf("turns changes FILE --file PATH --at %d", c.at.n)}
	}
	if c.turn.given {
		term := fmt.Sprintf("turn:%d", c.turn.n)
		if strings.TrimSpace(c.app.query) != "" {
			term = "(" + c.app.query + ") " + term
		}
		c.app.query = term
	}
	c.app.asData = c.at.given || c.app.to == "patch"
	return nil
}

func (c *changesCommand) answer(ctx context.Context, view describe.View) error {
	h, err := changes.Of(ctx, view.Snap, nil)
	if err != nil {
		return err
	}
	answer, err := h.Answer(ctx, view.Selection)
	if err != nil {
		return err
	}
	switch {
	case c.at.given:
		return c.restore(ctx, h, answer)
	case c.file != "":
		return c.one(ctx, answer)
	case c.app.to == "patch":
		return c.patch(ctx, answer, answer.Files)
	}
	return c.app.printAnswer(answer.Doc, answer.WriteJSON)
}

// find returns the one file that --file names.
func (c *changesCommand) find(answer *changes.Answer) (*changes.Change, error) {
	found := answer.Find(c.file)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, hinted{fmt.Errorf("no call changes %q", c.file), "turns changes FILE lists the changed files"}
	}
	var names []string
	for _, f := range found {
		names = append(names, f.Path)
	}
	return nil, hinted{fmt.Errorf("%q names %d changed files", c.file, len(found)), "name one of them: " + strings.Join(names[:min(len(names), 5)], ", ")}
}

// one prints a file: its versions and its net diff.
func (c *changesCommand) one(ctx context.Context, answer *changes.Answer) error {
	change, err := c.find(answer)
	if err != nil {
		return err
	}
	if c.app.to == "patch" {
		return c.patch(ctx, answer, []changes.Change{*change})
	}
	answer.Describe(change)
	diff, err := answer.Show(ctx, change)
	if err != nil {
		return err
	}
	one := *answer
	one.Files = []changes.Change{*change}
	return c.app.writeAs(one.WriteJSON, func(w io.Writer) error {
		if err := c.app.draw(w, change.Doc()); err != nil {
			return err
		}
		_, err := io.WriteString(w, "\n"+model.Clean(diff))
		return err
	})
}

// patch writes a patch for git apply, and reports what it leaves out.
func (c *changesCommand) patch(ctx context.Context, answer *changes.Answer, files []changes.Change) error {
	var lacking []string
	err := c.app.write(func(w io.Writer) error {
		for i := range files {
			text, left, err := answer.Patch(ctx, &files[i])
			if err != nil {
				return err
			}
			if left > 0 {
				lacking = append(lacking, files[i].Path)
			}
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
		}
		return nil
	})
	if len(lacking) > 0 {
		c.app.incomplete = true
		c.app.complain(fmt.Errorf("the transcript does not have all of %s: left out of the patch: %s", human.Plural(len(lacking), "file"),
			model.CleanLine(strings.Join(lacking[:min(len(lacking), 8)], ", "))))
	}
	return err
}

// restore writes the version of a file after a message.
func (c *changesCommand) restore(ctx context.Context, h *changes.History, answer *changes.Answer) error {
	change, err := c.find(answer)
	if err != nil {
		return err
	}
	version := change.File.At(c.at.n)
	text, absent := "", false
	if err = changes.ErrUnknown; version >= 0 {
		text, absent, err = h.Content(ctx, change.File, version)
	}
	switch {
	case errors.Is(err, changes.ErrUnknown):
		return hinted{fmt.Errorf("%q after message %d: %w", change.Path, c.at.n, err), "turns changes FILE --file PATH lists the versions and their states"}
	case err != nil:
		return err
	case absent:
		return hinted{fmt.Errorf("%q did not exist after message %d", change.Path, c.at.n), "turns changes FILE --file PATH lists its versions"}
	}
	return c.app.write(func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// sessionChanges are the changes of one of many sessions.
type sessionChanges struct {
	name  string
	files []changes.FileTotal
}

// many sums the changes of many sessions.
func (c *changesCommand) many(ctx context.Context, names []string) error {
	if c.file != "" || c.app.to == "patch" {
		return hinted{errors.New("--file and --to patch are about one session"), "turns changes FILE --file PATH"}
	}
	c.app.chooseSome()
	all, err := c.app.crowd(ctx, names)
	if err != nil {
		return err
	}
	defer all.lib.Close()
	totals := changes.NewTotals(c.group)
	ofRuns(ctx, all, func(ctx context.Context, sel query.Selection, s *session.Session) ([]sessionChanges, error) {
		h, err := changes.Of(ctx, sel.Snap, nil)
		if err != nil {
			return nil, err
		}
		answer, err := h.Answer(ctx, sel)
		if err != nil || len(answer.Files) == 0 {
			return nil, err
		}
		return []sessionChanges{{s.Path, answer.Totals()}}, nil
	}, func(s *sessionChanges) { totals.Add(s.name, s.files) })
	left := totals.Finish(c.app.rows)
	err = c.app.printAnswer(func() *answer.Doc { return totals.Doc(left) }, totals.WriteJSON)
	return all.end(ctx, err)
}
