package screen

import (
	"fmt"
	"turns/model"
)

// CopyWord copies a path as a shell takes it: that is where most are pasted.
func CopyWord(path, what string) any {
	word, err := model.ShellWord(path)
	if err != nil {
		return Wrote{Err: fmt.Errorf("copying %s: %w", what, err)}
	}
	return Copied{Text: word, What: what}
}
