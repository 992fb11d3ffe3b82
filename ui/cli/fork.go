package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"turns/export/fork"
	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/ui/transcripts"
)

// forkCommand writes a new session with the beginning of another.
type forkCommand struct {
	app      *app
	at       string
	yes, dry bool
}

func (a *app) forkCommand() *cobra.Command {
	c := &forkCommand{app: a}
	cmd := a.command("fork SESSION --at N", "Start a new session from the messages up to one of a session",
		"  turns fork run.jsonl --at 42 --dry-run\n  turns fork ~/.claude/projects/app/SESSION.jsonl --at 42\n  turns fork run.jsonl --at 12 -o fork.jsonl",
		func(ctx context.Context, arg string) error { return c.run(ctx, arg) })
	cmd.Long = "Write a new session in the folder and format of its agent, with all messages up to message N, and print the command that resumes it. " +
		"The original does not change. Calls without a result at that place get the one that the agent writes for interrupted calls.\n\n" +
		"turns asks before it writes into the folder of an agent; --yes answers. Formats: " + strings.Join(fork.Formats(), ", ") + "."
	f := cmd.Flags()
	f.StringVar(&c.at, "at", "", "End the fork at `PLACE`: a message number, a negative one from the end, @22:41, or end")
	f.BoolVarP(&c.yes, "yes", "y", false, "Write into the agent's folder without a question")
	f.BoolVar(&c.dry, "dry-run", false, "Print the contents of the fork without writing it")
	f.BoolVar(&a.json, "json", false, "Print the answer as JSON")
	a.readsAs(cmd)
	a.writes(cmd)
	return cmd
}

// forkAnswer is a fork as JSON.
type forkAnswer struct {
	Format   string           `json:"format"`
	Session  human.TextOrNull `json:"session"` // id of the original
	Fork     string           `json:"fork"`    // id of the new session
	Path     string           `json:"path"`    // file of the fork
	Files    []string         `json:"files"`   // all files of the fork
	At       int              `json:"at"`      // number of the last message
	Messages int              `json:"messages"`
	Closed   []forkClosed     `json:"closed"`         // calls without a result at the cut, which get one
	Left     int              `json:"left_out"`       // records before the cut that the fork does not have
	Resume   human.TextOrNull `json:"resume_command"` // continues the fork; null if its agent cannot find it
	Written  bool             `json:"written"`        // false with --dry-run
}

// forkClosed is a call that gets a result.
type forkClosed struct {
	Message int    `json:"message"`
	ID      string `json:"id"`
	Tool    string `json:"tool"`
}

func (c *forkCommand) run(ctx context.Context, arg string) error {
	if c.at == "" {
		return hinted{errors.New("--at N is required: the last message of the fork"), "turns show " + arg + " numbers the messages"}
	}
	into := c.app.out
	c.app.out = "" // the answer goes to standard output
	opened, snap, err := c.app.open(ctx, arg)
	if err != nil {
		return err
	}
	defer opened.Close()
	if snap.Len() == 0 {
		return errors.New("the session has no message")
	}
	id, err := c.app.messageAt(query.Everything(snap), c.at)
	if err != nil {
		return err
	}
	p, err := transcripts.Fork(ctx, snap, arg, snap.Pos(id), into)
	if no := (*fork.Refusal)(nil); errors.As(err, &no) {
		return hinted{fmt.Errorf("forking %q: %w", arg, err), no.Hint}
	} else if err != nil {
		return fmt.Errorf("forking %q: %w", arg, err)
	}
	if !c.dry {
		if err := c.store(p, into); err != nil {
			return err
		}
	}
	answer := forkOf(p, !c.dry)
	return c.app.writeAs(func(w io.Writer) error { return query.WriteJSON(w, answer) }, func(w io.Writer) error {
		_, err := io.WriteString(w, answer.text(p))
		return err
	})
}

// store writes the fork, after a confirmation if it goes into an agent's folder.
func (c *forkCommand) store(p *fork.Plan, into string) error {
	if into != "" {
		c.app.out = into
		err := c.app.spareInputs()
		if c.app.out = ""; err != nil {
			return err
		}
	} else if err := c.confirm(p); err != nil {
		return err
	}
	err := p.Write(c.app.force)
	if errors.Is(err, fs.ErrExist) {
		return hinted{err, "--force overwrites it"}
	}
	return err
}

// confirm asks whether a fork may be written into an agent's folder.
func (c *forkCommand) confirm(p *fork.Plan) error {
	if c.yes {
		return nil
	}
	in, ok := c.app.In.(*os.File)
	if !ok || !isTerminal(in) || !c.app.ErrTerm {
		return hinted{fmt.Errorf("fork creates %q in the folder of the agent, and there is no terminal to confirm on", p.Path), "--yes writes it, --dry-run shows it, -o FILE writes elsewhere"}
	}
	fmt.Fprintf(c.app.Err, "%sWrite this session? [y/N] ", forkOf(p, false).text(p))
	line, err := bufio.NewReader(in).ReadString('\n')
	if word := strings.ToLower(strings.TrimSpace(line)); err != nil || word != "y" && word != "yes" {
		return errors.New("fork cancelled, no file written")
	}
	return nil
}

func forkOf(p *fork.Plan, written bool) *forkAnswer {
	a := &forkAnswer{
		Format: p.Format, Session: human.TextOrNull(p.From), Fork: p.ID, Path: p.Path, Files: p.Files(), At: p.Messages - 1, Messages: p.Messages,
		Closed: []forkClosed{}, Left: p.Left, Resume: human.TextOrNull(transcripts.ForkCommand(p)), Written: written,
	}
	for _, c := range p.Closed {
		a.Closed = append(a.Closed, forkClosed{c.Message, c.ID, c.Tool})
	}
	return a
}

// text formats the answer for people.
func (f *forkAnswer) text(p *fork.Plan) string {
	var b strings.Builder
	verb := "would write"
	if f.Written {
		verb = "wrote"
	}
	fmt.Fprintf(&b, "%s %s\n  %s %s: messages 0 to %d\n", verb, model.CleanLine(f.Path), p.Agent, f.Fork, f.At)
	if n := len(f.Files); n > 1 {
		fmt.Fprintf(&b, "  %s in all\n", human.Plural(n, "file"))
	}
	for _, c := range f.Closed {
		fmt.Fprintf(&b, "  call without a result: %s in message %d, closed as interrupted\n", model.CleanLine(c.Tool), c.Message)
	}
	if f.Left > 0 {
		fmt.Fprintf(&b, "  left out: %s that belong to the original or to later messages\n", human.Plural(f.Left, "record"))
	}
	if f.Resume != "" {
		fmt.Fprintf(&b, "resume it: %s\n", f.Resume)
	}
	return b.String()
}
