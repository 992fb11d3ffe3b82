package model

import "slices"

var stopNames = [...]string{"", "end", "tool", "length", "refusal", "error", "aborted"}

// String returns the word for why a response ended, "" if unknown.
func (s Stop) String() string { return stopNames[min(int(s), len(stopNames)-1)] }

// ParseStop returns the reason with this word, [StopUnknown] if there is none.
func ParseStop(word string) Stop { return Stop(max(slices.Index(stopNames[:], word), 0)) }

// flagNames are the flags that a format may set, in order.
var flagNames = [...]string{"injected", "synthetic", "partial", "sidechain", "truncated", "refused", "interrupted", "api-error", "invalidated", "superseded",
	"archived", "redacted", "compacted", "summary", "queued", "hidden", "parallel", "inherited"}

// Names returns the words for the flags that a format may set, nil if there are none.
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

// ParseFlag returns the flag with this word, 0 if there is none.
func ParseFlag(word string) Flags {
	if i := slices.Index(flagNames[:], word); i >= 0 {
		return 1 << i
	}
	return 0
}
