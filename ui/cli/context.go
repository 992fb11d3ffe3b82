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

	"turns/export/formats"
	"turns/model"
	"turns/model/token"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/provider"
	"turns/query/runs"
	"turns/query/window"
)

// contextFlags are those of turns context.
type contextFlags struct {
	at, tiers, to, provider, now string
	window, budget               int64
	keep, max                    int
	repair, growth, waste        bool

	beside []string // what else is remembered
	others func() ([]runs.Conversation, error)
	once   sync.Once // many transcripts are asked at once
}

func (a *app) contextCommand() *cobra.Command {
	var f contextFlags
	cmd := a.command("context FILE", "Print what the model was given at a message, or what a budget would leave",
		"  turns context run.jsonl\n  turns context run.jsonl --at 120 --json\n  turns context run.jsonl --budget 3000 --keep 4 --to openai\n  turns context run.jsonl --tiers --json",
		nil)
	a.ofEach(cmd, func(ctx context.Context, a *app, cmd *cobra.Command, path string, view describe.View) (bool, error) {
		err := a.context(ctx, cmd, path, view, &f)
		return err == nil, err
	})
	fs := cmd.Flags()
	fs.StringVar(&f.at, "at", "", "at the message at position `N`; negative counts from the end (default the last one)")
	fs.Int64Var(&f.window, "window", 0, "the model takes `N` tokens (default as recorded, or a table of known models)")
	fs.BoolVar(&f.growth, "growth", false, "print what each turn added, too")
	fs.BoolVar(&f.waste, "waste", false, "print repeated calls and results that nothing refers to again, too")
	fs.Int64Var(&f.budget, "budget", 0, "cut the history to `N` tokens, newest first")
	fs.IntVar(&f.keep, "keep", window.DefaultKeep, "keep the last `N` messages whatever they cost; of the tiers only where it is given")
	fs.IntVar(&f.max, "max-messages", 0, fmt.Sprintf("keep at most `N` messages (default any number; of the tiers %d)", tierMessages))
	fs.BoolVar(&f.repair, "repair", false, "leave results without a call out, and say what else a provider would need")
	fs.StringVar(&f.provider, "provider", "openai", "repair for `NAME`")
	fs.StringVarP(&f.to, "to", "t", "", "write what is kept as export `FORMAT`")
	fs.StringVar(&f.tiers, "tiers", "", "cut history, today, open threads and last conversation to `H,T,O,L` tokens and print the context snapshot")
	fs.Lookup("tiers").NoOptDefVal = "3000,500,400,300"
	fs.StringArrayVar(&f.beside, "beside", nil, "with --tiers, remember the conversations of `PATH`, a file or a folder, too")
	fs.StringVar(&f.now, "now", "", "take `TIME` (RFC 3339) for the present (of the tiers, when the message was said)")
	a.answerFlags(cmd)
	a.exportFlags(cmd)
	return cmd
}

func (a *app) context(ctx context.Context, cmd *cobra.Command, arg string, res describe.View, f *contextFlags) error {
	provider, err := provider.Find(f.provider)
	if err != nil {
		return err
	}
	if f.tiers != "" && cmd.Flags().Changed("budget") {
		return hinted{errors.New("--budget and --tiers exclude each other"), "the first number of --tiers is the budget of the history: --tiers 3000,500,400,300"}
	}
	at, session := model.NoID, 0
	switch {
	case res.Len() > 0:
		if at, err = messageAt(res.Selection, f.at); err != nil {
			return err
		}
		session = int(res.Snap.Threads()[res.Snap.HeadRow(at).Thread].Session)
	// a conversation that begins
	case f.tiers != "" && f.at == "" && a.filter == "" && len(res.Snap.Sessions()) > 0:
		if a.session != "" {
			if session, err = sessionNumber(res.Snap, a.session); err != nil {
				return err
			}
		}
	default:
		return errNoMatch
	}
	var column *query.TokenColumn
	if !a.noTokens {
		if column, err = query.CountTokens(ctx, query.Everything(res.Snap), a.counter(res.Snap)); err != nil {
			return err
		}
	}
	x := window.NewIndex(res.Snap, column)
	cuts := f.budget > 0 || f.max > 0 || f.repair || cmd.Flags().Changed("keep")
	switch {
	case f.tiers != "":
		o := window.BudgetOptions{MaxMessages: tierMessages}
		if cmd.Flags().Changed("max-messages") {
			o.MaxMessages = f.max
		}
		if cmd.Flags().Changed("keep") {
			o.Keep = f.keep
		}
		if f.repair {
			o.Repair = &provider
		}
		f.once.Do(func() {
			paths := f.beside
			if args := cmd.Flags().Args(); askedOfMany(cmd, args) {
				paths = append(paths, args...)
			}
			f.others = sync.OnceValues(func() ([]runs.Conversation, error) { return a.conversations(ctx, paths) })
		})
		return a.tiers(ctx, res.Selection, x, remembering{at, session, arg}, f, o)
	case cuts || f.to != "":
		a.export.before = res.Snap.Pos(at) + 1
		return a.budget(ctx, a.history(res, x, at), x, f, provider)
	}
	answer, err := x.Context(at, window.Options{Window: f.window})
	if err != nil {
		return err
	}
	if err := answer.Describe(ctx, res.Snap); err != nil {
		return err
	}
	if f.growth {
		answer.Growth = x.Growth(query.NewTurnIndex(res.Snap))
	}
	if f.waste {
		if answer.Waste, err = x.Waste(ctx, res.Selection, nil); err != nil {
			return err
		}
	}
	return a.print(res, answer, func(w io.Writer) error { return answer.WriteJSON(ctx, w) })
}

// messageAt is the message at a position of the conversation; the last one that is
// selected where none is given.
func messageAt(sel query.Selection, at string) (model.ID, error) {
	if at == "" {
		return sel.IDs[sel.Len()-1], nil
	}
	n, err := strconv.Atoi(at)
	if err == nil && n < 0 {
		n += sel.Snap.Len()
	}
	if err != nil || n < 0 || n >= sel.Snap.Len() {
		return 0, hinted{fmt.Errorf("no message %q", at), fmt.Sprintf("--at takes a position from 0 to %d, or a negative one from the end", sel.Snap.Len()-1)}
	}
	return sel.Snap.At(n), nil
}

// history is what is cut: what the model was given up to the message, or where
// something was selected, that.
func (a *app) history(res describe.View, x *window.Index, at model.ID) query.Selection {
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

// historyAt is the context at a message and the message itself.
func historyAt(snap *model.Snapshot, x *window.Index, at model.ID) query.Selection {
	ids := x.Seen(at)
	if n := len(ids); n == 0 || ids[n-1] != at {
		ids = append(ids, at)
	}
	return query.Selection{Snap: snap, IDs: ids}
}

// repaired is a cut and what it would take to make it valid.
type repaired struct {
	*window.BudgetAnswer
	Provider string   `json:"provider,omitempty"`
	Repairs  []string `json:"repairs,omitempty"`
}

// Print writes both.
func (r *repaired) Print(p *human.Page) {
	r.BudgetAnswer.Print(p)
	for _, line := range r.Repairs {
		p.WriteString("repair for " + r.Provider + ": " + line + "\n")
	}
}

func (a *app) budget(ctx context.Context, sel query.Selection, x *window.Index, f *contextFlags, provider provider.Provider) error {
	o := window.BudgetOptions{Tokens: f.budget, Keep: f.keep, MaxMessages: f.max}
	if f.repair {
		o.Repair = &provider
	} else if to, err := a.repairedFor(f.to); err != nil {
		return err
	} else if to != nil {
		o.Repair = to // an export for a provider repairs: what that adds has to fit
	}
	cut, err := x.Budget(ctx, sel, o)
	if err != nil {
		return err
	}
	answer := &repaired{BudgetAnswer: cut}
	if f.repair {
		_, report, err := cut.Repaired(ctx, provider)
		if err != nil {
			return err
		}
		answer.Provider, answer.Repairs = provider.Name, report.Lines()
	}
	kept := describe.NewView(cut.Kept, nil)
	if f.to != "" {
		fmt.Fprint(a.Err, "turns: "+strings.ReplaceAll(strings.TrimRight(model.Clean(human.Text(answer)), "\n"), "\n", "\nturns: ")+"\n")
		return a.exportResult(ctx, kept, f.to)
	}
	return a.print(kept, answer, func(w io.Writer) error { return writeJSON(w, answer) })
}

// repairedFor is the provider that an export is repaired for, nil for the formats that
// are for none.
func (a *app) repairedFor(to string) (*provider.Provider, error) {
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

// tierMessages is how many messages the history tier has at most.
const tierMessages = 80

// remembering is the conversation that the tiers are of, and where in it: NoID at its
// beginning.
type remembering struct {
	at      model.ID
	session int
	source  string
}

// tiers prints the context snapshot.
func (a *app) tiers(ctx context.Context, sel query.Selection, x *window.Index, of remembering, f *contextFlags, o window.BudgetOptions) error {
	budgets, err := parseTiers(f.tiers)
	if err != nil {
		return err
	}
	now, err := parseNow(f.now)
	if err != nil {
		return err
	}
	row := of.at
	if row == model.NoID {
		row = sel.Snap.Sessions()[of.session].First
	}
	if f.now == "" && row != model.NoID && sel.Snap.HeadRow(row).Time != 0 {
		now = time.UnixMilli(sel.Snap.HeadRow(row).Time)
	}
	list, err := a.remembered(ctx, sel.Snap, of, f)
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
	enc := token.ForModel(firstModel(sel.Snap))
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
	snapshot.Encoding, snapshot.Note = enc.String(), note
	if of.at == model.NoID {
		sel = query.Everything(sel.Snap) // nothing is selected, and that is what was asked for
	}
	return a.print(describe.NewView(sel, nil), snapshot, snapshot.WriteJSON)
}

// remembered is what continuity keeps of the conversations that began before this one, of
// its source and of those beside it.
func (a *app) remembered(ctx context.Context, snap *model.Snapshot, of remembering, f *contextFlags) ([]runs.Conversation, error) {
	list, err := runs.Conversations(ctx, of.source, snap, a.zone())
	if err != nil {
		return nil, err
	}
	others, err := f.others()
	if err != nil {
		return nil, err
	}
	began := human.Stamp(0)
	for i := range list {
		if list[i].Session == of.session {
			began = list[i].Start
		}
	}
	for _, c := range others {
		if filepath.Clean(c.Source) != filepath.Clean(of.source) {
			list = append(list, c)
		}
	}
	return slices.DeleteFunc(list, func(c runs.Conversation) bool {
		return began != 0 && c.Start > began && c.Recorded == nil
	}), nil
}

// joinTiers lets --tiers take its value with or without =. The value may be left out,
// so a word behind it is the value only where it can be nothing else.
func joinTiers(args []string) []string {
	out := []string{} // for nil, the command line of the process would be taken
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(out, args[i:]...)
		}
		if arg == "--tiers" && i+1 < len(args) && strings.Contains(args[i+1], ",") && strings.Trim(args[i+1], "0123456789,") == "" {
			i++
			arg += "=" + args[i]
		}
		out = append(out, arg)
	}
	return out
}

// parseTiers reads the budgets of the tiers.
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

// parseNow is the present, or what was given for it.
func parseNow(s string) (time.Time, error) {
	if s == "" {
		return time.Now(), nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, hinted{fmt.Errorf("reading the time %q: %w", s, err), "write 2026-02-11T22:41:00Z"}
	}
	return t, nil
}
