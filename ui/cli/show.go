package cli

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"turns/export/formats"
	"turns/query"
	"turns/query/describe"
	"turns/ui/cli/help"
)

func (a *app) showCommand() *cobra.Command {
	cmd := a.command("show FILE", "Print a session as text",
		"  turns show run.jsonl\n  turns show run.jsonl -q 'role:user'\n  turns show run.jsonl --last 20 --to markdown", a.show)
	a.limitFlag(cmd, "Print the first `N` rows")
	a.selects(cmd)
	a.reads(cmd)
	under(cmd, help.Output, func(f *pflag.FlagSet) {
		oneOf(f, &a.export.to, "to", "t", "Write the messages as `FORMAT` instead, as turns export does", formats.Names)
		f.BoolVar(&a.json, "json", false, "Write JSON, as --to json does")
	})
	a.writes(cmd)
	a.timeZoneFlag(cmd)
	a.shapes(cmd)
	hide(cmd.Flags(), shapingFlags...)
	cmd.Annotations = map[string]string{help.ExitOne: "No message matches."}
	return cmd
}

// show prints a session as text, or in the export format of --to.
func (a *app) show(ctx context.Context, arg string) error {
	to := a.export.to
	if a.json {
		to, a.json = cmp.Or(to, "json"), false
	}
	if to == "" {
		if err := a.shapesNothing(); err != nil {
			return err
		}
	}
	c, res, err := a.selected(ctx, arg)
	if err != nil {
		return err
	}
	defer c.Close()
	a.reportUnread(c.Name(), res.Snap)
	switch {
	case to != "":
		err = a.exportResult(ctx, res, to)
	default:
		err = a.list(ctx, res)
	}
	if err == nil && res.Len() == 0 && a.narrowed() {
		return errNoMatch
	}
	return err
}

// list prints a selection as rows.
func (a *app) list(ctx context.Context, res describe.View) error {
	here, err := a.here(ctx, res.Snap)
	if err != nil {
		return err
	}
	return a.write(func(w io.Writer) error {
		l := lister{labels: here, w: w, res: res, read: query.NewPairs(res.Snap), zone: a.zone(), most: a.rows}
		if err := l.all(ctx); !errors.Is(err, errEnoughRows) {
			return err
		}
		return nil
	})
}
