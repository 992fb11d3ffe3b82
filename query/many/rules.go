package many

import (
	"context"
	"fmt"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/filter"
	"turns/query/human"
	"turns/query/label"
	"turns/query/lang"
	"turns/query/session"
)

// Rule is a condition for sessions.
type Rule struct {
	Name     string
	Sessions *lang.Filter // of which runs; nil: all
	Messages []Demand
	Limits   []Limit
	End      string // how the run has to end; "" any
	Loops    *int   // at most so many
}

// Demand is how many messages a filter may find.
type Demand struct {
	Filter *lang.Filter
	Min    int
	Max    int // -1: any number
}

// Limit is a bound for a number of a session.
type Limit struct {
	Number Number     // Took and Output are the subjects of dur: and tokens: in the term
	Cost   bool       // the cost instead
	Max    int64      // if there is no term
	Term   *lang.Term // "<5", as in a filter; nil: Max applies
	Text   string     // as written
}

// Violation is a rule that a session breaks.
type Violation struct {
	Rule    string      `json:"rule"`
	Path    string      `json:"path"`
	Index   human.Index `json:"index"` // of a message; null: it is about the run
	Message string      `json:"message"`
}

// violationsMost is how many messages of a run are named for one rule.
const violationsMost = 20

// Checker checks sessions against rules.
type Checker struct {
	Rules []Rule
	Ref   lang.TimeRef
	Options

	// Said returns the labels of a snapshot of a path; nil: none. Several goroutines call it.
	Said func(ctx context.Context, s *model.Snapshot, path string) (*label.Here, error)
}

// Check returns the violations of a conversation.
func (c *Checker) Check(ctx context.Context, sel query.Selection, s *session.Session) (list []Violation, err error) {
	run, err := NewRun(ctx, sel, *s, c.Options)
	if err != nil {
		return nil, err
	}
	for i := range c.Rules {
		r := &c.Rules[i]
		if r.Sessions != nil && session.NewFilter(r.Sessions, c.Ref).Holds(s, nil) != session.Yes {
			continue
		}
		tell := func(index int, format string, args ...any) {
			list = append(list, Violation{r.Name, s.Path, human.Index(index), fmt.Sprintf(format, args...)})
		}
		for _, d := range r.Messages {
			if err := c.messages(ctx, sel, s.Path, &d, tell); err != nil {
				return list, err
			}
		}
		for i := range r.Limits {
			if said, ok := r.Limits[i].keeps(run); !ok {
				tell(-1, "%s, and the limit is %s", said, r.Limits[i].Text)
			}
		}
		if end := s.State().Key(); r.End != "" && end != r.End {
			tell(-1, "the run ended %s, and should have %s", end, r.End)
		}
		if r.Loops == nil {
			continue
		}
		loops, err := Loops(ctx, sel, s.Path)
		if err != nil {
			return list, err
		}
		if len(loops) > *r.Loops {
			for _, l := range loops {
				tell(l.From, "%s, %d times: %s", l.Kind, l.Times, l.About)
			}
		}
	}
	return list, nil
}

// messages tells of a filter that finds too many messages, or too few.
func (c *Checker) messages(ctx context.Context, sel query.Selection, path string, d *Demand, tell func(int, string, ...any)) error {
	if sel.Len() == 0 {
		return nil
	}
	env := filter.Env{Now: c.Ref.Now, Loc: c.Ref.Loc}
	if c.Said != nil && filter.AsksLabels(d.Filter) {
		here, err := c.Said(ctx, sel.Snap, path)
		if err != nil {
			return err
		}
		env.Labels = here
	}
	at := places(sel)
	var found []model.ID
	n, answers := 0, map[model.ID]bool{} // a result matches with its call, and is not counted again
	r, err := filter.Scan(ctx, sel, d.Filter, env, func(m filter.Match) bool {
		for _, call := range sel.Snap.Calls(m.ID) {
			answers[call.Result] = true
		}
		if answers[m.ID] {
			return true
		}
		if n++; n <= violationsMost {
			found = append(found, m.ID)
		}
		return true
	})
	switch {
	case err != nil:
		return err
	case r.Err != nil:
		return r.Err
	case n < d.Min:
		tell(-1, "%s %s, and there should be %d", human.Plural(n, "message")+" of", d.Filter.Source(), d.Min)
	case d.Max == 0 && n > 0:
		for _, id := range found {
			tell(at(id), "there should be no %s", d.Filter.Source())
		}
		if n > len(found) {
			tell(-1, "there are %d more %s", n-len(found), d.Filter.Source())
		}
	case d.Max > 0 && n > d.Max:
		tell(at(found[min(d.Max, len(found)-1)]), "%s of %s, and the limit is %d", human.Plural(n, "message"), d.Filter.Source(), d.Max)
	}
	return nil
}

// keeps reports whether a run keeps a limit, and says what it has.
func (l *Limit) keeps(run *Run) (said string, ok bool) {
	n := run.N[l.Number]
	switch {
	case l.Cost:
		return "it cost " + human.Money(run.Dollars), l.Term.HoldsNum(run.Dollars)
	case l.Term != nil && l.Number == Took:
		return "it took " + human.Millis(n).String(), l.Term.HoldsDur(time.Duration(n) * time.Millisecond)
	case l.Term != nil:
		return human.Plural(n, "token"), l.Term.HoldsNum(float64(n))
	}
	return human.Plural(n, limitWords[l.Number]), n <= l.Max
}

var limitWords = map[Number]string{Errors: "error", Calls: "call", Turns: "turn", Messages: "message", Pending: "pending call", Denied: "denied call"}
