package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"turns/export"
	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/label"
	"turns/query/lang"
	"turns/query/many"
	"turns/query/provider"
	"turns/query/session"
	"turns/query/summary"
	"turns/ui/cli/help"
	"turns/ui/transcripts"
)

// checkAnswer is the answer of turns check.
type checkAnswer struct {
	Version  int                `json:"version"`
	Messages int                `json:"total_messages"`
	For      human.TextOrNull   `json:"for"`
	Problems []provider.Problem `json:"problems"`
	Secrets  []export.Secret    `json:"secrets"`
	scope    string             // of the checked messages
	others   int                // problems for some providers only
	all      int                // number of problems, including those omitted by --limit
}

// checkCommand lists problems of sessions, or checks them against rules.
type checkCommand struct {
	app             *app
	provider, rules string
}

func (a *app) checkCommand() *cobra.Command {
	c := &checkCommand{app: a}
	cmd := a.command("check FILE", "Check a session for errors, provider problems and secrets",
		"  turns check run.jsonl\n  turns check run.jsonl --for anthropic --json\n  turns check runs --rules rules.toml --to junit -o report.xml", nil)
	a.ofEach(cmd, c.answer, "no problems found")
	problems := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case c.rules == "" && (a.to == "junit" || a.to == "sarif"):
			return hinted{fmt.Errorf("--to %s is a form of --rules", a.to), "turns check FILE --rules rules.toml --to " + a.to}
		case c.rules == "":
			return problems(cmd, args)
		case c.provider != "":
			return errors.New("--for and --rules exclude each other")
		}
		if err := a.someFiles(cmd, args); err != nil {
			return err
		}
		a.chooseSome()
		return c.checkRules(cmd.Context(), args)
	}
	cmd.Long = "List the problems of a session: missing or repeated ids, empty arguments, invalid JSON, unknown roles, results without a call, " +
		"calls without a result. --for adds the rules of a provider. Secrets are listed by their place.\n\n" + rulesHelp
	f := cmd.Flags()
	oneOf(f, &c.provider, "for", "", "Check the rules of `PROVIDER`", provider.CheckNames)
	f.StringVar(&c.rules, "rules", "", "Check sessions against the rules of `FILE` instead")
	a.limitFlag(cmd, "Print the first `N` problems and secrets of each session")
	a.selects(cmd)
	a.reads(cmd)
	a.prints(cmd, checkForms...)
	cmd.Annotations = map[string]string{help.ExitOne: "The session has problems. With --rules: a rule was violated, or no session was found."}
	return cmd
}

// answer prints the problems of a session. Among many sessions it prints only those with problems
// or secrets.
func (c *checkCommand) answer(ctx context.Context, a *app, _ string, view describe.View) (found bool, err error) {
	answer, err := checkSession(ctx, view.Selection, c.provider)
	if err != nil {
		return false, err
	}
	answer.all = len(answer.Problems)
	answer.Problems, answer.Secrets = firstRows(a, answer.Problems), firstRows(a, answer.Secrets)
	err = a.printAnswer(answer.Doc, func(w io.Writer) error { return query.WriteJSON(w, answer) })
	if err == nil && len(answer.Problems) > 0 {
		err = no("")
	}
	return len(answer.Problems)+len(answer.Secrets) > 0, err
}

func checkSession(ctx context.Context, sel query.Selection, name string) (*checkAnswer, error) {
	problems, err := provider.Check(ctx, sel)
	if err != nil {
		return nil, err
	}
	answer := &checkAnswer{Version: 1, Messages: sel.Len(), For: human.TextOrNull(name), Problems: []provider.Problem{}, Secrets: []export.Secret{}, scope: human.Plural(sel.Len(), "message")}
	if !sel.Whole() {
		answer.scope = sel.Scope()
	}
	for _, p := range problems {
		switch {
		case name != "" && p.Refused(name), name == "" && p.General():
			answer.Problems = append(answer.Problems, p)
		default:
			answer.others++
		}
	}
	secrets, err := export.Secrets(ctx, sel)
	answer.Secrets = append(answer.Secrets, secrets...)
	return answer, err
}

// Doc describes the answer for people.
func (c *checkAnswer) Doc() *answer.Doc {
	t := newCheckTable("PROBLEM", "HINT")
	for i := range c.Problems {
		p := &c.Problems[i]
		index := "-"
		if p.Index >= 0 {
			index = fmt.Sprint(p.Index)
		}
		t.Add(index, p.Problem, p.Hint)
	}
	d := &answer.Doc{}
	d.AddTable("", t)
	t = newCheckTable("SECRET", "WHERE")
	for _, s := range c.Secrets {
		rule := s.Rule
		if s.Count > 1 {
			rule = fmt.Sprintf("%s ×%d", rule, s.Count)
		}
		t.Add(fmt.Sprint(s.Index), rule, s.Where)
	}
	d.AddTable("", t)
	switch n := c.all; {
	case n > 0:
		d.AddText(c.scope + ", " + human.Plural(n, "problem"))
	case c.For != "":
		d.Note(c.scope + ", no problems for " + string(c.For))
	default:
		d.Note(c.scope + ", no problems")
	}
	if c.others > 0 && c.For == "" {
		d.Note(fmt.Sprintf("%d more that only some providers refuse (--for PROVIDER lists them)", c.others))
	}
	return d
}

// newCheckTable returns a table of findings in messages.
func newCheckTable(heads ...string) *answer.Table {
	return answer.NewTable(append([]string{"INDEX"}, heads...)...).Cut(describe.LineMax, 1, 2)
}

// checkRules checks many sessions against rules.
func (a *checkCommand) checkRules(ctx context.Context, names []string) error {
	write := gateForms[cmp.Or(a.app.to, map[bool]string{true: "json", false: "text"}[a.app.json])]
	a.app.asData = a.app.to != "" && a.app.to != "text"
	g := gate{}
	var err error
	if g.rules, err = readRules(a.rules); err != nil {
		return err
	}
	prices, err := a.app.prices()
	if err != nil {
		return err
	}
	c, err := a.app.crowd(ctx, names)
	if errors.Is(err, errNoSessions) {
		printError(a.app.Err, err)
		return no("")
	}
	if err != nil {
		return err
	}
	defer c.lib.Close()
	a.app.checkEach(ctx, c, g.rules, prices, func(r *many.Checked) {
		g.runs++
		g.each = append(g.each, *r)
		g.found = append(g.found, r.Violations...)
	})
	err = a.app.write(func(w io.Writer) error { return write(&g, w) })
	if err == nil && len(g.found) > 0 {
		err = no("")
	}
	if err = c.end(ctx, err); isNothing(err) {
		err = no(err.Error()) // a gate without sessions fails
	}
	if err == nil && g.runs == 0 {
		printError(a.app.Err, hinted{errors.New("checking sessions: no session was found, so no rule was checked"), "turns ls lists what --where chooses"})
		return no("")
	}
	return err
}

// checkEach checks many sessions against rules, in order.
func (a *app) checkEach(ctx context.Context, c *crowd, rules []many.Rule, prices summary.PriceTable, take func(*many.Checked)) {
	labels := a.labels()
	checker := many.Checker{Rules: rules, Ref: lang.TimeRef{Now: time.Now(), Loc: a.zone()}, Options: many.Options{Prices: prices}}
	checker.LabelsOf = func(ctx context.Context, s *model.Snapshot, path string) (*label.Here, error) {
		file, _ := transcripts.PartOf(path)
		return labels.Find(ctx, s, file)
	}
	checker.Secrets = secretPlaces
	ofRuns(ctx, c, func(ctx context.Context, sel query.Selection, s *session.Session) ([]many.Checked, error) {
		checked, err := checker.Check(ctx, sel, s)
		if checked == nil {
			return nil, err
		}
		return []many.Checked{*checked}, err
	}, take)
}
