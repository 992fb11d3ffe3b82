package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// paneKey is a row of the key table that holds in one pane or list only. What the pane does with a key, its key line, the help and the README are made
// from it.
type paneKey struct {
	keys []string // as those of a command
	help string
	hint string // the word in the key line; "" keeps it out of there
	do   func(n int, key string) tea.Cmd
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
			out = append(out, hint{hintKey(k.keys[0]), k.hint})
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
