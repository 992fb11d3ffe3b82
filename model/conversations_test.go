package model

import "testing"

// TestSessionsThatCount: a session without messages counts if it has a name or failed. The first
// one of several is the envelope of the others.
func TestSessionsThatCount(t *testing.T) {
	for name, c := range map[string]struct {
		session      Session
		first, later bool
	}{
		"with a message":          {Session{Count: 1}, true, true},
		"with an id":              {Session{Fields: []KeyValue{{"session", "s"}}}, false, true},
		"with a title":            {Session{Fields: []KeyValue{{"title", "t"}}}, false, true},
		"with another field":      {Session{Fields: []KeyValue{{"cwd", "/"}}}, false, false},
		"failed":                  {Session{Ended: true, Outcome: Failure}, false, true},
		"the sum of other scores": {Session{Ended: true, Outcome: Success, Scored: true}, false, false},
		"empty":                   {Session{}, false, false},
	} {
		others := FromMessages([]Message{{Role: User}})
		others.ix.Sessions = []Session{c.session, c.session, {Count: 1}}
		if first, later := others.Counts(0), others.Counts(1); first != c.first || later != c.later {
			t.Errorf("%s: counts %v as the first and %v as a later one, want %v and %v", name, first, later, c.first, c.later)
		}
		if got := others.Several(); got != c.later { // the third one counts
			t.Errorf("%s: several sessions %v, want %v", name, got, c.later)
		}
		alone := FromMessages(nil)
		alone.ix.Sessions = []Session{c.session}
		if got := alone.Counts(0); got != c.later {
			t.Errorf("%s, without messages in the file: counts %v, want %v", name, got, c.later)
		}
	}
}
