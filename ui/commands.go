package ui

import (
	"turns/ui/panes"
	"turns/ui/timeline"

	tea "charm.land/bubbletea/v2"
)

// motion makes a command from a movement in the timeline.
func motion(f func(l *timeline.List, n int)) func(a *app, n int, key string) tea.Cmd {
	return func(a *app, n int, _ string) tea.Cmd {
		f(a.list, max(n, 1))
		a.list.Moved()
		return nil
	}
}

// jump makes a command from a movement that the back and forward keys remember.
func jump(f func(l *timeline.List, n, dir int) string, dir int) func(a *app, n int, key string) tea.Cmd {
	return func(a *app, n int, _ string) tea.Cmd { return a.list.Jump(f, max(n, 1), dir) }
}

func moveCommands() []command {
	g := groupMove
	return []command{
		{keys: []string{"j", "down"}, name: "down", group: g, help: "next row (scrolls long rows)", habit: "vim, less", do: motion((*timeline.List).LineDown)},
		{keys: []string{"k", "up"}, name: "up", group: g, help: "previous row", habit: "vim, less", do: motion((*timeline.List).LineUp)},
		{keys: []string{"ctrl+e"}, name: "scroll-down", group: g, help: "scroll one line, the selection stays", habit: "vim, less", do: motion(func(l *timeline.List, n int) { l.Scroll(n, true) })},
		{keys: []string{"ctrl+y"}, name: "scroll-up", group: g, help: "scroll one line back", habit: "vim, less", do: motion(func(l *timeline.List, n int) { l.Scroll(-n, true) })},
		{keys: []string{"ctrl+d"}, name: "half-page-down", group: g, help: "half a page on", habit: "vim, less", do: motion(func(l *timeline.List, n int) { l.Page(n * max(l.Rows/2, 1)) })},
		{keys: []string{"ctrl+u"}, name: "half-page-up", group: g, help: "half a page back", habit: "vim, less", do: motion(func(l *timeline.List, n int) { l.Page(-n * max(l.Rows/2, 1)) })},
		{keys: []string{"space", "ctrl+f", "pgdown"}, name: "page-down", group: g, help: "a page on", habit: "less, lnav", do: motion(func(l *timeline.List, n int) { l.Page(n * max(l.Rows-1, 1)) })},
		{keys: []string{"b", "ctrl+b", "pgup"}, name: "page-up", group: g, help: "a page back", habit: "less, lnav", do: motion(func(l *timeline.List, n int) { l.Page(-n * max(l.Rows-1, 1)) })},
		{keys: []string{"g", "home"}, name: "first", group: g, help: "first row; 231g goes to message 231", habit: "less, vim", do: func(a *app, n int, _ string) tea.Cmd { return a.list.GoTop(n) }},
		{keys: []string{"G", "end"}, name: "last", group: g, help: "last row, and follow on; 231G goes to message 231", habit: "less, vim", do: func(a *app, n int, _ string) tea.Cmd { return a.list.GoBottom(n, n > 0 || a.zeroTyped) }},
		{keys: []string{"H"}, name: "screen-top", group: g, help: "top row of the screen", habit: "vim", do: motion(func(l *timeline.List, n int) { l.OnScreenRow(n - 1 + l.Sticky()) })},
		{keys: []string{"M"}, name: "screen-middle", group: g, help: "middle row of the screen", habit: "vim", do: motion(func(l *timeline.List, n int) { l.OnScreenRow(l.Rows / 2) })},
		{keys: []string{"L"}, name: "screen-bottom", group: g, help: "bottom row of the screen", habit: "vim", do: motion(func(l *timeline.List, n int) { l.OnScreenRow(l.Rows - n) })},
		{keys: []string{"z t"}, name: "to-top", group: g, help: "selected row to the top", hint: "to top", habit: "vim", do: motion(func(l *timeline.List, n int) { l.Center(0); l.Reveal() })},
		{keys: []string{"z z"}, name: "to-middle", group: g, help: "selected row to the middle", hint: "to middle", habit: "vim", do: motion(func(l *timeline.List, n int) { l.Center(l.Rows / 2) })},
		{keys: []string{"z b"}, name: "to-bottom", group: g, help: "selected row to the bottom", hint: "to bottom", habit: "vim", do: motion(func(l *timeline.List, n int) { l.Center(l.Rows - 1) })},
		{keys: []string{"[", "ctrl+o"}, name: "back", group: g, help: "back through jumps", habit: "browser, vim", do: func(a *app, n int, _ string) tea.Cmd { return a.list.Back() }},
		{keys: []string{"]"}, name: "forward", group: g, help: "forward through jumps", habit: "browser", do: func(a *app, n int, _ string) tea.Cmd { return a.list.Forward() }},
	}
}

func thingCommands() []command {
	g := groupThings
	pair := func(keys [2]string, names [2]string, what, habit, hint string, f func(l *timeline.List, n, dir int) string) []command {
		return []command{
			{keys: []string{keys[0]}, name: names[0], group: g, help: "next " + what, hint: hint, habit: habit, do: jump(f, 1)},
			{keys: []string{keys[1]}, name: names[1], group: g, help: "previous " + what, habit: habit, do: jump(f, -1)},
		}
	}
	var t []command
	t = append(t, pair([2]string{"e", "E"}, [2]string{"next-error", "previous-error"}, "error", "lnav", "error", (*timeline.List).ToError)...)
	t = append(t, command{keys: []string{"!"}, name: "verdict", group: g, help: "jump to why the session ended: the last unresolved error, a question, a limit, the final answer", why: func(a *app) string { return a.verdict.missing() }, do: func(a *app, _ int, _ string) tea.Cmd { return a.verdict.goTo() }})
	t = append(t, pair([2]string{"p", "P"}, [2]string{"next-prompt", "previous-prompt"}, "prompt", "", "prompt", (*timeline.List).ToPrompt)...)
	t = append(t, pair([2]string{"c", "C"}, [2]string{"next-call", "previous-call"}, "tool call", "", "call", (*timeline.List).ToCall)...)
	t = append(t, pair([2]string{"o", "O"}, [2]string{"next-same-tool", "previous-same-tool"}, "call of the same tool", "lnav", "", (*timeline.List).ToSameTool)...)
	t = append(t, pair([2]string{"*", "#"}, [2]string{"next-same-thing", "previous-same-thing"}, "row about the same file or command", "vim", "", (*timeline.List).ToSameThing)...)
	t = append(t, pair([2]string{"}", "{"}, [2]string{"next-turn", "previous-turn"}, "turn", "vim, lnav", "", (*timeline.List).ToTurn)...)
	t = append(t, pair([2]string{")", "("}, [2]string{"next-step", "previous-step"}, "step: a response of the model with its calls", "vim", "", (*timeline.List).ToStep)...)
	t = append(t, command{keys: []string{"%"}, name: "other-end", group: g, help: "other end: prompt and final answer, agent's task and report, a message and what replaced it; 50% goes to the middle", habit: "vim", do: func(a *app, n int, _ string) tea.Cmd { return a.list.OtherEnd(n) }})
	t = append(t, pair([2]string{"n", "N"}, [2]string{"next-hit", "previous-hit"}, "search hit", "all", "", (*timeline.List).ToHit)...)
	t = append(t, pair([2]string{"u", "U"}, [2]string{"next-mark", "previous-mark"}, "label or mark", "lnav", "", (*timeline.List).ToLabel)...)
	return append(t,
		command{keys: []string{"."}, name: "label", group: g, help: "label this row, the selection, the turn or the session: #label, +good, -bad, word=3, or a note", do: func(a *app, _ int, _ string) tea.Cmd { return a.labelled.open() }},
		command{keys: []string{";"}, name: "undo-label", group: g, help: "undo the last label", do: func(a *app, _ int, _ string) tea.Cmd { return a.labelled.undo(nil) }},
		command{keys: []string{"m *"}, name: "mark", group: g, help: "set mark x: a label of one letter", habit: "vim, less", do: func(a *app, _ int, key string) tea.Cmd { return a.list.SetMark(key) }},
		command{keys: []string{"' *"}, name: "go-to-mark", group: g, help: "go to mark x; '1 shows the first view; '' back to before the jump", habit: "vim, less", do: func(a *app, _ int, key string) tea.Cmd { return a.goMark(key) }},
	)
}

func openCommands() []command {
	g := groupOpen
	do := func(f func(l *timeline.List) string) func(a *app, n int, key string) tea.Cmd {
		return func(a *app, _ int, _ string) tea.Cmd {
			why := f(a.list)
			a.list.Reveal()
			if it, ok := a.list.CurItem(); ok && a.list.IsOpen(&it) {
				a.list.RevealBody()
			}
			if why != "" {
				return a.complain(why)
			}
			a.list.Moved()
			return nil
		}
	}
	return []command{
		{keys: []string{"l", "right"}, name: "open", group: g, help: "open; on an open row, go to the first row inside", hint: "open", habit: "jless, fx", do: do((*timeline.List).OpenCur)},
		{keys: []string{"h", "left"}, name: "close", group: g, help: "close; on a closed or inner row, go to its parent", hint: "fold", habit: "jless, fx", do: do((*timeline.List).CloseCur)},
		{keys: []string{"enter"}, name: "detail", group: g, help: "detail of the row, with the focus", hint: "detail", habit: "lazygit", do: func(a *app, _ int, _ string) tea.Cmd { return a.enterDetail() }},
		{keys: []string{"z a"}, name: "fold-toggle", group: g, help: "open or close", hint: "open or close", habit: "vim", do: do((*timeline.List).ToggleCur)},
		{keys: []string{"z o"}, name: "open-whole", group: g, help: "open fully", hint: "open", habit: "vim", do: do(func(l *timeline.List) string { return l.SetCur(timeline.OpenWhole) })},
		{keys: []string{"z c"}, name: "fold-close", group: g, help: "close", hint: "close", habit: "vim", do: do(func(l *timeline.List) string { return l.SetCur(timeline.OpenClosed) })},
		{keys: []string{"z O"}, name: "open-inside", group: g, help: "open with everything inside", hint: "open inside", habit: "vim", do: do(func(l *timeline.List) string { return l.SetInside(timeline.OpenWhole) })},
		{keys: []string{"z C"}, name: "close-inside", group: g, help: "close with everything inside", hint: "close inside", habit: "vim", do: do(func(l *timeline.List) string { return l.SetInside(timeline.OpenClosed) })},
		{keys: []string{"z R"}, name: "open-all", group: g, help: "open everything fully", hint: "open all", habit: "vim", do: func(a *app, _ int, _ string) tea.Cmd { return a.list.SetLevel(4, true) }},
		{keys: []string{"z M"}, name: "close-all", group: g, help: "close all: a row for each turn", hint: "close all", habit: "vim", do: func(a *app, _ int, _ string) tea.Cmd { return a.list.SetLevel(1, true) }},
		{keys: []string{">", "z r"}, name: "outline-more", group: g, help: "one more level of detail: turns, steps, rows, bodies", hint: "more detail", habit: "vim", do: func(a *app, n int, _ string) tea.Cmd { return a.list.SetLevel(a.list.Level+max(n, 1), false) }},
		{keys: []string{"<", "z m"}, name: "outline-less", group: g, help: "one less level of detail", hint: "less detail", habit: "vim", do: func(a *app, n int, _ string) tea.Cmd { return a.list.SetLevel(a.list.Level-max(n, 1), false) }},
		{keys: []string{"z k"}, name: "fold-kind", group: g, help: "open or close all rows of this kind on the screen and near it", hint: "this kind", do: do((*timeline.List).ToggleKind)},
		{keys: []string{"r"}, name: "body-mode", group: g, help: "body as rendered, as source text, as raw record", do: do((*timeline.List).NextMode)},
		{keys: []string{"z f"}, name: "fetch", group: g, help: "fetch the full output of the row from its file or server", hint: "fetch", do: func(a *app, _ int, _ string) tea.Cmd { return a.list.FetchCur() }},
		{keys: []string{"z w"}, name: "wrap", group: g, help: "wrap long lines or cut them", hint: "wrap", do: func(a *app, _ int, _ string) tea.Cmd { return a.list.ToggleWrap() }},
		{keys: []string{"i"}, name: "events", group: g, help: "events and injected text: counted, folded, one line each, hidden", do: func(a *app, _ int, _ string) tea.Cmd { return a.list.NextEvents() }},
	}
}

func paneCommands() []command {
	g := groupPanes
	list := []command{
		{keys: []string{"tab"}, name: "next-pane", group: g, help: "next pane", habit: "lazygit", do: func(a *app, _ int, _ string) tea.Cmd { return a.nextPane(1) }},
		{keys: []string{"shift+tab"}, name: "previous-pane", group: g, help: "previous pane", habit: "lazygit", do: func(a *app, _ int, _ string) tea.Cmd { return a.nextPane(-1) }},
	}
	for _, e := range panes.Registry() {
		if e.Key != "" {
			list = append(list, command{keys: []string{e.Key}, name: string(e.Kind), group: g, help: e.Help, hint: e.Hint, habit: e.Habit, do: func(a *app, _ int, _ string) tea.Cmd { return a.showPane(e.Kind) }})
		}
	}
	return append(list, []command{
		{keys: []string{"d"}, name: "detail-toggle", group: g, help: "detail on or off, focus stays", do: func(a *app, _ int, _ string) tea.Cmd { return a.toggleDetail() }},
		{keys: []string{"J"}, name: "detail-down", group: g, help: "scroll the detail; in it, next item", habit: "lazygit", do: func(a *app, n int, _ string) tea.Cmd { return a.scrollDetail(max(n, 1)) }},
		{keys: []string{"K"}, name: "detail-up", group: g, help: "scroll the detail back; in it, previous item", habit: "lazygit", do: func(a *app, n int, _ string) tea.Cmd { return a.scrollDetail(-max(n, 1)) }},
		{keys: []string{"Z"}, name: "zoom", group: g, help: "focused pane on the full screen, and back", habit: "tmux", do: func(a *app, _ int, _ string) tea.Cmd { return a.zoom() }},
		{keys: []string{"S"}, name: "sessions", group: g, help: "session list", why: (*app).whyNoSessions, do: func(a *app, _ int, _ string) tea.Cmd { return a.openSessions() }},
		{keys: []string{"D"}, name: "compare", group: g, help: "compare with another session of the folder; in the session list and the turns, the two selected ones", why: (*app).whyNoCompare, do: func(a *app, _ int, _ string) tea.Cmd { return a.pickOther() }},
		{keys: []string{"W"}, name: "threads", group: g, help: "unfinished work of the sessions in this folder, the last one, today, by day", why: (*app).whyNoThreads, do: func(a *app, _ int, _ string) tea.Cmd { return a.openThreads() }},
		{keys: []string{"B"}, name: "branches", group: g, help: "choose a branch: rewound, regenerated or abandoned messages", do: func(a *app, _ int, _ string) tea.Cmd { return a.list.ChooseBranch() }},
		{keys: []string{"z d"}, name: "file-changes", group: g, help: "all changes of the file that this row edits", hint: "changes of the file", do: func(a *app, _ int, _ string) tea.Cmd { return a.fileChanges() }},
		{keys: []string{"="}, name: "scope", group: g, help: "tools and stats of the filtered rows or of the session", why: (*app).whyNoFilter, do: func(a *app, _ int, _ string) tea.Cmd { return a.toggleScope() }},
	}...)
}

func findCommands() []command {
	g := groupFind
	return []command{
		{keys: []string{"/"}, name: "search", group: g, help: "search; n and N visit the hits", hint: "search", habit: "all", do: func(a *app, _ int, _ string) tea.Cmd { return a.list.OpenSearch() }},
		{keys: []string{"f"}, name: "filter", group: g, help: "edit the filter", hint: "filter", do: func(a *app, _ int, _ string) tea.Cmd { return a.editFilter() }},
		{keys: []string{"&"}, name: "filter-toggle", group: g, help: "filter off and on; without one, edit", habit: "less", do: func(a *app, _ int, _ string) tea.Cmd { return a.filtering.toggle() }},
		{keys: []string{"+"}, name: "only-like-this", group: g, help: "only rows like this one", do: func(a *app, _ int, _ string) tea.Cmd { return a.filtering.like(false) }},
		{keys: []string{"-"}, name: "without-like-this", group: g, help: "without rows like this one", do: func(a *app, _ int, _ string) tea.Cmd { return a.filtering.like(true) }},
		{keys: []string{"a"}, name: "around", group: g, help: "rows around each match: none, 1, 3", habit: "grep -C", why: (*app).whyNoFilter, do: func(a *app, _ int, _ string) tea.Cmd { return a.filtering.nextAround() }},
	}
}

func takeCommands() []command {
	g := groupTake
	return []command{
		{keys: []string{"v", "V"}, name: "select", group: g, help: "select rows; move to extend", hint: "select", habit: "vim", do: func(a *app, _ int, _ string) tea.Cmd { return a.startTaking() }},
		{keys: []string{"y *"}, name: "copy", group: g, help: "copy: y item, c command or arguments, r result, m Markdown, j record, i id, p path, l link, Y as is; or all selected rows", habit: "vim, jless", do: func(a *app, _ int, key string) tea.Cmd { return a.desk.Copy(key) }},
		{keys: []string{"I *"}, name: "image", group: g, help: "image of the row: o opens it in the system's viewer, s saves it, d draws it here", do: func(a *app, _ int, key string) tea.Cmd { return a.desk.Image(key) }},
		{keys: []string{"x"}, name: "export", group: g, help: "export dialog", hint: "export", do: func(a *app, _ int, _ string) tea.Cmd { return a.openExport() }},
		{keys: []string{"X"}, name: "export-again", group: g, help: "repeat the last export", do: func(a *app, _ int, _ string) tea.Cmd { return a.desk.ExportNow() }},
		{keys: []string{":fork"}, name: "fork", group: g, help: "fork here: a new session of the agent with the messages up to this one, after a question", why: (*app).whyNoFork, do: func(a *app, _ int, _ string) tea.Cmd { return a.forkHere() }},
		{keys: []string{"ctrl+g"}, name: "editor", group: g, help: "show the item in $EDITOR: a copy, with secrets redacted", do: func(a *app, _ int, _ string) tea.Cmd { return a.desk.Edit() }},
		{keys: []string{"|"}, name: "pipe", group: g, help: "pipe the item or selection into a command; empty: $PAGER", habit: "less, vim", do: func(a *app, _ int, _ string) tea.Cmd { return a.desk.Pipe() }},
	}
}

func restCommands() []command {
	g := groupRest
	return append(viewCommands(), []command{
		{keys: []string{"F"}, name: "follow", group: g, help: "follow on or off", habit: "less, tail", why: (*app).whyNoFollow, do: func(a *app, _ int, _ string) tea.Cmd { return a.toggleFollow() }},
		{keys: []string{"A"}, name: "bell", group: g, help: "bell on an error, and when the session waits, is idle or stuck; off", do: func(a *app, _ int, _ string) tea.Cmd { return a.toggleBell() }},
		{keys: []string{"T"}, name: "time", group: g, help: "time column: clock, since the start, since the row before", habit: "lnav", do: func(a *app, _ int, _ string) tea.Cmd { return a.list.NextTime() }},
		{keys: []string{":"}, name: "palette", group: g, help: "command palette; a number goes to that message, @22:41 to a time; or type a command: filter is:error, theme light, export md, search words", habit: "vim, lnav", do: func(a *app, _ int, _ string) tea.Cmd { return a.openPalette() }},
		{keys: []string{":theme"}, name: "theme", group: g, help: "draw in another theme: auto, dark, light, high-contrast …", do: func(a *app, _ int, _ string) tea.Cmd { return a.chooseTheme() }},
		{keys: []string{"?", "f1"}, name: "help", group: g, help: "help: these keys, searchable", hint: "help", habit: "lazygit, lnav", do: func(a *app, _ int, _ string) tea.Cmd { return a.openHelp() }},
		{keys: []string{"f2"}, name: "mouse", group: g, help: "mouse on or off", habit: "lnav", do: func(a *app, _ int, _ string) tea.Cmd { return a.toggleMouse() }},
		{keys: []string{"ctrl+l"}, name: "redraw", group: g, help: "redraw", habit: "all", do: func(a *app, _ int, _ string) tea.Cmd { return tea.ClearScreen }},
		{keys: []string{"esc"}, name: "escape", group: g, help: "one layer back: prompt, dialog, selection, search marks, pane, filter", habit: "all", do: func(a *app, _ int, _ string) tea.Cmd { return a.escape() }},
		{keys: []string{"q"}, name: "quit", group: g, help: "close the pane; in the timeline go back to the session list, or quit", hint: "quit", habit: "less, lazygit", do: func(a *app, _ int, _ string) tea.Cmd { return a.quitOne() }},
		{keys: []string{"Q"}, name: "quit-all", group: g, help: "quit", do: func(a *app, _ int, _ string) tea.Cmd { return tea.Quit }},
		{keys: []string{"ctrl+c"}, name: "stop", group: g, help: "stop the running search or export, or quit if there is none", habit: "less", do: func(a *app, _ int, _ string) tea.Cmd { return a.stop() }},
		{keys: []string{"ctrl+z"}, name: "suspend", group: g, help: "suspend", habit: "shell", do: func(a *app, _ int, _ string) tea.Cmd { return a.stops.suspend() }},
	}...)
}
