package cli

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/query"
)

// showDiff opens the comparison in the screen.
func (a *app) showDiff(cmd *cobra.Command, x, y string, dirs bool) error {
	ctx := cmd.Context()
	if !dirs {
		for _, path := range [...]string{x, y} { // what cannot be opened is said before the screen begins
			c, err := a.openOnly(ctx, path, &progress{})
			if err != nil {
				return err
			}
			c.Close()
		}
	}
	a.screen.compare, a.screen.folders = [2]string{x, y}, dirs
	return a.listScreen(ctx, filepath.Dir(x))
}

// chooseBy lets the selection flags say what of each run is compared.
func (a *app) chooseBy(cmd *cobra.Command) {
	a.screen.choose = func(ctx context.Context, snap *model.Snapshot) (query.Selection, error) {
		res, err := a.quiet().choose(ctx, cmd, snap)
		return res.Selection, err
	}
}

// quiet is the app while the screen has the terminal: it prints nothing.
func (a *app) quiet() *app {
	b := *a
	b.ErrTerm = false
	return &b
}
