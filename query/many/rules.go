package many

import (
	"context"
	"fmt"
	"slices"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/human"
	"turns/query/label"
	"turns/query/lang"
	"turns/query/session"
)

// Rule is a condition for sessions.
type Rule struct {
	Name     string
	Sessions *lang.Filter // matching sessions; nil: all
	Messages []Demand
	Limits   []Limit
	End      string // required end of the session; "": any
	Loops    *int   // maximum number
	Secrets  *int   // maximum number of places with secrets
	Unknown  bool   // limits also apply to unknown numbers
}

// Demand limits the number of messages that a filter finds.
type Demand struct {
	Filter *lang.Filter
	Min    int
	Max    int // -1: any number
	// only messages after the last match of After count, or those before the first match of Before;
	// a session without such a match passes. nil: all count
	After, Before *lang.Filter
}

// Limit is a limit for a number of a session.
type Limit struct {
	Number Number     // dur: and tokens: in the term mean Took and Output
	Cost   bool       // the limit is for the cost
	Max    int64      // without a term
	Term   *lang.Term // "<5", as in a filter; nil: Max applies
	Text   string     // as written
}

// Violation is a rule that a session breaks.
type Violation struct {
	Rule    string      `json:"rule"`
	Path    string      `json:"path"`
	Index   human.Index `json:"index"` // of a message; null: about the session
	Message string      `json:"message"`
}

// SecretAt is a place with secrets of one kind: "AWS key in the result of Bash".
type SecretAt struct {
	Index int // of the message
	Text  string
}

// Checked is a session and the rules that it violates.
type Checked struct {
	Path       string
	Applied    []bool // by rule: false if it is for other sessions
	Violations []Violation
}

// violationsMost is the maximum number of messages of a session reported for one rule.
const violationsMost = 20

// Checker checks sessions against rules.
type Checker struct {
	Rules []Rule
	Ref   lang.TimeRef
	Options

	// Secrets finds secrets in a selection; nil: none. Several goroutines call it.
	Secrets func(ctx context.Context, sel query.Selection) ([]SecretAt, error)
	// Labels returns the labels of a snapshot, by its path; nil: none. Several goroutines call
	// it.
	LabelsOf func(ctx context.Context, s *model.Snapshot, path string) (*label.Here, error)
}

// Check checks a conversation against all rules.
func (c *Checker) Check(ctx context.Context, sel query.Selection, s *session.Session) (*Checked, error) {
	run, err := NewRun(ctx, sel, *s, c.Options)
	if err != nil {
		return nil, err
	}
	out := &Checked{Path: s.Path, Applied: make([]bool, len(c.Rules))}
	for i := range c.Rules {
		r := &c.Rules[i]
		if r.Sessions != nil && session.NewFilter(r.Sessions, c.Ref).Holds(s, nil) != session.Yes {
			continue
		}
		out.Applied[i] = true
		report := func(index int, format string, args ...any) {
			out.Violations = append(out.Violations, Violation{r.Name, s.Path, human.Index(index), fmt.Sprintf(format, args...)})
		}
		if err := c.rule(ctx, r, sel, run, report); err != nil {
			return out, err
		}
	}
	return out, nil
}

// rule checks a conversation against one rule.
func (c *Checker) rule(ctx context.Context, r *Rule, sel query.Selection, run *Run, report func(int, string, ...any)) error {
	for _, d := range r.Messages {
		if err := c.messages(ctx, sel, run.Path, &d, report); err != nil {
			return err
		}
	}
	for i := range r.Limits {
		switch value, keeps := r.Limits[i].keeps(run); {
		case keeps == violated:
			report(-1, "%s, and the limit is %s", value, r.Limits[i].Text)
		case keeps == unknown && !r.Unknown:
			report(-1, "%s, and the limit is %s (unknown = \"allow\" lets it pass)", value, r.Limits[i].Text)
		}
	}
	if end := run.State().Key(); r.End != "" && end != r.End {
		report(-1, "the session ended %s; the rule wants %s", end, r.End)
	}
	if r.Secrets != nil && c.Secrets != nil {
		found, err := c.Secrets(ctx, sel)
		if err != nil {
			return err
		}
		if len(found) > *r.Secrets {
			for _, s := range found[:min(len(found), violationsMost)] {
				report(s.Index, "%s", s.Text)
			}
		}
	}
	if r.Loops == nil {
		return nil
	}
	loops, err := Loops(ctx, sel, run.Path)
	if err != nil {
		return err
	}
	if len(loops) > *r.Loops {
		for _, l := range loops {
			report(l.From, "%s, %d times: %s", l.Kind, l.Times, l.About)
		}
	}
	return nil
}

// found returns the messages that a filter finds. A result matches with its call, and does not
// count again.
func (c *Checker) found(ctx context.Context, sel query.Selection, path string, f *lang.Filter) (ids []model.ID, err error) {
	env := filter.Env{Now: c.Ref.Now, Loc: c.Ref.Loc, Does: describe.Does}
	if c.LabelsOf != nil && filter.AsksLabels(f) {
		if env.Labels, err = c.LabelsOf(ctx, sel.Snap, path); err != nil {
			return nil, err
		}
	}
	answers := map[model.ID]bool{}
	r, err := filter.Scan(ctx, sel, f, env, func(m filter.Match) bool {
		for _, call := range sel.Snap.Calls(m.ID) {
			answers[call.Result] = true
		}
		if !answers[m.ID] {
			ids = append(ids, m.ID)
		}
		return true
	})
	if err == nil {
		err = r.Err
	}
	return ids, err
}

// messages reports a filter that finds too many messages, or too few.
func (c *Checker) messages(ctx context.Context, sel query.Selection, path string, d *Demand, report func(int, string, ...any)) error {
	if sel.Len() == 0 {
		return nil
	}
	found, err := c.found(ctx, sel, path, d.Filter)
	if err != nil {
		return err
	}
	at, where := places(sel), ""
	for _, mark := range [...]*lang.Filter{d.After, d.Before} {
		if mark == nil {
			continue
		}
		marks, err := c.found(ctx, sel, path, mark)
		if err != nil {
			return err
		}
		if len(marks) == 0 {
			return nil
		}
		place, word := at(marks[len(marks)-1]), "after the last"
		if mark == d.Before {
			place, word = at(marks[0]), "before the first"
		}
		found = slices.DeleteFunc(found, func(id model.ID) bool {
			return mark == d.Before && at(id) >= place || mark == d.After && at(id) <= place
		})
		where += fmt.Sprintf(" %s %s (message %d)", word, mark.Source(), place)
	}
	of := d.Filter.Source() + where
	switch n := len(found); {
	case n < d.Min:
		report(-1, "%s %s, and there should be %d", human.Plural(n, "message")+" of", of, d.Min)
	case d.Max == 0:
		for _, id := range found[:min(n, violationsMost)] {
			report(at(id), "there should be no %s", of)
		}
		if n > violationsMost {
			report(-1, "there are %d more %s", n-violationsMost, of)
		}
	case d.Max > 0 && n > d.Max:
		report(at(found[d.Max]), "%s of %s, and the limit is %d", human.Plural(n, "message"), of, d.Max)
	}
	return nil
}

// kept reports whether a session respects a limit: no, yes, or unknown.
type kept uint8

const (
	violated kept = iota
	respected
	unknown
)

func known(keeps bool) kept {
	if keeps {
		return respected
	}
	return violated
}

// keeps reports whether a session respects a limit, and describes its number. A partly known number
// violates a limit if the known part does.
func (l *Limit) keeps(run *Run) (value string, _ kept) {
	n := run.N[l.Number]
	switch {
	case l.Cost:
		return l.keepsCost(run)
	case l.Term != nil && l.Number == Took && !run.Has(Took):
		return "its duration is not known", unknown
	case l.Term != nil && l.Number == Output && !run.Has(Output):
		return "its output tokens are not known", unknown
	case l.Term != nil && l.Number == Took:
		return "it took " + human.Millis(n).String(), known(l.Term.HoldsDur(time.Duration(n) * time.Millisecond))
	case l.Term != nil:
		return human.Plural(n, "token"), known(l.Term.HoldsNum(float64(n)))
	}
	return human.Plural(n, limitWords[l.Number]), known(n <= l.Max)
}

func (l *Limit) keepsCost(run *Run) (value string, _ kept) {
	unpriced := run.N[Unpriced]
	switch {
	case run.N[Responses] == 0 && run.Dollars == 0:
		return "its cost is not known", unknown
	case unpriced > 0 && run.Dollars == 0:
		return "its cost is not known: " + human.Plural(unpriced, "response") + " without a price", unknown
	case unpriced > 0 && (l.Term.HoldsNum(run.Dollars) || l.Term.Op == lang.OpGt || l.Term.Op == lang.OpGe):
		return fmt.Sprintf("it cost %s, and %s no price", human.Money(run.Dollars), have(unpriced, "response")), unknown
	}
	return "it cost " + human.Money(run.Dollars), known(l.Term.HoldsNum(run.Dollars))
}

// have returns "1 response has" or "3 responses have".
func have(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun + " has"
	}
	return human.Plural(n, noun) + " have"
}

var limitWords = map[Number]string{Errors: "error", Calls: "call", Turns: "turn", Messages: "message", Pending: "pending call", Denied: "denied call"}
