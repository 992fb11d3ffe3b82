package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"turns/model"
	"turns/query/answer"
	"turns/query/human"
	"turns/query/lang"
	"turns/query/many"
	"turns/query/session"
	"turns/query/summary"
	"turns/query/trials"
	"turns/ui/cli/help"
	"turns/ui/transcripts"
)

// trialsCommand compares sessions of the same tasks.
type trialsCommand struct {
	app                 *app
	task, configuration string
	pass                string // query for passed sessions
	rules               string // file of rules that a passed session obeys
	order               string
	under, worse        *portion // thresholds of the gate; nil: none
}

// portion is a flag with a number from 0 to 1.
type portion float64

func (s *portion) String() string { return fmt.Sprint(float64(*s)) }

// Type is the type shown in completion.
func (s *portion) Type() string { return "float" }

// Set parses the number.
func (s *portion) Set(text string) error {
	if _, err := fmt.Sscanf(text, "%g", (*float64)(s)); err != nil || *s < 0 || *s > 1 {
		return fmt.Errorf("%q is not a share from 0 to 1, such as 0.8", text)
	}
	return nil
}

func (a *app) trialsCommand() *cobra.Command {
	c := &trialsCommand{app: a, under: new(portion), worse: new(portion)}
	cmd := &cobra.Command{
		Use: "trials DIR|FILE…", Short: "Compare trials: which configuration passes more, and is that noise?",
		Long: "Compare sessions of the same tasks as trials: a matrix of tasks and configurations, the pass rate of each configuration with its 95 % interval, " +
			"pass@k and pass^k, medians of tokens, cost, time and calls, and how much two configurations differ, paired by task.\n\n" +
			"The task is recorded in the transcript (Inspect, τ-bench, SWE-agent, Harbor), or it is the folder in TASK/TRIAL. A trial passes " +
			"by its recorded score, by the label + or - of the session, by --pass or by --rules. A trial without any of these counts as missing, not as failed.\n\n" +
			"On a terminal the matrix opens on the screen. With --plain, --to, --json, -o or a gate, and in a pipe, trials prints it. " +
			"turns help trials explains the numbers and names the source of each method.",
		Example: "  turns trials runs/\n  turns trials runs/old runs/new\n  turns trials runs/ --by model --sort flips\n" +
			"  turns trials runs/ --task prompt --pass 'end:finished cost:<1'\n  turns trials base/ head/ --fail-if-worse 0.02 --to markdown -o trials.md",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.someFiles(cmd, args); err != nil {
				return err
			}
			f := cmd.Flags()
			return c.run(cmd.Context(), args, f.Changed("fail-under"), f.Changed("fail-if-worse"))
		},
		Annotations: map[string]string{help.ExitOne: "A configuration is below --fail-under, or one is worse by more than --fail-if-worse allows, or no trial has a verdict."},
	}
	f := cmd.Flags()
	tasks, taskHelp := trials.TaskNames()
	f.StringVar(&c.task, "task", "recorded", "Name tasks by `KEY`: "+ways(tasks, taskHelp)+", or any field")
	by, byHelp := trials.ConfigurationNames()
	f.StringVar(&c.configuration, "by", "", "Compare by `KEY`: "+ways(by, byHelp)+", or any field (default: folder if you name several, otherwise model)")
	f.StringVar(&c.pass, "pass", "", "Count sessions that match `QUERY` as passed and the others as failed")
	f.StringVar(&c.rules, "rules", "", "Count a session as passed if it meets the rules in `FILE` (turns help rules)")
	oneOf(f, &c.order, "sort", "", "Sort tasks by `KEY`", orderNames)
	a.limitFlag(cmd, "Print the first `N` tasks")
	f.Var(c.under, "fail-under", "Exit with 1 if a pass rate is below `SHARE`")
	f.Var(c.worse, "fail-if-worse", "Exit with 1 if a pass rate is significantly worse than the first, by more than `SHARE`")
	a.looks(cmd)
	a.picks(cmd)
	a.reads(cmd)
	a.prints(cmd, trialForms...)
	return cmd
}

// ways lists keys with their values.
func ways(names, texts []string) string {
	var list []string
	for i := range names {
		list = append(list, names[i]+" ("+texts[i]+")")
	}
	return strings.Join(list, ", ")
}

func orderNames() []string {
	var names []string
	for _, o := range trials.Orders() {
		names = append(names, string(o))
	}
	return names
}

func (c *trialsCommand) run(ctx context.Context, names []string, under, worse bool) error {
	o := transcripts.TrialsOptions{Reading: trials.Reading{Task: c.task, By: cmp.Or(c.configuration, "model")}}
	if err := o.CheckWays(); err != nil {
		return err
	}
	o.By = c.configuration
	var err error
	if o.Totals.Prices, err = c.app.prices(); err != nil {
		return err
	}
	if o.Passes, err = c.passes(ctx, names, o.Totals.Prices); err != nil {
		return err
	}
	if o.Totals.Sessions, err = c.app.wanted(); err != nil {
		return err
	}
	if c.app.Terminal && !c.app.plain && c.app.to == "" && !c.app.json && c.app.out == "" && !under && !worse && !slices.Contains(names, "-") {
		c.app.trials = &o
		return c.app.listScreen(ctx, names...)
	}
	answer, err := c.read(ctx, names, o)
	if answer == nil {
		return err
	}
	if werr := c.print(answer); werr != nil {
		return werr
	}
	if err != nil {
		return err
	}
	return c.gate(answer, under, worse)
}

// passes returns the criterion of --pass or --rules; nil for none. Running sessions are not judged.
func (c *trialsCommand) passes(ctx context.Context, names []string, prices summary.PriceTable) (func(*many.Run) (passed, ok bool), error) {
	switch {
	case c.rules != "" && c.pass != "":
		return nil, hinted{errors.New("--pass and --rules exclude each other"), "a rule can have the query: [rules.NAME] some = 'QUERY'"}
	case c.rules != "":
		return c.kept(ctx, names, prices)
	case c.pass == "":
		return nil, nil
	}
	f, err := lang.Parse(c.pass)
	if err != nil {
		return nil, located(err)
	}
	filter := session.NewFilter(f, lang.TimeRef{Now: time.Now(), Loc: c.app.zone()})
	if left := filter.Unanswered(); len(left) > 0 {
		return nil, hinted{fmt.Errorf("--pass %q asks about messages; it selects sessions", c.pass), "turns help filters lists what selects sessions"}
	}
	return func(r *many.Run) (passed, ok bool) {
		if r.Live && !r.Ended {
			return false, false
		}
		v := filter.Holds(&r.Session, nil)
		return v == session.Yes, v != session.Unsure
	}, nil
}

// kept returns the criterion of --rules: it reads and checks all sessions.
func (c *trialsCommand) kept(ctx context.Context, names []string, prices summary.PriceTable) (func(*many.Run) (passed, ok bool), error) {
	rules, err := readRules(c.rules)
	if err != nil {
		return nil, err
	}
	all, err := c.app.crowd(ctx, names)
	if err != nil {
		return nil, err
	}
	defer all.lib.Close()
	violated := map[string]bool{}
	c.app.checkEach(ctx, all, rules, prices, func(s *many.Checked) { violated[s.Path] = len(s.Violations) > 0 })
	return func(r *many.Run) (passed, ok bool) {
		bad, known := violated[r.Path]
		return !bad, known && (r.Ended || !r.Live)
	}, ctx.Err()
}

// read reads the trials. The answer is nil if there are none.
func (c *trialsCommand) read(ctx context.Context, names []string, o transcripts.TrialsOptions) (*trials.Answer, error) {
	all, err := c.app.crowd(ctx, names)
	if err != nil {
		return nil, err
	}
	defer all.lib.Close()
	answer, err := all.lib.Trials(ctx, o, func(_, _ int, a *transcripts.Answer[[]*many.Run]) bool {
		all.runs += len(a.Answer)
		return took(all, a)
	})
	if err != nil || all.runs == 0 {
		return nil, all.end(ctx, err)
	}
	if len(answer.Trials) == 0 {
		all.shown.done()
		return nil, hinted{fmt.Errorf("no task is recorded for %s", human.Plural(all.runs, "session")),
			"--task prompt uses the first prompt as the task, --task FIELD a field of the transcript"}
	}
	return answer, all.end(ctx, nil)
}

func (c *trialsCommand) print(a *trials.Answer) error {
	a.Sort(trials.Order(cmp.Or(c.order, string(trials.ByTask))))
	left := 0
	if c.app.rows > 0 && c.app.rows < len(a.Tasks) {
		left = len(a.Tasks) - c.app.rows
		a.Tasks = a.Tasks[:c.app.rows]
	}
	if c.app.to == "junit" {
		return c.app.write(redacted(a.WriteJUnit))
	}
	return c.app.printAnswer(func() *answer.Doc {
		d := a.Doc()
		if left > 0 {
			d.Note(human.Plural(left, "more task") + " left out by --limit")
		}
		return d
	}, a.WriteJSON)
}

// gate returns an error if a threshold is not met. Without judged trials it is not met.
func (c *trialsCommand) gate(a *trials.Answer, under, worse bool) error {
	if under {
		for i := range a.Configurations {
			conf := &a.Configurations[i]
			switch {
			case conf.Rate == nil:
				return c.refuse(fmt.Sprintf("%s: no trial has a verdict, and --fail-under asks for %s", conf.Title(), c.under))
			case conf.Rate.Value < float64(*c.under):
				return c.refuse(fmt.Sprintf("%s: pass rate %s is below %s", conf.Title(), conf.Rate.Text(), c.under))
			}
		}
	}
	if worse {
		for i := range a.Comparisons {
			d := &a.Comparisons[i]
			switch {
			case d.Difference == nil:
				return c.refuse(fmt.Sprintf("%s and %s: no judged task in common, and --fail-if-worse compares them", d.A, d.B))
			case d.Apart && d.Value < -float64(*c.worse):
				return c.refuse(fmt.Sprintf("%s is worse than %s: %s", d.B, d.A, d.Verdict()))
			}
		}
		if len(a.Comparisons) == 0 {
			return c.refuse("there is one configuration, and --fail-if-worse compares two")
		}
	}
	return nil
}

// refuse reports on stderr why a gate fails, and returns the error for exit code 1.
func (c *trialsCommand) refuse(why string) error {
	fmt.Fprintln(c.app.Err, "turns: "+model.CleanLine(why))
	return no("")
}
