package model

import (
	"fmt"
	"strings"
)

// ShellWord quotes s as one word for a shell; a leading ~/ remains unquoted. It returns an error
// if s has control or invisible characters: a pasted command would do something other than it
// shows. Quote as the last step, and do not change a quoted word.
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
