package panes

import (
	"slices"

	"turns/ui/screen"
)

// entry is a pane in the registry.
type entry struct {
	kind   screen.PaneKind
	make   func(h *screen.Host, t timeline) screen.Pane
	groups func() []screen.KeyGroup // keys that hold in it only
}

// registry has a line for each pane, in the order in which their keys are told.
func registry() []entry {
	return []entry{
		{screen.PaneTools, func(h *screen.Host, _ timeline) screen.Pane { return NewTools(h) }, toolsKeys},
		{screen.PaneFiles, func(h *screen.Host, _ timeline) screen.Pane { return NewFiles(h) }, filesKeys},
		{screen.PaneTurns, func(h *screen.Host, _ timeline) screen.Pane { return NewTurns(h) }, one("Turns", (&Turns{}).Keys())},
		{screen.PaneContext, func(h *screen.Host, _ timeline) screen.Pane { return NewContext(h) }, one("Context window", (&Context{}).Keys())},
		{screen.PaneStats, func(h *screen.Host, _ timeline) screen.Pane { return NewStats(h) }, one("Statistics", (&Stats{}).Keys())},
		{screen.PaneDetail, func(h *screen.Host, t timeline) screen.Pane { return NewDetail(h, t) }, one("Detail", (&Detail{}).Keys())},
	}
}

func one(name string, keys []screen.Key) func() []screen.KeyGroup {
	return func() []screen.KeyGroup { return []screen.KeyGroup{{Name: name, Keys: keys}} }
}

func toolsKeys() []screen.KeyGroup {
	return []screen.KeyGroup{{Name: "Tools", Keys: (&Tools{}).Keys()}, {Name: "Calls of a tool", Keys: append((&Calls{}).Keys(), (&Tools{}).LeaveKeys()...)}}
}

func filesKeys() []screen.KeyGroup {
	return []screen.KeyGroup{{Name: "Files", Keys: (&Files{}).Keys()}, {Name: "Calls of a file", Keys: append((&Calls{}).Keys(), (&Files{}).LeaveKeys()...)}}
}

// All makes the panes.
func All(h *screen.Host, t timeline) map[screen.PaneKind]screen.Pane {
	all := map[screen.PaneKind]screen.Pane{}
	for _, e := range registry() {
		all[e.kind] = e.make(h, t)
	}
	return all
}

// Order is the order of the panes for the key that goes from one to the next.
func Order() []screen.PaneKind {
	var order []screen.PaneKind
	for _, e := range registry() {
		order = append(order, e.kind)
	}
	slices.Sort(order)
	return order
}

// KeyGroups are the keys that hold in panes only.
func KeyGroups() []screen.KeyGroup {
	tables := []screen.PaneKind{screen.PaneTools, screen.PaneFiles, screen.PaneTurns, screen.PaneContext}
	groups := []screen.KeyGroup{{Name: "In every table", Kinds: tables, Keys: (&screen.Table{}).Keys(nil)}}
	for _, e := range registry() {
		for _, g := range e.groups() {
			g.Kinds = []screen.PaneKind{e.kind}
			groups = append(groups, g)
		}
	}
	return groups
}
