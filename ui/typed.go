package ui

import "turns/ui/screen"

// typed is the part of a command typed so far.
type typed struct {
	pending   string // first key of a chord
	count     int
	zeroTyped bool // the typed count is 0
}

// digit adds a digit to the count; false if the key is not a part of it. A 0 begins no count if
// zeroIsKey: then it is a key of the pane.
func (t *typed) digit(key string, zeroIsKey bool) bool {
	n, ok := screen.AddDigit(t.count, key)
	if !ok || t.pending != "" || n == 0 && (t.zeroTyped || zeroIsKey) {
		return false
	}
	t.count, t.zeroTyped = n, n == 0
	return true
}

// dropCount discards the count.
func (t *typed) dropCount() { t.count, t.zeroTyped = 0, false }

// chord returns a key with the first key of its chord.
func (t *typed) chord(key string) string {
	if t.pending == "" {
		return key
	}
	return t.pending + " " + key
}
