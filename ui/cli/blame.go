package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"turns/export/outfile"
	"turns/model/source"
	"turns/query/changes"
	"turns/ui/transcripts"
)

// blameCommand prints which sessions wrote the lines of a file.
type blameCommand struct {
	app       *app
	porcelain bool
}

func (a *app) blameCommand() *cobra.Command {
	c := &blameCommand{app: a}
	cmd := &cobra.Command{
		Use: "blame FILE[:LINE[,LINE]] [SESSION|DIR…]", Short: "Show the session, message and prompt behind each line of a file",
		Long: "Find the sessions that wrote the lines of a local file, by content: turns compares the file with the versions in transcripts. A line is certain, likely or unknown. " +
			"Lines of people and other programs are unknown.\n\nWithout SESSION, blame reads the sessions on this machine that mention the file.",
		Example: "  turns blame main.go\n  turns blame main.go:40,60\n  turns blame main.go ~/.claude/projects --json\n  turns blame main.go --to agent-trace",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return hinted{errors.New("turns blame needs a local file"), "turns blame FILE, or FILE:LINE"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args[0], args[1:]) },
	}
	cmd.Flags().BoolVar(&c.porcelain, "porcelain", false, "Print the form of git blame --porcelain, as --to porcelain does")
	a.picks(cmd)
	a.reads(cmd)
	a.prints(cmd, blameForms...)
	return cmd
}

// blameMax is the greatest size of a blamed file in bytes.
const blameMax = 16 << 20

func (c *blameCommand) run(ctx context.Context, arg string, names []string) error {
	file, first, last, err := blamed(arg)
	if err != nil {
		return err
	}
	if err := source.Allowed(ctx, file); err != nil {
		return fmt.Errorf("reading %q: %w", file, fs.ErrNotExist)
	}
	text, err := outfile.Read(file, blameMax)
	if err != nil {
		return fmt.Errorf("reading %q: %w", file, err)
	}
	target, err := filepath.Abs(file)
	if err != nil {
		return fmt.Errorf("finding the folder of %q: %w", file, err)
	}
	target = filepath.ToSlash(target)
	in := searched(ctx, names)
	match := changes.MatchFile(target, in)
	trails, end, err := c.trails(ctx, target, in, names)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
	if last == 0 || last > len(lines) {
		last = len(lines)
	}
	answer := changes.NewBlame(match, filepath.ToSlash(file), lines, first, last, trails, c.app.zone())
	c.app.asData = c.porcelain || c.app.to == "porcelain" || c.app.to == "agent-trace"
	switch {
	case c.app.to == "agent-trace":
		err = c.app.write(func(w io.Writer) error { return answer.WriteAgentTrace(w, time.Now()) })
	case c.app.asData:
		err = c.app.write(answer.WritePorcelain)
	default:
		err = c.app.printAnswer(answer.Doc, answer.WriteJSON)
	}
	return end(err)
}

// searched returns how the names select sessions.
func searched(ctx context.Context, names []string) changes.Searched {
	in := changes.Everywhere
	for _, name := range names {
		if in = changes.ByName; transcripts.IsMany(ctx, name) {
			return changes.InFolder
		}
	}
	return in
}

// blamed splits the lines off an argument: the file is the longest existing path before a colon.
func blamed(arg string) (file string, first, last int, err error) {
	if _, err := os.Stat(arg); err == nil {
		return arg, 1, 0, nil
	}
	i := strings.LastIndexByte(arg, ':')
	if i <= 0 {
		return arg, 1, 0, nil // reading it reports the error
	}
	from, to, ranged := strings.Cut(arg[i+1:], ",")
	if first, err = strconv.Atoi(from); err != nil || first < 1 {
		return "", 0, 0, hinted{fmt.Errorf("%q is not a local file", arg), "turns blame FILE:LINE or FILE:LINE,LINE"}
	}
	last = first
	if ranged {
		if last, err = strconv.Atoi(to); err != nil || last < first {
			return "", 0, 0, hinted{fmt.Errorf("%q is not a range of lines", arg[i+1:]), "turns blame FILE:LINE,LINE, such as main.go:40,60"}
		}
	}
	return arg[:i], first, last, nil
}

// trails returns the lines that sessions wrote to a file. The caller must call end last: it reports
// unreadable transcripts.
func (c *blameCommand) trails(ctx context.Context, target string, in changes.Searched, names []string) (trails []*changes.Trail, end func(error) error, err error) {
	all, err := c.app.crowd(ctx, names)
	if err != nil {
		return nil, nil, err
	}
	defer all.lib.Close()
	for got := range all.lib.Trails(ctx, all.paths, transcripts.TrailsOptions{File: target, Searched: in, Sessions: all.wants}) {
		if took(all, &got) {
			all.runs++
			if got.Answer != nil {
				trails = append(trails, got.Answer)
			}
		}
	}
	all.shown.done()
	all.runs = max(all.runs, 1) // a file that no session mentions still has an answer
	return trails, func(err error) error { return all.end(ctx, err) }, nil
}
