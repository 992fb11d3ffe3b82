package model

import (
	"fmt"
	"strings"
)

// ShellWord writes s as one word of a command for a shell; ~/ at its beginning stays. A word with
// control characters or others that do not show is refused: whoever pastes the command into a
// terminal would run something else than what he saw. Quoting is the last step: a quoted word
// must not be changed any more.
func ShellWord(s string) (string, error) {
	if Clean(s) != s || strings.ContainsAny(s, "\n\t") {
		return "", fmt.Errorf("quoting %q for a shell: it holds control characters or invisible ones", s)
	}
	head := ""
	if strings.HasPrefix(s, "~/") {
		head, s = "~/", s[2:]
	}
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%="
	if s != "" && strings.Trim(s, plain) == "" || s == "" && head != "" {
		return head + s, nil
	}
	return head + "'" + strings.ReplaceAll(s, "'", `'\''`) + "'", nil
}
