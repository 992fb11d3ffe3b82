package cli

import (
	"fmt"
	"strings"

	"turns/themes/tomlfile"
)

// unknown is the error of a word that is none of a few; its hint names the nearest and all of them.
func unknown(what, given string, valid []string) error {
	hint := "valid: " + strings.Join(valid, ", ")
	if near := tomlfile.Nearest(strings.ToLower(given), valid); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return hinted{fmt.Errorf("unknown %s %q", what, given), hint}
}
