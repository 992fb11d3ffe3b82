package ui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/ui/config"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/sessions"
)

// levelNames are the outline levels, from 1, as views name them.
var levelNames = [...]string{"turns", "steps", "rows", "bodies"}

// viewCommands save, show and delete views. Each works from the palette, because it needs a
// name.
func viewCommands() []command {
	ask := func(name string) func(a *app, n int, key string) tea.Cmd {
		return func(a *app, _ int, _ string) tea.Cmd { return a.askView(name) }
	}
	return []command{
		{keys: []string{":save"}, name: "save", group: groupRest, help: "save the filter, columns, sort, group and pane as a view: save NAME", do: ask("save")},
		{keys: []string{":view"}, name: "view", group: groupRest, help: "show a view: view NAME; ' and its key do too", do: ask("view")},
		{keys: []string{":delete-view"}, name: "delete-view", group: groupRest, help: "delete a view: delete-view NAME", do: ask("delete-view")},
	}
}

// askView opens the palette with a command whose name argument is still missing.
func (a *app) askView(name string) tea.Cmd {
	p := newPalette(a)
	p.field.Set(name + " ")
	return a.opened(p)
}

// listBelow returns the session list on top, or the one under a table on top; nil for none.
func listBelow(dialogs []screen.Dialog) *sessions.List {
	if d := listOnTop(dialogs); d != nil {
		return d
	}
	if n := len(dialogs); n > 0 {
		if over, ok := dialogs[n-1].(sessions.Over); ok {
			return over.List()
		}
	}
	return nil
}

// viewEntries returns the view commands for the palette over a list.
func (a *app) viewEntries() (all []entry) {
	for _, c := range viewCommands() {
		all = append(all, entry{name: c.name, help: c.help, with: a.argumentOf(c.name), do: func() tea.Cmd { return c.do(a, 0, "") }})
	}
	return all
}

// viewNames completes the name after a view command.
func (a *app) viewNames(typed string) (int, []string) {
	var names []string
	for i := range a.h.Opts.Views {
		if v := &a.h.Opts.Views[i]; strings.HasPrefix(strings.ToLower(v.Name), strings.ToLower(typed)) {
			names = append(names, v.Name)
		}
	}
	return 0, names
}

// inFront returns the dialogs except palettes.
func (a *app) inFront() []screen.Dialog {
	return slices.DeleteFunc(slices.Clone(a.dialogs), func(d screen.Dialog) bool { _, is := d.(*palette); return is })
}

// saveView stores the current screen as a view.
func (a *app) saveView(name string) tea.Cmd {
	v := a.sessionView()
	if d := listBelow(a.inFront()); d != nil {
		v = d.View()
	} else if len(a.inFront()) > 0 || a.h.Snap == nil {
		return a.complain("a view is of a session or of the session list")
	}
	v.Name = name
	replaced := config.ViewNamed(a.h.Opts.Views, name) != nil
	return a.viewsChanged(func() ([]config.View, error) { return config.SaveView(a.h.Opts.ViewFile, v) }, func(views []config.View) string {
		if replaced {
			return "replaced the view " + name
		}
		text := "saved the view " + name
		if key := config.ViewKey(slices.IndexFunc(views, func(o config.View) bool { return o.Name == name })); key != "" {
			text += ": '" + key + " shows it"
		}
		return text
	})
}

// deleteView deletes a view.
func (a *app) deleteView(name string) tea.Cmd {
	return a.viewsChanged(func() ([]config.View, error) { return config.DeleteView(a.h.Opts.ViewFile, name) },
		func([]config.View) string { return "deleted the view " + name })
}

// viewsChanged stores the views after a change.
func (a *app) viewsChanged(change func() ([]config.View, error), text func([]config.View) string) tea.Cmd {
	views, err := change()
	if err != nil {
		return a.complain(paint.OneLine(err.Error()))
	}
	a.h.Opts.Views = views
	a.showText(text(views))
	return nil
}

// sessionView returns the current filter, columns and pane as a view.
func (a *app) sessionView() config.View {
	h := a.h
	v := config.View{Of: config.ViewOfSession, Group: levelNames[a.list.Level-1], Pane: string(a.side), Focus: h.Focus != screen.PaneNone, Full: a.full, Time: a.list.TimeName()}
	if h.View.On {
		v.Filter, v.Around = h.View.Text, h.View.Around
	}
	if p, ok := a.panes[a.side].(screen.Sorted); ok {
		v.Sort, v.Desc = p.Sorted().SortColumn()
	}
	return v
}

// goMark goes to the mark of a letter, or shows the view of a digit or capital without a mark.
func (a *app) goMark(key string) tea.Cmd {
	if len(key) == 1 && (key[0] >= '1' && key[0] <= '9' || key[0] >= 'A' && key[0] <= 'Z') {
		if _, mark := a.h.Letters()[rune(key[0])]; !mark {
			return a.viewBehind(key)
		}
	}
	return a.list.GoMark(key)
}

// viewBehind shows the view with a key after '.
func (a *app) viewBehind(key string) tea.Cmd {
	for i := range a.h.Opts.Views {
		if config.ViewKey(i) == key {
			return a.takeView(a.h.Opts.Views[i].Name)
		}
	}
	return a.complain("no view has the key " + strconv.Quote(key) + ": :save NAME saves one")
}

// takeView shows a view. A view of the list opens the list if needed; a view of a session applies
// to the open session.
func (a *app) takeView(name string) tea.Cmd {
	v := config.ViewNamed(a.h.Opts.Views, name)
	switch {
	case v == nil:
		return a.complain("no view is called " + strconv.Quote(name))
	case v.Of == config.ViewOfList:
		return a.takeListView(v)
	case len(a.inFront()) > 0 || a.h.Snap == nil:
		return a.complain("the view " + v.Name + " is of a session: open one first")
	}
	return a.takeSessionView(v)
}

func (a *app) takeListView(v *config.View) tea.Cmd {
	front := a.inFront()
	d := listBelow(front)
	var opened tea.Cmd
	if d == nil {
		if why := a.whyNoSessions(); why != "" {
			return a.complain(why)
		}
		d = sessions.New(a.h, a.listed)
		opened = a.opened(d)
	} else if top := front[len(front)-1]; top != screen.Dialog(d) { // a table over the list
		if over, ok := top.(*sessions.Sums); ok {
			over.Close()
		} else if over, ok := top.(*sessions.Troubles); ok {
			over.Close()
		}
		a.closeDialog(top)
	}
	a.showText("view " + v.Name)
	return tea.Batch(opened, d.Take(v))
}

func (a *app) takeSessionView(v *config.View) tea.Cmd {
	var cmds []tea.Cmd
	if level := slices.Index(levelNames[:], v.Group); level >= 0 {
		cmds = append(cmds, a.list.SetLevel(level+1, false))
	}
	if slices.Contains(config.Times(), v.Time) {
		cmds = append(cmds, a.list.SetTime(v.Time))
	}
	cmds = append(cmds, a.showViewPane(v))
	a.h.View.Around = v.Around
	if cmd, err := a.filtering.apply(v.Filter); err != nil {
		cmds = append(cmds, a.complain(paint.OneLine(err.Error())))
	} else {
		a.bar.Set(v.Filter)
		cmds = append(cmds, cmd)
		a.showText("view " + v.Name)
	}
	return tea.Batch(cmds...)
}
