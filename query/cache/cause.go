package cache

import "strings"

// Cause is the reason why a request did not read its whole prefix from the cache.
type Cause string

// The causes. A request that read its prefix has no cause.
const (
	None        Cause = ""
	TTL         Cause = "ttl"         // the time to live passed
	Model       Cause = "model"       // another model answered
	Tools       Cause = "tools"       // the list of tools changed
	System      Cause = "system"      // the system prompt changed
	Compaction  Cause = "compaction"  // a summary replaced the messages
	Edited      Cause = "edited"      // messages were changed, removed or rewound
	First       Cause = "first"       // the first request of an agent
	TooShort    Cause = "too_short"   // the prefix was below the minimum of the provider
	Unexplained Cause = "unexplained" // the transcript does not explain it
)

var causeWords = map[Cause]string{
	TTL: "time to live passed", Model: "model changed", Tools: "tools changed", System: "system prompt changed",
	Compaction: "compaction", Edited: "history edited", First: "first request", TooShort: "below the minimum", Unexplained: "unexplained",
}

// Words returns the cause for people, "" for None.
func (c Cause) Words() string { return causeWords[c] }

// Missed reports whether the cause is a miss: a cached prefix existed and the request did not
// read it. First requests, compactions and prefixes below the minimum are not misses.
func (c Cause) Missed() bool {
	switch c {
	case None, Compaction, First, TooShort:
		return false
	}
	return true
}

// causeOf returns the cause for a recorded reason: diagnostics.cache_miss_reason.type of the
// Anthropic API. Other reasons, such as previous_message_not_found, correspond to no cause.
func causeOf(recorded string) Cause {
	switch strings.TrimSuffix(recorded, "_changed") {
	case recorded:
		return None
	case "model":
		return Model
	case "tools":
		return Tools
	case "system":
		return System
	case "messages":
		return Edited
	}
	return None
}
