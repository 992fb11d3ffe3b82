package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/export/formats"
	"turns/query/lang"
	"turns/themes"
	"turns/ui/config"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/sessions"
)

var _ interface {
	screen.MouseDialog
	screen.ScrollingDialog
} = (*palette)(nil)

// palette finds a command by name and completes its argument; it also finds a message by number and
// a place by time. Over the session list it offers the commands of the list.
type palette struct {
	a     *app
	over  *sessions.List // the list under the palette, nil for none
	field screen.Field
	all   []entry
	at    int
	top   int // first drawn row, for the mouse
	rows  int
}

// entry is a command of the palette.
type entry struct {
	name, key, help string
	why             func() string // returns why it cannot run, "" if it can; nil: it always can
	do              func() tea.Cmd
	with            *argument // nil: it has no argument
}

func newPalette(a *app) *palette {
	p := &palette{a: a}
	var under []screen.Dialog
	for _, d := range a.dialogs { // one palette may open another
		if _, another := d.(*palette); !another {
			under = append(under, d)
		}
	}
	if d := listOnTop(under); d != nil {
		p.over, p.all = d, append(a.listEntries(d), a.ownEntries(d)...)
		return p
	}
	if d := listBelow(under); d != nil { // the list is under a table
		p.over, p.all = d, append(a.viewEntries(), entry{name: "theme", help: "draw in another theme", with: a.argumentOf("theme"), do: a.chooseTheme})
		return p
	}
	for i := range a.keys.table {
		c := &a.keys.table[i]
		if c.name == "copy" { // its second key selects the text to copy
			p.all = append(p.all, entry{name: c.name, key: screen.Labels(c.keys[:1], a.h.Opts.Keys), help: c.help, do: func() tea.Cmd { a.pending = "y"; return nil }})
			continue
		}
		if strings.HasSuffix(c.keys[0], " *") || c.name == "palette" || c.name == "escape" {
			continue
		}
		e := entry{name: c.name, key: screen.Labels(c.keys[:1], a.h.Opts.Keys), help: c.help, do: func() tea.Cmd { return a.run(c, 0, "") }, with: a.argumentOf(c.name)}
		if c.why != nil {
			e.why = func() string { return c.why(a) }
		}
		p.all = append(p.all, e)
	}
	p.all = append(p.all, a.ownEntries(nil)...)
	return p
}

// listEntries returns the commands of the session list, and the global ones.
func (a *app) listEntries(d *sessions.List) []entry {
	var all []entry
	for _, k := range d.Keys() {
		if k.Name != "" {
			all = append(all, entry{name: k.Name, key: screen.Labels(k.Keys[:1], a.h.Opts.Keys), help: k.Help, do: func() tea.Cmd { return a.afterDialog(d, k.Do) }})
		}
	}
	filter := argument{of: a.filterArguments, do: d.FilterBy}
	for i := range all {
		if all[i].name == "filter" {
			all[i].with = &filter
		}
	}
	all = append(all, a.viewEntries()...)
	return append(all, entry{name: "theme", help: "draw in another theme", with: a.argumentOf("theme"), do: a.chooseTheme})
}

// afterDialog runs a command of a list, and closes the list if the command ends it.
func (a *app) afterDialog(d *sessions.List, do func(int, string) tea.Cmd) tea.Cmd {
	cmd := do(0, "")
	if d.Done() {
		a.closeDialog(d)
	}
	return cmd
}

func (p *palette) Hints() []screen.Hint {
	hints := []screen.Hint{{Key: "⏎", Text: "run"}, {Key: "tab", Text: "complete"}, {Key: "↑ ↓", Text: "choose"}, {Key: "231", Text: "message"}, {Key: "@22:41", Text: "time"}, {Key: "esc", Text: "close"}}
	if p.over != nil {
		hints[3].Text = "row"
		hints = slices.Delete(hints, 4, 5)
	}
	return hints
}

// choice is a row of the palette: a command, or an argument for one.
type choice struct {
	*entry
	arg  string // the full argument
	last string // displayed last part of the argument; "" for a command
}

// taking returns the typed command and its argument once a space follows its name; nil for none.
func (p *palette) taking() (*entry, string) {
	name, arg, ok := strings.Cut(strings.TrimLeft(p.field.Text, " "), " ")
	for i := range p.all {
		if e := &p.all[i]; ok && e.with != nil && e.name == name {
			return e, strings.TrimLeft(arg, " ")
		}
	}
	return nil, ""
}

// found returns the matching commands, prefix matches first. After a command that has an argument,
// it returns the possible arguments.
func (p *palette) found() []choice {
	if e, arg := p.taking(); e != nil {
		from, list := e.with.of(arg)
		var out []choice
		for _, text := range list {
			out = append(out, choice{e, arg[:from] + text, text})
		}
		return out
	}
	var first, meant, rest []choice
	want := strings.ToLower(strings.TrimSpace(p.field.Text))
	for i := range p.all {
		switch e := &p.all[i]; {
		case strings.HasPrefix(e.name, want):
			first = append(first, choice{entry: e})
		case want != "" && means(e.name, want):
			meant = append(meant, choice{entry: e})
		case strings.Contains(e.name+" "+strings.ToLower(e.help), want):
			rest = append(rest, choice{entry: e})
		}
	}
	return append(append(first, meant...), rest...)
}

func (p *palette) Key(msg tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch screen.KeyName(msg) {
	case "esc", "ctrl+c":
		return true, nil
	case "enter":
		return p.run()
	case "down", "ctrl+n":
		p.at++
	case "up", "ctrl+p":
		p.at--
	case "tab":
		p.complete()
	default:
		if screen.KeyName(msg) == "backspace" && p.field.Text == "" {
			return true, nil
		}
		before := p.field.Text
		if p.field.Key(msg); p.field.Text != before {
			p.at = 0
		}
	}
	return false, nil
}

// complete writes the selected row into the line.
func (p *palette) complete() {
	c, ok := p.chosen()
	switch {
	case !ok:
	case c.last != "":
		p.field.Set(c.name + " " + c.arg)
	case c.with != nil:
		p.field.Set(c.name + " ")
	default:
		p.field.Set(c.name)
	}
	p.at = 0
}

// chosen returns the row under the cursor.
func (p *palette) chosen() (choice, bool) {
	found := p.found()
	if len(found) == 0 {
		return choice{}, false
	}
	n := len(found)
	p.at = (p.at%n + n) % n
	return found[p.at], true
}

func (p *palette) run() (done bool, cmd tea.Cmd) {
	text := strings.TrimSpace(p.field.Text)
	if text == "" && p.at == 0 {
		return true, nil
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(text, "#")); err == nil && n >= 0 {
		if p.over != nil {
			p.over.Table.MoveTo(n - 1)
			return true, nil
		}
		if p.a.h.Snap != nil {
			return true, p.a.list.GoIndex(n)
		}
	}
	if strings.HasPrefix(text, "@") && len(text) > 1 && p.a.h.Snap != nil {
		return true, p.a.list.GoTime(text[1:])
	}
	if e, arg := p.taking(); e != nil && (p.at == 0 || len(p.found()) == 0) {
		if strings.TrimSpace(arg) == "" {
			return true, e.do()
		}
		return true, e.with.do(strings.TrimSpace(arg))
	}
	return p.runChosen()
}

// runChosen runs the command under the cursor.
func (p *palette) runChosen() (done bool, cmd tea.Cmd) {
	c, ok := p.chosen()
	switch {
	case !ok:
		return true, p.a.complain("no command " + strconv.Quote(strings.TrimSpace(p.field.Text)))
	case c.last != "":
		return true, c.with.do(c.arg)
	}
	return true, c.do()
}

// Render draws the box with the matching commands.
func (p *palette) Render(w, h int) []string {
	bw := min(w, 80)
	inner := bw - 4
	if inner < 12 || h < 5 {
		return nil
	}
	st := p.a.h.Styles
	found := p.found()
	rows := min(h-4, 14)
	typed, _ := p.field.Spans(inner-1, paint.InkText, true)
	body := []string{st.Line(inner, paint.GroundNone, append([]paint.Span{{Text: ":", Ink: paint.InkKey}}, typed...)...)}
	p.chosen() // moves the cursor into the results
	p.top, p.rows = max(min(p.at-rows/2, len(found)-rows), 0), rows
	for i := p.top; i < min(p.top+rows, len(found)); i++ {
		g, lead := paint.GroundNone, "  "
		if i == p.at {
			g, lead = paint.GroundCursor, "› "
		}
		body = append(body, st.Line(inner, g, append([]paint.Span{{Text: lead, Ink: paint.InkAccent}}, p.rowSpans(&found[i])...)...))
	}
	if reason := p.nothing(found); reason != "" {
		body = append(body, st.Line(inner, paint.GroundNone, paint.Span{Text: "  " + paint.Cut(paint.OneLine(reason), inner-2), Ink: paint.InkDim}))
	}
	for len(body) < rows+1 {
		body = append(body, paint.Blanks(inner))
	}
	return paint.FrameBox(st, bw, "Commands", "", body)
}

// nothing returns why there are no rows, "" if there are some or the line is a place.
func (p *palette) nothing(found []choice) string {
	text := strings.TrimSpace(p.field.Text)
	if _, err := strconv.Atoi(strings.TrimPrefix(text, "#")); len(found) > 0 || err == nil || strings.HasPrefix(text, "@") {
		return ""
	}
	if e, _ := p.taking(); e != nil {
		return "⏎ uses the typed text"
	}
	return "no command matches " + strconv.Quote(text) + ": delete to see all, esc closes"
}

func (p *palette) rowSpans(c *choice) []paint.Span {
	if c.last != "" {
		return []paint.Span{{Text: paint.OneLine(c.last)}}
	}
	help := c.help
	if c.why != nil && p.a.h.Snap != nil {
		if why := c.why(); why != "" {
			help = why
		}
	}
	return []paint.Span{{Text: paint.Fit(c.name, 22) + " "}, {Text: paint.Fit(c.key, 8), Ink: paint.InkKey}, {Text: help, Ink: paint.InkDim}}
}

// argument describes the argument of a palette command.
type argument struct {
	of func(typed string) (from int, list []string) // completions of typed[from:]
	do func(arg string) tea.Cmd
}

// argumentOf returns the argument of a command, nil if it has none.
func (a *app) argumentOf(name string) *argument {
	switch name {
	case "filter":
		return &argument{a.filterArguments, a.filtering.set}
	case "search":
		return &argument{func(string) (int, []string) { return 0, nil }, func(text string) tea.Cmd { return a.list.Arm(text) }}
	case "theme":
		return &argument{oneOfThese(append([]string{"auto"}, themes.Names()...)), a.takeTheme}
	case "export":
		return &argument{oneOfThese(formats.Names()), a.exportAs}
	case "time":
		return &argument{oneOfThese(config.Times()), func(name string) tea.Cmd { return a.list.SetTime(name) }}
	case "save":
		return &argument{a.viewNames, a.saveView}
	case "view":
		return &argument{a.viewNames, a.takeView}
	case "delete-view":
		return &argument{a.viewNames, a.deleteView}
	case "sessions":
		return &argument{a.filterArguments, a.sessionsLike}
	}
	return nil
}

// oneOfThese offers the names that begin with the typed text, then those that contain it.
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

// filterArguments completes the end of a filter; for an empty text it offers earlier filters.
func (a *app) filterArguments(typed string) (from int, list []string) {
	if typed == "" {
		for i := len(a.bar.History) - 1; i >= 0; i-- {
			list = append(list, a.bar.History[i])
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

// takeTheme switches to a theme.
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
	a.setTheme()
	a.showText(fmt.Sprintf("theme %s for now: theme = %q in the configuration keeps it", name, name))
	a.list.Moved()
	return nil
}

// chooseTheme opens the palette with the theme names.
func (a *app) chooseTheme() tea.Cmd {
	p := newPalette(a)
	p.field.Set("theme ")
	return a.opened(p)
}

// exportAs exports immediately in a format.
func (a *app) exportAs(name string) tea.Cmd {
	f, err := formats.Find(name)
	if err != nil {
		return a.complain(paint.OneLine(err.Error()))
	}
	return a.desk.ExportAs(f.Name)
}

// sessionsLike shows the session list with a filter.
func (a *app) sessionsLike(filter string) tea.Cmd {
	if why := a.whyNoSessions(); why != "" {
		return a.complain(why)
	}
	d := sessions.New(a.h, a.listed)
	d.Filter.Set(filter)
	return a.opened(d)
}

func (a *app) openPalette() tea.Cmd { return a.opened(newPalette(a)) }

// Click selects a command; a click on the selected one runs it.
func (p *palette) Click(x, y int, double bool) (done bool, cmd tea.Cmd) {
	at := p.top + y - 2
	if y < 2 || y-2 >= p.rows || at >= len(p.found()) {
		return false, nil
	}
	if at != p.at && !double {
		p.at = at
		return false, nil
	}
	p.at = at
	return p.runChosen()
}

// Wheel moves the cursor.
func (p *palette) Wheel(n int) { p.at = max(min(p.at+n, len(p.found())-1), 0) }
