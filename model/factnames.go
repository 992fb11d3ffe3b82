package model

import "slices"

var stopNames = [...]string{"", "end", "tool", "length", "refusal", "error", "aborted"}

// String is the word for why a response ended, "" where that is not known.
func (s Stop) String() string { return stopNames[min(int(s), len(stopNames)-1)] }

// ParseStop is the reason that a word stands for, [StopUnknown] for none.
func ParseStop(word string) Stop { return Stop(max(slices.Index(stopNames[:], word), 0)) }

// flagNames are the flags that a format may set, in their order.
var flagNames = [...]string{"injected", "synthetic", "partial", "sidechain", "truncated", "refused", "interrupted", "api-error", "invalidated", "superseded",
	"archived", "redacted", "compacted", "summary", "queued", "hidden", "parallel", "inherited"}

// Names are the words for the flags that a format may set; nil where none of these is set.
func (f Flags) Names() []string {
	if f&(1<<len(flagNames)-1) == 0 {
		return nil
	}
	var names []string
	for i, name := range flagNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// ParseFlag is the flag that a word stands for, 0 for none.
func ParseFlag(word string) Flags {
	if i := slices.Index(flagNames[:], word); i >= 0 {
		return 1 << i
	}
	return 0
}
