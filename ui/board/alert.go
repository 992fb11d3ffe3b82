package board

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"turns/model"
	"turns/query/human"
	"turns/query/quota"
	"turns/query/session"
)

// Trigger is an event of a session that causes an alert.
type Trigger struct {
	Name  string
	above float64 // of cost and cost/day in dollars; of quota in percent
}

// fires maps the names of triggers to whether a change is one.
var fires = map[string]func(c *Change) bool{
	human.Waiting.String():  func(c *Change) bool { return c.became(human.Waiting) },
	human.Stuck.String():    func(c *Change) bool { return c.became(human.Stuck) },
	human.Failed.String():   func(c *Change) bool { return c.became(human.Failed) },
	human.Idle.String():     func(c *Change) bool { return c.became(human.Idle) && !over(&c.Session) },
	human.Finished.String(): func(c *Change) bool { return c.was != nil && c.became(human.Finished) },
	"ended":                 func(c *Change) bool { return c.was != nil && !over(c.was) && over(&c.Session) },
	"loop":                  func(c *Change) bool { return c.For == "loop" && (c.was == nil || c.was.For != "loop") },
	"cache-miss":            func(c *Change) bool { return c.Missed() > 0 && (c.was == nil || c.was.Asked != c.Asked) },
	"error": func(c *Change) bool {
		return c.became(human.Failed) || c.was != nil && c.Errors > c.was.Errors
	},
}

// lasting are the triggers for a state, rather than an event: they apply until the state changes.
var lasting = map[string]bool{human.Waiting.String(): true, human.Idle.String(): true, human.Stuck.String(): true, "loop": true}

// over reports whether a session has ended, or was abandoned.
func over(s *session.Session) bool {
	return s.Stage == human.Finished || s.Stage == human.Failed || s.Stage == human.Idle && !s.State().Live()
}

// became reports whether the session has newly entered a state.
func (c *Change) became(stage human.State) bool {
	return c.Stage == stage && (c.was == nil || c.was.Stage != stage || c.was.For != c.For)
}

// TriggerNames lists the triggers for help and errors.
const TriggerNames = "waiting, idle, stuck, failed, finished, ended, error, loop, cache-miss, cost:>5, cost/day:>50, quota:>80%"

// DefaultTriggers apply to a notification without triggers.
const DefaultTriggers = "waiting,idle,stuck,error"

// ParseTriggers parses a comma-separated list.
func ParseTriggers(text string) (list []Trigger, err error) {
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		t := Trigger{Name: name}
		if amount, value, ok := strings.Cut(name, ":>"); ok && units[amount].name != "" {
			t.Name = amount
			if t.above, err = strconv.ParseFloat(units[amount].trim(value), 64); err != nil {
				return nil, fmt.Errorf("reading trigger %q: %q is not a number of %s", name, value, units[amount].name)
			}
		} else if fires[t.Name] == nil {
			return nil, fmt.Errorf("unknown trigger %q; valid: %s", name, TriggerNames)
		}
		list = append(list, t)
	}
	return list, nil
}

// unit is the unit of a trigger's limit.
type unit struct {
	name string
	trim func(string) string // removes the sign of the unit
}

// units are the units of the triggers with a limit.
var units = map[string]unit{
	"cost":     {"dollars", func(s string) string { return strings.TrimPrefix(s, "$") }},
	"cost/day": {"dollars", func(s string) string { return strings.TrimPrefix(s, "$") }},
	"quota":    {"percent", func(s string) string { return strings.TrimSpace(strings.TrimSuffix(s, "%")) }},
}

// again is how long further alerts of a session for the same reason are held back; then they are
// sent as one.
const again = 10 * time.Second

// Alert is a notification about a session.
type Alert struct {
	On string
	// number of held-back alerts that it replaces; 0: it was sent immediately
	Times int
	Change
	now time.Time // in the zone of displayed times
}

// AlertRow is an alert in the JSON for commands.
type AlertRow struct {
	On    string `json:"on"`    // the trigger
	Times int    `json:"times"` // firings since the session's last alert; 0: only this one
	ChangeRow
}

// Row returns the alert for JSON.
func (a *Alert) Row() AlertRow { return AlertRow{a.On, a.Times, a.Change.Row()} }

// reason identifies why an alert is sent.
type reason struct {
	on, path string
	what     string // what the session waits for, if that matters
}

// reasonOf returns the reason for a change. A wanted answer differs from the next prompt, and a
// session that ended with an error from a failed call.
func reasonOf(on string, c *Change) reason {
	if lasting[on] || c.Stage == human.Failed {
		return reason{on, c.Path, c.For}
	}
	return reason{on, c.Path, ""}
}

// lastAlert is the last alert for a reason.
type lastAlert struct {
	at   time.Time
	held *Alert // later alert, held back; nil: none
}

// Alerts finds the alerts in changes.
type Alerts struct {
	triggers []Trigger
	at       func(path string) *session.Session // current state of a session; nil if it is gone
	costs    Costs
	loops    bool // a trigger is about loops
	reported map[reason]*lastAlert
	paid     map[string]bool // sent alerts about cost, day and quota
}

// Costs finds costs for alerts; nil if no alert needs them.
type Costs struct {
	Session func(*session.Session) (dollars float64, ok bool)
	// Day is the cost of all listed sessions on a day, with the name of the day.
	Day func(now time.Time) (dollars float64, day string)
}

// NewAlerts returns the alerts for a list of sessions. at returns the current state of a
// session, nil if it is gone; costs returns the costs of sessions.
func NewAlerts(triggers []Trigger, at func(path string) *session.Session, costs Costs) *Alerts {
	loops := slices.ContainsFunc(triggers, func(t Trigger) bool { return t.Name == human.Stuck.String() || t.Name == "loop" })
	return &Alerts{triggers, at, costs, loops, map[reason]*lastAlert{}, map[string]bool{}}
}

// Of returns the alerts for some changes, and those held back until now. It limits the rate for
// each session and reason, but drops no alert that still applies.
func (a *Alerts) Of(changes []Change, now time.Time) []Alert {
	out := a.due(now)
	for i := range changes {
		c := &changes[i]
		if c.Op != "upsert" || c.was == nil && !c.Live && !c.Stage.Needs() {
			continue
		}
		for _, t := range a.triggers {
			if !a.fires(&t, c, now) {
				continue
			}
			alert, why := Alert{On: t.Name, Change: *c, now: now}, reasonOf(t.Name, c)
			last := a.reported[why]
			if last == nil {
				a.reported[why] = &lastAlert{at: now}
				out = append(out, alert)
				continue
			}
			if alert.Times = 1; last.held != nil {
				alert.Times += last.held.Times
			}
			last.held = &alert
		}
	}
	return out
}

// due returns the alerts held back long enough that still apply.
func (a *Alerts) due(now time.Time) (out []Alert) {
	for why, last := range a.reported {
		switch {
		case now.Sub(last.at) < again:
		case last.held == nil || !a.holds(last.held):
			delete(a.reported, why)
		default:
			out = append(out, *last.held)
			last.at, last.held = now, nil
		}
	}
	slices.SortFunc(out, func(x, y Alert) int { return cmp.Or(strings.Compare(x.Path, y.Path), strings.Compare(x.On, y.On)) })
	return out
}

// holds reports whether a held-back alert still applies, and updates it to the current state.
func (a *Alerts) holds(held *Alert) bool {
	s := a.at(held.Path)
	switch {
	case held.On == "error" && held.Stage != human.Failed:
		return s == nil || !a.circles(s)
	case !lasting[held.On]:
		return true
	case s == nil || s.Stage != held.Stage || s.For != held.For:
		return false
	}
	held.Session = *s
	return true
}

// circles reports whether a loop alert covers the session: then failures of the repeated call are
// no news.
func (a *Alerts) circles(s *session.Session) bool {
	return a.loops && s.For == "loop" && s.Place == nil
}

func (a *Alerts) fires(t *Trigger, c *Change, now time.Time) bool {
	switch {
	case t.Name == "error" && a.circles(&c.Session):
		return false
	case t.Name == "cost":
		if a.costs.Session == nil || !c.Live || a.paid[c.Path] {
			return false
		}
		dollars, ok := a.costs.Session(&c.Session)
		return ok && a.once(c.Path, dollars > t.above)
	case t.Name == "cost/day":
		if a.costs.Day == nil || !c.Live {
			return false
		}
		dollars, day := a.costs.Day(now)
		return a.once("day "+day, dollars > t.above)
	case t.Name == "quota":
		q := quota.Fullest(c.Quotas, now)
		return q != nil && a.once(fmt.Sprintf("quota %s %d %d", c.Agent, q.Minutes, q.Resets), q.Used > t.above)
	}
	return fires[t.Name](c)
}

// once reports whether a limit is exceeded for the first time.
func (a *Alerts) once(key string, over bool) bool {
	if !over || a.paid[key] {
		return false
	}
	a.paid[key] = true
	return true
}

// Words describes an alert for people.
func (a *Alert) Words() string {
	text := a.State().Words()
	switch a.On {
	case "cost/day":
		text = "cost of the day"
	case "cache-miss":
		text = "cache missed, " + human.Short(a.Missed()) + " tokens again"
	case "quota":
		if q := quota.Fullest(a.Quotas, a.now); q != nil {
			text = quota.Words(q, a.now)
			if f, ok := quota.Forecast(q); ok {
				text += "; " + f.Words(a.now)
			}
		}
	}
	if a.On == "cost" || a.On == "error" && a.Stage != human.Failed {
		text = a.On
	}
	if a.Times > 1 {
		text += " (" + human.Count(a.Times) + " times)"
	}
	who := a.AgentName()
	if folder := a.Folder(); folder != "" {
		who += " in " + folder
	}
	return model.CleanLine(who + ": " + text + " · " + a.Name())
}

// Sequence returns the terminal sequence for a notification: the one the terminal supports, wrapped
// for tmux if needed, and the bell.
func Sequence(words string, env func(string) string) string {
	words = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, model.CleanLine(words))
	words = human.CutRunes(words, 200)
	term := env("TERM")
	seq := "\x1b]9;" + words + "\a"
	switch {
	case env("KITTY_WINDOW_ID") != "" || term == "xterm-kitty":
		seq = "\x1b]99;;" + words + "\x1b\\"
	case strings.HasPrefix(term, "foot") || strings.HasPrefix(term, "rxvt") || env("VTE_VERSION") != "":
		seq = "\x1b]777;notify;turns;" + strings.ReplaceAll(words, ";", ",") + "\a"
	}
	if env("TMUX") != "" {
		seq = "\x1bPtmux;" + strings.ReplaceAll(seq, "\x1b", "\x1b\x1b") + "\x1b\\"
	}
	return seq + "\a"
}
