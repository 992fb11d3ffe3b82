package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"turns/export/formats"
	"turns/model"
	"turns/model/token"
	"turns/query"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/provider"
	"turns/query/runs"
	"turns/query/window"
	"turns/ui/cli/help"
)

// trimCommand shows or exports the part of the context that fits a budget.
type trimCommand struct {
	at, tiers, provider, now string
	budget                   int64
	keep, max                optional
	repair                   bool

	conversations []string // further transcripts with remembered sessions
	args          []string // names on the command line
	others        func() ([]runs.Conversation, error)
	once          sync.Once // many transcripts are queried in parallel
}

func (a *app) trimCommand() *cobra.Command {
	c := &trimCommand{}
	cmd := a.command("trim FILE|DIR…", "Cut the context to a token budget",
		"  turns trim run.jsonl --budget 3000 --keep-last 4\n  turns trim run.jsonl --budget 8000 --repair --to openai -o request.json\n  turns trim run.jsonl --tiers --json", nil)
	cmd.Long = "Cut the history that the model was sent to a budget, the newest messages first, and print what remains; with --to, write it in an export format.\n\n" +
		"--tiers builds the context of a new conversation instead: history, today, unfinished items and the last conversation, each cut to its own budget."
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c.args = args
		if !c.trims() && a.export.to == "" {
			return hinted{errors.New("trim needs a budget"), "turns trim FILE --budget 8000, --tiers, --keep-last N or --to FORMAT"}
		}
		return c.run(a, cmd, args)
	}
	c.flags(cmd.Flags())
	a.selects(cmd)
	a.picks(cmd)
	a.reads(cmd)
	under(cmd, help.Output, func(f *pflag.FlagSet) {
		oneOf(f, &a.export.to, "to", "t", "Write the remaining messages as export `FORMAT`", formats.Names)
		f.BoolVar(&a.json, "json", false, "Print the cut as JSON")
	})
	a.writes(cmd)
	a.timeZoneFlag(cmd)
	a.counts(cmd)
	a.shapes(cmd)
	f := cmd.Flags()
	hide(f, shapingFlags...)
	hide(f, rarelyRead...)
	hide(f, "slice", "first", "last", "utc", "no-tokens")
	return cmd
}

// flags adds the flags of trimming.
func (c *trimCommand) flags(f *pflag.FlagSet) {
	f.Int64Var(&c.budget, "budget", 0, "Cut the history to `N` tokens, newest first")
	f.StringVar(&c.tiers, "tiers", "", "Cut history, today, unfinished items and last conversation to `H,T,O,L` tokens")
	f.Lookup("tiers").NoOptDefVal = "3000,500,400,300"
	f.Var(&c.keep, "keep-last", fmt.Sprintf("Always include the last `N` messages (default %d; with --tiers 0)", window.DefaultKeep))
	f.Var(&c.max, "max-messages", fmt.Sprintf("Include at most `N` messages (default all; with --tiers %d)", tierMessages))
	f.BoolVar(&c.repair, "repair", false, "Leave out results without a call, and list what else a provider would refuse")
	oneOf(f, &c.provider, "for", "", "Repair for `PROVIDER`", providerNames)
	c.provider, f.Lookup("for").DefValue = "openai", "openai"
	f.StringVar(&c.at, "at", "", atUsage)
	f.StringArrayVar(&c.conversations, "also", nil, "With --tiers, also remember the conversations of `PATH`, a file or a folder")
	f.StringVar(&c.now, "now", "", "Use `TIME` (RFC 3339) as the present (default: with --tiers, the time of the message)")
}

// trims reports whether a flag trims the context.
func (c *trimCommand) trims() bool {
	return c.tiers != "" || c.budget > 0 || c.max.given || c.repair || c.keep.given
}

// run trims one session, or many one after another.
func (c *trimCommand) run(a *app, cmd *cobra.Command, args []string) error {
	if c.tiers != "" && c.budget > 0 {
		return hinted{errors.New("--budget and --tiers exclude each other"), "the first number of --tiers is the budget of the history: --tiers 3000,500,400,300"}
	}
	return a.oneOrEach(c.answer, "no message matches")(cmd, args)
}

func (c *trimCommand) answer(ctx context.Context, a *app, arg string, view describe.View) (bool, error) {
	err := c.trim(ctx, a, arg, view)
	return err == nil, err
}

// trim answers about one session.
func (c *trimCommand) trim(ctx context.Context, a *app, arg string, view describe.View) error {
	provider, err := provider.Find(c.provider)
	if err != nil {
		return err
	}
	at, session, err := c.place(a, view)
	if err != nil {
		return err
	}
	column, err := a.tokenColumn(ctx, query.Everything(view.Snap))
	if err != nil {
		return err
	}
	x := window.NewIndex(view.Snap, column)
	if c.tiers == "" {
		a.export.before = view.Snap.Pos(at) + 1
		return c.cut(ctx, a, c.history(a, view, x, at), x, provider)
	}
	o := window.BudgetOptions{MaxMessages: tierMessages}
	if c.max.given {
		o.MaxMessages = c.max.n
	}
	if c.keep.given {
		o.Keep = c.keep.n
	}
	if c.repair {
		o.Repair = &provider
	}
	c.remember(ctx, a)
	return c.printTiers(ctx, a, view.Selection, x, remembering{at, session, arg}, o)
}

// place returns the message at the end of the context, and the number of its session. A session
// that is starting has no message yet.
func (c *trimCommand) place(a *app, view describe.View) (at model.ID, session int, err error) {
	if view.Len() > 0 || c.at != "" && a.session != "" {
		if at, err = a.messageAt(view.Selection, c.at); err != nil {
			return 0, 0, err
		}
		return at, int(view.Snap.Threads()[view.Snap.HeadRow(at).Thread].Session), nil
	}
	if c.tiers == "" || c.at != "" || a.query != "" || len(view.Snap.Sessions()) == 0 {
		return 0, 0, nothing("no message matches")
	}
	if a.session != "" {
		session, err = sessionNumber(view.Snap, a.session)
	}
	return model.NoID, session, err
}

// remember prepares the query for sessions of other transcripts, which runs once.
func (c *trimCommand) remember(ctx context.Context, a *app) {
	c.once.Do(func() {
		paths := c.conversations
		if a.askedOfMany(ctx, c.args) {
			paths = append(paths, c.args...)
		}
		c.others = sync.OnceValues(func() ([]runs.Conversation, error) {
			if len(paths) == 0 {
				return nil, nil
			}
			return a.conversations(ctx, paths, false)
		})
	})
}

// history returns the messages to trim: those sent to the model up to the message, or the selected
// messages up to it.
func (c *trimCommand) history(a *app, res describe.View, x *window.Index, at model.ID) query.Selection {
	if a.narrowed() {
		sel := query.Selection{Snap: res.Snap}
		for _, id := range res.IDs {
			if res.Snap.Pos(id) <= res.Snap.Pos(at) {
				sel.IDs = append(sel.IDs, id)
			}
		}
		return sel
	}
	return historyAt(res.Snap, x, at)
}

// historyAt returns the context at a message including the message.
func historyAt(snap *model.Snapshot, x *window.Index, at model.ID) query.Selection {
	ids := x.Seen(at)
	if n := len(ids); n == 0 || ids[n-1] != at {
		ids = append(ids, at)
	}
	return query.Selection{Snap: snap, IDs: ids}
}

// repaired is a cut history and the changes that make it valid.
type repaired struct {
	*window.BudgetAnswer
	Provider human.TextOrNull `json:"provider"`
	Repairs  []string         `json:"repairs,omitempty"`
}

// Doc describes both.
func (r *repaired) Doc() *answer.Doc {
	d := r.BudgetAnswer.Doc()
	for _, line := range r.Repairs {
		d.Note("repair for " + string(r.Provider) + ": " + line)
	}
	return d
}

// cut trims the history to the budget.
func (c *trimCommand) cut(ctx context.Context, a *app, sel query.Selection, x *window.Index, provider provider.Provider) error {
	o := window.BudgetOptions{Tokens: c.budget, Keep: window.DefaultKeep, MaxMessages: c.max.n}
	if c.keep.given {
		o.Keep = c.keep.n
	}
	if c.repair {
		o.Repair = &provider
	} else if to, err := repairedFor(a.export.to); err != nil {
		return err
	} else if to != nil {
		o.Repair = to // an export for a provider repairs, and the additions have to fit
	}
	cut, err := x.Budget(ctx, sel, o)
	if err != nil {
		return err
	}
	answer := &repaired{BudgetAnswer: cut}
	if c.repair {
		_, report, err := cut.Repaired(ctx, provider)
		if err != nil {
			return err
		}
		answer.Provider, answer.Repairs = human.TextOrNull(provider.Name), report.Lines()
	}
	kept := describe.NewView(cut.Kept, nil)
	if a.export.to != "" {
		fmt.Fprint(a.Err, "turns: "+strings.ReplaceAll(strings.TrimRight(model.Clean(answer.Doc().String()), "\n"), "\n", "\nturns: ")+"\n")
		return a.exportResult(ctx, kept, a.export.to)
	}
	return a.printAnswer(answer.Doc, func(w io.Writer) error { return query.WriteJSON(w, answer) })
}

// repairedFor returns the provider that an export is repaired for; nil if its format has none.
func repairedFor(to string) (*provider.Provider, error) {
	if to == "" {
		return nil, nil
	}
	f, err := formats.Find(to)
	if err != nil || !f.Provider {
		return nil, err
	}
	p, err := provider.Find(f.Name)
	return &p, err
}

// tierMessages is the most messages of the history tier.
const tierMessages = 80

// remembering is the session that the tiers are for, and the place in it: NoID at its beginning.
type remembering struct {
	at      model.ID
	session int
	source  string
}

// printTiers prints the context of a new session.
func (c *trimCommand) printTiers(ctx context.Context, a *app, sel query.Selection, x *window.Index, of remembering, o window.BudgetOptions) error {
	budgets, err := parseTiers(c.tiers)
	if err != nil {
		return err
	}
	now, err := parseNow(c.now)
	if err != nil {
		return err
	}
	row := of.at
	if row == model.NoID {
		row = sel.Snap.Sessions()[of.session].First
	}
	if c.now == "" && row != model.NoID && sel.Snap.Rows() > 0 && sel.Snap.HeadRow(row).Time != 0 {
		now = time.UnixMilli(sel.Snap.HeadRow(row).Time)
	}
	list, err := c.remembered(ctx, a, sel.Snap, of)
	if err != nil {
		return err
	}
	known := runs.Continuity(list, runs.ContinuityOptions{Now: now.UnixMilli(), Zone: a.zone(), Source: of.source, Session: of.session})
	texts := window.TierTexts{Today: known.TodayText(), Threads: known.OpenText(), LastConversation: known.LastText()}
	if known.Today == nil {
		texts.Today = ""
	}
	if known.Last == nil {
		texts.LastConversation = ""
	}
	history, note := query.Selection{Snap: sel.Snap}, "no history: the conversation begins"
	if of.at != model.NoID {
		history = historyAt(sel.Snap, x, of.at)
	}
	enc := a.tokens(sel.Snap)
	snapshot, err := window.Tiers(texts, budgets, token.New(enc), func(budget int64) (window.HistoryCut, error) {
		if o.Tokens = budget; history.Len() == 0 {
			return window.HistoryCut{}, nil
		}
		cut, err := x.Budget(ctx, history, o)
		if err != nil {
			return window.HistoryCut{}, err
		}
		note = cut.Why()
		return window.HistoryCut{Before: cut.AllSum, Tokens: cut.Tokens + cut.Added, Messages: cut.Messages}, nil
	})
	if err != nil {
		return err
	}
	snapshot.Encoding, snapshot.Note = human.TextOrNull(enc.String()), human.TextOrNull(note)
	return a.printAnswer(snapshot.Doc, snapshot.WriteJSON)
}

// remembered returns the sessions that began before this one, in its file and in other transcripts.
func (c *trimCommand) remembered(ctx context.Context, a *app, snap *model.Snapshot, of remembering) ([]runs.Conversation, error) {
	list, err := runs.Conversations(ctx, of.source, snap, a.zone())
	if err != nil {
		return nil, err
	}
	others, err := c.others()
	if err != nil {
		return nil, err
	}
	began := human.Stamp(0)
	for i := range list {
		if list[i].Session == of.session {
			began = list[i].Start
		}
	}
	for _, other := range others {
		if filepath.Clean(other.Source) != filepath.Clean(of.source) {
			list = append(list, other)
		}
	}
	return slices.DeleteFunc(list, func(c runs.Conversation) bool {
		return began != 0 && c.Start > began && c.Recorded == nil
	}), nil
}

// parseTiers parses the budgets of the tiers.
func parseTiers(s string) (window.TierBudgets, error) {
	b := window.TierBudgets{}
	fields := strings.Split(s, ",")
	into := []*int64{&b.History, &b.Today, &b.Threads, &b.LastConversation, &b.Total}
	bad := len(fields) < 4 || len(fields) > len(into)
	for i := 0; i < len(fields) && !bad; i++ {
		n, err := strconv.ParseInt(strings.TrimSpace(fields[i]), 10, 64)
		bad = err != nil || n < 0
		*into[i] = n
	}
	if bad {
		return b, hinted{fmt.Errorf("reading the budgets %q", s), "--tiers=HISTORY,TODAY,THREADS,LAST or with the total behind them: 3000,500,400,300,4000"}
	}
	return b, nil
}

// rarelyRead are flags that context and trim accept but do not list, because their help is long
// already.
var rarelyRead = []string{"header", "format-file", "label-file", "no-labels"}
