package compare

import "turns/ui/screen"

// Group is the name that the keys of a comparison stand under.
func (d *Runs) Group() string { return "Comparison" }

// Group is the name that the keys of a comparison of folders stand under.
func (d *Folders) Group() string { return "Comparison of folders" }

// Group is the name that the keys of what is open stand under.
func (d *Threads) Group() string { return "Open threads" }

// KeyGroups are the keys that hold in comparisons only.
func KeyGroups() []screen.KeyGroup {
	r, f, t := &Runs{}, &Folders{}, &Threads{}
	return []screen.KeyGroup{{Name: r.Group(), Keys: r.Keys()}, {Name: f.Group(), Keys: f.Keys()}, {Name: t.Group(), Keys: t.Keys()}}
}
