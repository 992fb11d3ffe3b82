package cli

import (
	"slices"

	"turns/model"
	"turns/query/human"
	"turns/query/session"
)

// families puts subagents below their parents, like the session list on the screen. Without open it
// drops them and puts their number into agents, for the parent's title, by path. A subagent whose
// parent is not listed stays in place.
func families(found []*session.Session, open bool) (rows []*session.Session, agents map[string]string) {
	at := make(map[string]*session.Session, len(found))
	for _, s := range found {
		at[s.Path] = s
	}
	family := session.NewFamilies(func(path string) *session.Session { return at[path] })
	for _, s := range found {
		family.Put(s)
	}
	agents = map[string]string{}
	for _, s := range found {
		if family.Root(s) != s.Path {
			continue
		}
		rows = append(rows, s)
		below := slices.DeleteFunc(family.Below(s), func(a *session.Session) bool { return family.Root(a) != s.Path })
		if len(below) == 0 {
			continue
		}
		agents[s.Path] = session.AgentsInWords(below)
		if open {
			slices.SortStableFunc(below, func(a, b *session.Session) int { return int(max(min(a.Started-b.Started, 1), -1)) })
			rows = append(rows, below...)
			for _, a := range below {
				agents[a.Path] = subagentSign
			}
		}
	}
	return rows, agents
}

// subagentSign precedes the title of a subagent below its parent.
const subagentSign = "└ "

// titleOf returns the title of a session with the number of its subagents, in at most room
// cells. It cuts the title, never the number.
func titleOf(title, agents string, room int) string {
	title = model.CleanLine(title)
	switch {
	case agents == subagentSign:
		return human.CutText(agents+title, room)
	case agents != "":
		agents = " (" + agents + ")"
		return human.CutText(title, max(room-human.Width(agents), 8)) + agents
	}
	return human.CutText(title, room)
}
