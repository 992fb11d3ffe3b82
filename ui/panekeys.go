package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// paneKey is a row of the key table that holds in one pane or list only. What the pane does with a key, its key line, the help and the README are made
// from it.
type paneKey struct {
	keys  []string // as those of a command
	help  string
	hint  string // the word in the key line; "" keeps it out of there
	label string // what stands before it there; "" is the first key
	do    func(n int, key string) tea.Cmd
}

// keyGroup is the keys of a pane or list under its name.
type keyGroup struct {
	name  string
	kinds []paneKind // panes that take them
	keys  []paneKey
}

// paneGroups are the keys that hold in panes and lists only. They take every other key as the timeline does, as far as it means something there.
func paneGroups() []keyGroup {
	tables := []paneKind{paneTools, paneTurns, paneContext}
	t := &table{}
	return []keyGroup{
		{"In every table", tables, t.keys(nil)},
		{"Tools", []paneKind{paneTools}, (&toolsPane{}).keys()},
		{"Calls of a tool", []paneKind{paneTools}, append((&callsView{}).keys(), (&toolsPane{}).leaveKeys()...)},
		{"Turns", []paneKind{paneTurns}, (&turnsPane{}).keys()},
		{"Context window", []paneKind{paneContext}, (&contextPane{}).keys()},
		{"Statistics", []paneKind{paneStats}, (&statsPane{}).keys()},
		{"Detail", []paneKind{paneDetail}, (&detail{}).keys()},
		{groupComparison, nil, (&comparison{}).keys()},
		{groupFolders, nil, (&folders{}).keys()},
		{groupThreads, nil, (&threads{}).keys()},
		{groupSessions, nil, (&sessions{}).keys()},
	}
}

// groupOf is the name of the keys of what lies over the screen, "" where it has none of its own.
func groupOf(d dialog) string {
	switch d.(type) {
	case *sessions:
		return groupSessions
	case *comparison:
		return groupComparison
	case *folders:
		return groupFolders
	case *threads:
		return groupThreads
	}
	return ""
}

const (
	groupSessions   = "Session list"
	groupComparison = "Comparison"
	groupFolders    = "Comparison of folders"
	groupThreads    = "Open threads"
)

// noRow says that there is nothing to act on.
func noRow(h *host) tea.Cmd {
	h.request.complain("no row here")
	return nil
}

// tableHints are the words of the key line of a pane with a table; what exports it comes last. A table without rows has nothing to do.
func tableHints(t *table, keys []paneKey) []hint {
	if t.n == 0 {
		return nil
	}
	sorting := []hint{{"< >", "sort"}, {"R", "reverse"}, {"/", "find"}}
	at := slices.IndexFunc(keys, func(k paneKey) bool { return k.keys[0] == "x" })
	if at < 0 {
		return append(hintsOf(keys), sorting...)
	}
	return append(append(hintsOf(keys[:at]), sorting...), hintsOf(keys[at:])...)
}

// pressed does what a key is for; false for a key that is none of these.
func pressed(keys []paneKey, key string, n int) (bool, tea.Cmd) {
	for i := range keys {
		if slices.Contains(keys[i].keys, key) {
			return true, keys[i].do(n, key)
		}
	}
	return false, nil
}

// hintsOf are the words of the key line.
func hintsOf(keys []paneKey) []hint {
	var out []hint
	for _, k := range keys {
		if k.hint != "" {
			label := k.label
			if label == "" {
				label = hintKey(k.keys[0])
			}
			out = append(out, hint{label, k.hint})
		}
	}
	return out
}

// hintKey is a key as the key line writes it.
func hintKey(k string) string {
	first, _, _ := strings.Cut(k, " ") // of two keys the first, which leads to the others
	switch first {
	case "esc", "tab":
		return first
	}
	return keyLabel(first)
}
