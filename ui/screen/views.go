package screen

import "turns/ui/config"

// ViewHints returns the keys after ' that show views of a kind.
func ViewHints(views []config.View, of string) (hints []Hint) {
	for i := range views {
		if key := config.ViewKey(i); key != "" && views[i].Of == of {
			hints = append(hints, Hint{key, views[i].Name})
		}
	}
	if len(hints) == 0 {
		return []Hint{{":save NAME", "saves a view"}}
	}
	return hints
}
