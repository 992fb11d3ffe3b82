package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"turns/export"
	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/provider"
)

// checked is the answer of turns check.
type checked struct {
	Version  int                `json:"version"`
	Messages int                `json:"messages"`
	For      string             `json:"for,omitempty"`
	Problems []provider.Problem `json:"problems"`
	Secrets  []export.Secret    `json:"secrets"`
	scope    string             // of the messages that were looked at
	others   int                // problems of some providers only
}

func (a *app) checkCommand() *cobra.Command {
	var name, rules, as string
	cmd := a.command("check FILE", "List what is wrong with a conversation, and where credentials are",
		"  turns check run.jsonl\n  turns check run.jsonl --for anthropic --json\n  turns check runs --rules rules.toml --as junit -o report.xml",
		nil)
	a.ofEach(cmd, func(ctx context.Context, a *app, _ *cobra.Command, _ string, view describe.View) (bool, error) {
		return a.check(ctx, view.Selection, name)
	})
	cmd.PreRunE = func(*cobra.Command, []string) error {
		name = strings.ToLower(strings.TrimSpace(name))
		if names := provider.CheckNames(); name != "" && !slices.Contains(names, name) {
			return fmt.Errorf("unknown provider %q; known are %s", name, strings.Join(names, ", "))
		}
		return nil
	}
	problems := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case rules == "" && as != "":
			return hinted{errors.New("--as is the form of what is said of rules"), "--rules FILE names them"}
		case rules == "":
			return problems(cmd, args)
		case name != "":
			return errors.New("--for and --rules exclude each other")
		case len(args) == 0 && !askedOfMany(cmd, args):
			return oneFile(cmd, args)
		}
		if err := a.checkFlags(); err != nil {
			return err
		}
		a.chooseSome(cmd)
		return a.checkRules(cmd.Context(), args, rules, cmp.Or(as, map[bool]string{true: "json", false: "text"}[a.json]))
	}
	cmd.Long = "List what is wrong with a conversation: ids that are missing or taken twice, arguments that are\n" +
		"empty or no JSON, unknown roles, results without a call and calls without a result. With --for also\n" +
		"what that provider refuses. Exit code 1 if there is anything. Credentials are listed by their place.\n\n" + rulesHelp
	cmd.Flags().StringVar(&rules, "rules", "", "hold runs against the rules of `FILE` instead")
	cmd.Flags().StringVar(&as, "as", "", "write what is said of rules as `FORM`: text, json, junit, sarif")
	f := cmd.Flags()
	f.BoolVar(&a.json, "json", false, "print JSON")
	f.StringVar(&name, "for", "", "what PROVIDER refuses: "+strings.Join(provider.CheckNames(), ", "))
	return cmd
}

// check prints what is wrong. Among many transcripts only those are told of that
// have something.
func (a *app) check(ctx context.Context, sel query.Selection, name string) (found bool, err error) {
	answer, err := check(ctx, sel, name)
	if err != nil {
		return false, err
	}
	err = a.writeAs(func(w io.Writer) error { return writeJSON(w, answer) }, a.paged(answer.Print))
	if err == nil && len(answer.Problems) > 0 {
		err = errNoMatch // exit code 1
	}
	return len(answer.Problems)+len(answer.Secrets) > 0, err
}

func check(ctx context.Context, sel query.Selection, name string) (*checked, error) {
	problems, err := provider.Check(ctx, sel)
	if err != nil {
		return nil, err
	}
	answer := &checked{Version: 1, Messages: sel.Len(), For: name, Problems: []provider.Problem{}, Secrets: []export.Secret{}, scope: human.Plural(sel.Len(), "message")}
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

// Print writes the answer for people.
func (c *checked) Print(b *human.Page) {
	rows := make([][3]string, 0, len(c.Problems))
	for i := range c.Problems {
		p := &c.Problems[i]
		index := "-"
		if p.Index >= 0 {
			index = fmt.Sprint(p.Index)
		}
		rows = append(rows, [3]string{index, p.Problem, p.Hint})
	}
	if len(rows) > 0 {
		writeColumns(b, append([][3]string{{"INDEX", "PROBLEM", "HINT"}}, rows...))
	}
	if len(c.Secrets) > 0 {
		if len(rows) > 0 {
			b.WriteByte('\n')
		}
		rows = [][3]string{{"INDEX", "CREDENTIAL", "WHERE"}}
		for _, s := range c.Secrets {
			rule := s.Rule
			if s.Count > 1 {
				rule = fmt.Sprintf("%s ×%d", rule, s.Count)
			}
			rows = append(rows, [3]string{fmt.Sprint(s.Index), rule, s.Where})
		}
		writeColumns(b, rows)
	}
	switch n := len(c.Problems); {
	case n == 0 && c.For != "":
		fmt.Fprintf(b, "%s, nothing that %s refuses\n", c.scope, c.For)
	case n == 0:
		fmt.Fprintf(b, "%s, no problems\n", c.scope)
	default:
		fmt.Fprintf(b, "\n%s, %s\n", c.scope, human.Plural(n, "problem"))
	}
	if c.others > 0 && c.For == "" {
		fmt.Fprintf(b, "%d more that only some providers refuse; --for NAME lists those of one\n", c.others)
	}
}

// writeColumns writes a table whose last column is as wide as it likes.
func writeColumns(b *human.Page, rows [][3]string) {
	var t human.Table
	for _, row := range rows {
		for k := range row {
			row[k] = strings.ReplaceAll(model.Clean(row[k]), "\n", " ")
		}
		t.Add(row[:]...)
	}
	t.Write(b)
}
