package many

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"turns/model"
	"turns/query/describe"
	"turns/query/label"
	"turns/query/lang"
)

// By is a property to group sessions by.
type By struct {
	Name string
	of   func(r *Run, zone *time.Location) []Part
}

// asOnePart makes a session one part with a key.
func asOnePart(key func(r *Run, zone *time.Location) string) func(*Run, *time.Location) []Part {
	return func(r *Run, zone *time.Location) []Part {
		p := r.Part
		p.Key = key(r, zone)
		return []Part{p}
	}
}

var bys = []By{
	{"tool", func(r *Run, _ *time.Location) []Part { return r.AllTools() }},
	{"mcp-server", servers},
	{"model", func(r *Run, _ *time.Location) []Part { return r.Models }},
	{"agent", asOnePart(func(r *Run, _ *time.Location) string { return r.AgentName() })},
	{"project", asOnePart(func(r *Run, _ *time.Location) string { return model.CleanLine(r.Project) })},
	{"outcome", asOnePart(func(r *Run, _ *time.Location) string { return r.State().Key() })},
	{"day", asOnePart(day)},
	{"session", asOnePart(func(r *Run, _ *time.Location) string { return r.Path })},
	{"task", asOnePart(func(r *Run, _ *time.Location) string { return r.Task })},
	{"label", labels},
	{"branch", asOnePart(func(r *Run, _ *time.Location) string { return model.CleanLine(r.Field("branch")) })},
	{"commit", func(r *Run, _ *time.Location) []Part { return r.under(r.Commits) }},
	{"pr", func(r *Run, _ *time.Location) []Part { return r.under(r.Pulls) }},
	{"cause", func(r *Run, _ *time.Location) []Part { return r.Causes }},
}

// Names returns the names of the groupings.
func Names() []string {
	names := make([]string, len(bys))
	for i := range bys {
		names[i] = bys[i].Name
	}
	return names
}

// Find returns the grouping of that name.
func Find(name string) (By, error) {
	for _, b := range bys {
		if b.Name == name {
			return b, nil
		}
	}
	return By{}, fmt.Errorf("no way to put runs together: %q; known are %s", name, strings.Join(Names(), ", "))
}

func day(r *Run, zone *time.Location) string {
	if r.When().IsZero() {
		return ""
	}
	return r.When().In(zone).Format(time.DateOnly)
}

// servers returns the calls of MCP servers, without those of other tools.
func servers(r *Run, _ *time.Location) []Part {
	var list []Part
	tools := r.AllTools()
	for i := range tools {
		t := &tools[i]
		if _, _, server := describe.FamilyOf(t.Key); server != "" && !strings.Contains(server, "/") {
			// otherwise it is a path
			p := named(&list, server)
			p.Join(&t.Sums)
			p.N[Runs] = 1
			p.Took = append(p.Took, t.Took...)
		}
	}
	return list
}

// labels returns a session once for each of its annotations, none without annotations.
func labels(r *Run, _ *time.Location) []Part {
	var list []Part
	for i := range r.Labels {
		name := r.Labels[i].CountedAs()
		if !slices.ContainsFunc(list, func(p Part) bool { return p.Key == name }) {
			p := r.Part
			p.Key = name
			list = append(list, p)
		}
	}
	return list
}

// Group has the sessions, or the parts of sessions, with one key.
type Group struct {
	Key string // "" if unknown
	Sums
	took spread
}

func (g *Group) add(p *Part) {
	g.Join(&p.Sums)
	if len(p.Took) > 0 && g.took == nil {
		g.took = spread{}
	}
	g.took.add(p.Took)
}

// Answer has grouped sessions.
type Answer struct {
	By     By
	Zone   *time.Location // of days
	Groups []*Group
	All    Group // of all sessions, whatever the grouping
	at     map[string]*Group

	days  map[string]float64 // dollars by day
	tools [2]partSums        // of the sessions themselves, and of subagents inside them
}

// NewAnswer returns an answer without sessions.
func NewAnswer(by By, zone *time.Location) *Answer {
	return &Answer{By: by, Zone: zone, at: map[string]*Group{}, days: map[string]float64{}}
}

// Add adds a session to the totals. The answer does not reference it afterwards.
func (a *Answer) Add(r *Run) {
	a.All.add(&r.Part)
	a.days[day(r, a.Zone)] += r.Dollars
	a.tools[0].add(r.Tools)
	a.tools[1].add(r.AgentTools)
	if a.By.of == nil {
		return
	}
	for _, p := range a.By.of(r, a.Zone) {
		g := a.at[p.Key]
		if g == nil {
			g = &Group{Key: p.Key}
			a.at[p.Key], a.Groups = g, append(a.Groups, g)
		}
		g.add(&p)
	}
}

// terms are the filter keys that find the sessions of a group in a list.
var terms = map[string]string{
	"tool": "tool", "mcp-server": "tool", "model": "model", "agent": "agent", "project": "project", "outcome": "end", "day": "on", "session": "file",
	"cause": "cache",
}

// Term returns the filter that finds the sessions of a group in a list; "" if there is none.
func (a *Answer) Term(g *Group) string {
	key, word := terms[a.By.Name], strings.TrimPrefix(g.Key, "#")
	if a.By.Name == "label" {
		switch {
		case word != g.Key:
			return "label:" + lang.Quote(word)
		case g.Key == label.Good || g.Key == label.Bad:
			return "verdict:" + g.Key
		}
	}
	if key == "" || g.Key == "" {
		return ""
	}
	if a.By.Name == "mcp-server" {
		return key + ":*" + lang.Quote(g.Key) + "*"
	}
	return key + ":" + lang.Quote(g.Key)
}

// Keep removes groups without a value for a number.
func (a *Answer) Keep(n Number) {
	a.Groups = slices.DeleteFunc(a.Groups, func(g *Group) bool { return !g.Has(n) })
}

// Sort sorts the groups by a column, largest first, or by key, and removes all but the first top; 0
// removes none. left is the number of removed groups.
func (a *Answer) Sort(column string, top int) (left int, err error) {
	c, ok := columnNamed(column)
	if !ok && column != "key" {
		return 0, fmt.Errorf("no column %q to sort by; known are key, %s", column, strings.Join(columnNames(), ", "))
	}
	slices.SortFunc(a.Groups, func(x, y *Group) int {
		if ok {
			if o := c.Order(y, x); o != 0 {
				return o
			}
		}
		return strings.Compare(x.Key, y.Key)
	})
	if top > 0 && top < len(a.Groups) {
		left = len(a.Groups) - top
		a.Groups = a.Groups[:top]
	}
	return left, nil
}
