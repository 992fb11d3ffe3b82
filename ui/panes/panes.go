package panes

import "turns/ui/screen"

// Entry is a pane in the registry.
type Entry struct {
	Kind screen.PaneKind
	// Key opens and closes the pane, as Help describes; Hint and Habit are for the key line and the
	// list of keys. A pane without a key is opened by other means.
	Key, Help, Hint, Habit string
	// Wide requests much of the screen, Full all of it.
	Wide, Full bool

	table bool // it has the keys of tables
	make  func(h *screen.Host, t timeline) screen.Pane
	keys  func() []screen.KeyGroup // its own keys
}

// Registry lists the panes, in the order of the key for the next pane.
func Registry() []Entry {
	return []Entry{
		{Kind: screen.PaneTools, Key: "t", Help: "tool summary; again closes it", Hint: "tools", table: true, make: func(h *screen.Host, _ timeline) screen.Pane { return newTools(h) }, keys: toolsKeys},
		{Kind: screen.PaneStats, Key: "s", Help: "statistics; again closes them", Hint: "stats", make: func(h *screen.Host, _ timeline) screen.Pane { return newStats(h) }, keys: one("Statistics", (*Stats).Keys)},
		{Kind: screen.PaneTurns, Key: "@", Help: "turns; again closes them", Hint: "turns", Habit: "fx", table: true, make: func(h *screen.Host, _ timeline) screen.Pane { return newTurns(h) }, keys: turnsKeys},
		{Kind: screen.PaneContext, Key: "w", Help: "context window over the session; again closes it", Hint: "context", table: true, make: func(h *screen.Host, _ timeline) screen.Pane { return newContext(h) }, keys: one("Context window", (*Context).Keys)},
		{Kind: screen.PaneFiles, Key: ",", Help: "net changes of files, and the files read; again closes them", Hint: "changes", Wide: true, table: true, make: func(h *screen.Host, t timeline) screen.Pane { return newFiles(h, t) }, keys: filesKeys},
		{Kind: "lanes", Key: "_", Help: "lanes: when what ran, for each agent; again closes them", Hint: "lanes", Wide: true, make: func(h *screen.Host, _ timeline) screen.Pane { return newLanes(h) }, keys: one("Lanes", (*Lanes).Keys)},
		{Kind: screen.PaneReading, Key: "Y", Help: "reading mode: prompts and answers in full; again goes back to the same place", Hint: "read", Full: true, make: func(h *screen.Host, t timeline) screen.Pane { return newReading(h, t) }, keys: one("Reading", (*Reading).Keys)},
		{Kind: screen.PaneDetail, Wide: true, make: func(h *screen.Host, t timeline) screen.Pane { return newDetail(h, t) }, keys: one("Detail", (*Detail).Keys)},
	}
}

func one[P any](name string, keys func(*P) []screen.Key) func() []screen.KeyGroup {
	return func() []screen.KeyGroup { return []screen.KeyGroup{{Name: name, Keys: keys(new(P))}} }
}

func toolsKeys() []screen.KeyGroup {
	return []screen.KeyGroup{{Name: "Tools", Keys: newTools(nil).Keys()}, {Name: "Calls of a tool", Keys: append((&Calls{}).Keys(), newTools(nil).LeaveKeys()...)}}
}

func turnsKeys() []screen.KeyGroup {
	p := new(Turns)
	return []screen.KeyGroup{{Name: "Turns", Keys: p.Keys()}, {Name: "Steps of a turn", Keys: append((&steps{}).Keys(), p.LeaveKeys()...)}}
}

func filesKeys() []screen.KeyGroup {
	p := newFiles(nil, nil)
	return []screen.KeyGroup{{Name: "Files", Keys: p.Keys()}, {Name: "Net change of a file", Keys: p.DiffKeys()}, {Name: "Calls of a file", Keys: append(p.CallKeys(), p.LeaveKeys()...)}}
}

// All makes the panes, by kind.
func All(h *screen.Host, t timeline) map[screen.PaneKind]screen.Pane {
	all := map[screen.PaneKind]screen.Pane{}
	for _, e := range Registry() {
		all[e.Kind] = e.make(h, t)
	}
	return all
}

// KeyGroups returns the keys that apply in panes only.
func KeyGroups() []screen.KeyGroup {
	groups := []screen.KeyGroup{{Name: "In every table", Keys: (&screen.Table{}).Keys(nil)}}
	for _, e := range Registry() {
		if e.table {
			groups[0].Kinds = append(groups[0].Kinds, e.Kind)
		}
		for _, g := range e.keys() {
			g.Kinds = []screen.PaneKind{e.Kind}
			groups = append(groups, g)
		}
	}
	return groups
}
