package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"turns/model"
	"turns/model/load"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/lang"
	"turns/ui/cli/help"
)

// selects adds the flags that select messages to a command.
func (a *app) selects(cmd *cobra.Command) {
	under(cmd, help.SelectMessages, func(f *pflag.FlagSet) {
		f.StringVarP(&a.query, "query", "q", "", "Only messages that match `QUERY`, such as 'is:error tool:Bash' (turns help filters)")
		f.StringVar(&a.slice, "slice", "", "Only messages `A:B`, counted as Python slices are: 5:10, -3:")
		f.Var(&a.first, "first", "Only the first `N` messages")
		f.Var(&a.last, "last", "Only the last `N` messages")
		f.StringVar(&a.session, "session", "", "Only the conversation with this `ID` or number, of a file with several")
	})
}

// selected opens a transcript and selects its messages.
func (a *app) selected(ctx context.Context, arg string) (*load.Conversation, describe.View, error) {
	c, snap, err := a.open(ctx, arg)
	if err != nil {
		return nil, describe.View{}, err
	}
	res, err := a.choose(ctx, snap)
	if err != nil {
		c.Close()
		return nil, describe.View{}, err
	}
	return c, res, nil
}

// choose applies the flags: session, query, slice, first, last, in this order.
func (a *app) choose(ctx context.Context, snap *model.Snapshot) (describe.View, error) {
	sel := query.Everything(snap)
	var err error
	if a.session != "" {
		if sel, err = ofSession(sel, a.session); err != nil {
			return describe.View{}, err
		}
	}
	var match *filter.Result
	if a.query != "" {
		if match, err = a.match(ctx, sel); err != nil {
			return describe.View{}, err
		}
		sel = match.Selection(snap)
	}
	if a.slice != "" {
		spec, err := query.ParseSlice(a.slice)
		if err != nil {
			return describe.View{}, located(err)
		}
		sel = sel.Slice(spec)
	}
	if a.first.given {
		sel = sel.First(a.first.n)
	}
	if a.last.given {
		sel = sel.Last(a.last.n)
	}
	return describe.NewView(sel, match), nil
}

// filterEnv returns the environment of a filter, with the labels of the snapshot.
func (a *app) filterEnv(ctx context.Context, s *model.Snapshot) (env filter.Env, err error) {
	env = filter.Env{Now: time.Now(), Loc: a.zone(), Does: describe.Does, Read: a.readRows(s)}
	env.Labels, err = a.here(ctx, s)
	return env, err
}

// readRows returns how many rows of a transcript the user has read on the screen.
func (a *app) readRows(s *model.Snapshot) int {
	read, _ := a.readPlaces().Of(a.pathOf(s))
	return read.Rows
}

// match applies the query.
func (a *app) match(ctx context.Context, sel query.Selection) (*filter.Result, error) {
	f, err := lang.Parse(a.query)
	if err != nil {
		return nil, located(err)
	}
	env := filter.Env{Now: time.Now(), Loc: a.zone(), Does: describe.Does, Read: a.readRows(sel.Snap)}
	if filter.AsksLabels(f) {
		if env, err = a.filterEnv(ctx, sel.Snap); err != nil {
			return nil, err
		}
	}
	if f.Uses(lang.KeyTokens) {
		if env.Tokens, err = query.CountTokens(ctx, sel, a.counter(sel.Snap)); err != nil {
			return nil, err
		}
	}
	p := a.progress("filtering")
	defer p.done()
	env.Progress = func(done, total int) { p.set(int64(done), int64(total)) }
	res, err := filter.Apply(ctx, sel, f, env)
	if err != nil {
		return nil, err
	}
	if res.Err != nil {
		a.complain(fmt.Errorf("%d messages could not be read: %w", res.Unread, res.Err))
	}
	return &res, nil
}

// ofSession selects the messages of one session in the file, by its recorded id or its number.
func ofSession(sel query.Selection, name string) (query.Selection, error) {
	n, err := sessionNumber(sel.Snap, name)
	if err != nil {
		return sel, err
	}
	return sessionMessages(sel, n), nil
}

// sessionNumber returns the number of a session in the file.
func sessionNumber(snap *model.Snapshot, name string) (int, error) {
	sessions := snap.Sessions()
	for i := len(sessions) - 1; i >= 0; i-- {
		if sessions[i].Field("session") == name {
			return i, nil
		}
	}
	n, err := strconv.Atoi(name)
	switch {
	case err == nil && n >= 0 && n < len(sessions):
		return n, nil
	case len(sessions) < 2:
		return 0, hinted{fmt.Errorf("no session %q: this file has one session", name), "leave out --session"}
	}
	return 0, hinted{fmt.Errorf("no session %q among %d", name, len(sessions)),
		fmt.Sprintf("valid: a recorded id, or a number from 0 to %d; turns ls FILE lists them", len(sessions)-1)}
}

// sessionMessages selects the messages of one session in the file, by number.
func sessionMessages(sel query.Selection, n int) query.Selection {
	threads := sel.Snap.Threads()
	kept := query.Selection{Snap: sel.Snap}
	for _, id := range sel.IDs {
		if int(threads[sel.Snap.HeadRow(id).Thread].Session) == n {
			kept.IDs = append(kept.IDs, id)
		}
	}
	return kept
}

// located returns the error for a mistake in a filter or a slice. The error has the column, the
// hint a correction.
func located(err error) error {
	if filter, ok := errors.AsType[*lang.SyntaxError](err); ok {
		bare := *filter
		bare.Hint = ""
		return hinted{&bare, filter.Hint}
	}
	if slice, ok := errors.AsType[*query.SliceError](err); ok {
		bare := *slice
		bare.Hint = ""
		return hinted{&bare, slice.Hint}
	}
	return err
}

// atUsage is the help of --at.
const atUsage = "At `PLACE`: a message number, a negative one from the end, @22:41, or end (default the last message)"

// messageAt returns the message at a place of the file, by default the last selected one. With
// --session, numbers count the messages of that session.
func (a *app) messageAt(sel query.Selection, place string) (model.ID, error) {
	if place == "" {
		return sel.IDs[sel.Len()-1], nil
	}
	all, err := a.numbered(sel.Snap)
	if err != nil {
		return model.NoID, err
	}
	if all.Len() == 0 {
		return model.NoID, fmt.Errorf("--at %s: session %q has no messages", place, a.session)
	}
	id, err := query.AtPlace(all, place, a.zone())
	if err != nil {
		return id, hinted{fmt.Errorf("--at: %w", err), fmt.Sprintf("valid: a number from 0 to %d, a negative one from the end, @22:41, or end", all.Len()-1)}
	}
	return id, nil
}

// numbered returns the messages that numbers count: those of the session of --session, otherwise
// all of the file.
func (a *app) numbered(snap *model.Snapshot) (query.Selection, error) {
	if a.session == "" {
		return query.Everything(snap), nil
	}
	return ofSession(query.Everything(snap), a.session)
}
