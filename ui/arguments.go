package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/export/formats"
	"turns/query/lang"
	"turns/themes"
	"turns/ui/config"
	"turns/ui/paint"
	"turns/ui/sessions"
)

// argument is what a command of the palette can be done with.
type argument struct {
	of func(typed string) (from int, list []string) // what typed[from:] may become
	do func(arg string) tea.Cmd
}

// argumentOf is what a command can be done with, nil for nothing.
func (a *app) argumentOf(name string) *argument {
	switch name {
	case "filter":
		return &argument{a.filterArguments, a.setFilter}
	case "search":
		return &argument{func(string) (int, []string) { return 0, nil }, func(text string) tea.Cmd { return a.list.Arm(text) }}
	case "theme":
		return &argument{oneOfThese(append([]string{"auto"}, themes.Names()...)), a.takeTheme}
	case "export":
		return &argument{oneOfThese(formats.Names()), a.exportAs}
	case "time":
		return &argument{oneOfThese(config.Times()), func(name string) tea.Cmd { return a.list.SetTime(name) }}
	case "sessions":
		return &argument{a.filterArguments, a.sessionsLike}
	}
	return nil
}

// oneOfThese offers the names that begin with what is typed, then those that have it inside.
func oneOfThese(names []string) func(string) (int, []string) {
	return func(typed string) (int, []string) {
		var first, rest []string
		for _, n := range names {
			if typed = strings.ToLower(typed); strings.HasPrefix(n, typed) {
				first = append(first, n)
			} else if strings.Contains(n, typed) {
				rest = append(rest, n)
			}
		}
		return 0, append(first, rest...)
	}
}

// filterArguments offers what may stand at the end of a filter; before anything is typed the
// filters of before.
func (a *app) filterArguments(typed string) (from int, list []string) {
	if typed == "" {
		for i := len(a.bar.history) - 1; i >= 0; i-- {
			list = append(list, a.bar.history[i])
		}
		return 0, list
	}
	c := lang.Complete(typed, len(typed), nil)
	for _, v := range c.Candidates {
		if v.Text != typed[c.From:] {
			list = append(list, v.Text)
		}
	}
	return c.From, list
}

// takeTheme draws in another theme.
func (a *app) takeTheme(name string) tea.Cmd {
	o := &a.h.Opts
	find := themes.Find
	if o.Themes != nil {
		find = o.Themes
	}
	if name != "auto" {
		if _, err := find(name); err != nil {
			return a.complain(paint.OneLine(err.Error()))
		}
	}
	o.Theme = name
	a.setTheme(a.theme())
	a.say("theme " + name)
	return a.list.Moved()
}

// chooseTheme shows the themes there are.
func (a *app) chooseTheme() tea.Cmd {
	p := newPalette(a)
	p.field.Set("theme ")
	return a.opened(p)
}

// exportAs exports at once in a format.
func (a *app) exportAs(name string) tea.Cmd {
	f, err := formats.Find(name)
	if err != nil {
		return a.complain(paint.OneLine(err.Error()))
	}
	return a.desk.ExportAs(f.Name)
}

// sessionsLike shows the session list behind a filter.
func (a *app) sessionsLike(filter string) tea.Cmd {
	if why := a.whyNoSessions(); why != "" {
		return a.complain(why)
	}
	d := sessions.New(a.h, a.listed)
	d.Filter.Set(filter)
	return a.opened(d)
}

// openPalette shows the palette.
func (a *app) openPalette() tea.Cmd { return a.opened(newPalette(a)) }
