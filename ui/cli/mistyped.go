package cli

import (
	"fmt"
	"slices"
	"strings"

	"turns/themes/tomlfile"

	"github.com/spf13/cobra"
)

// unknown returns the error for an invalid word; its hint lists the nearest and all valid words.
func unknown(what, given string, valid []string) error {
	hint := "valid: " + strings.Join(valid, ", ")
	if near := tomlfile.Nearest(strings.ToLower(given), valid); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return hinted{fmt.Errorf("unknown %s %q", what, given), hint}
}

// nearestCommand returns the command with the nearest name or alias to a word, "" if none is near.
func nearestCommand(root *cobra.Command, word string) string {
	near := tomlfile.Nearest(strings.ToLower(word), commandWords(root))
	if cmd, _, err := root.Find([]string{near}); near != "" && err == nil {
		return cmd.Name()
	}
	return ""
}

// commandWords returns the names and aliases of the listed commands.
func commandWords(root *cobra.Command) (words []string) {
	for _, c := range root.Commands() {
		if c.Name() != "facts" {
			words = append(append(words, c.Name()), c.Aliases...)
		}
	}
	slices.Sort(words)
	return words
}
