package filter_test

import (
	"testing"

	"turns/model"
	"turns/query/filter"
	"turns/query/lang"
	"turns/query/querytest"
)

// TestFiltersOfRuns: the recorded fields of a run select all of its messages or none.
func TestFiltersOfRuns(t *testing.T) {
	snap := model.FromMessages(querytest.Run())
	s := &snap.Sessions()[0]
	s.Fields = []model.KeyValue{{Name: "session", Value: "8463c716-aa"}, {Name: "cwd", Value: "/work/app"}, {Name: "title", Value: "Fix the login"}}
	s.Ended, s.Outcome = true, model.Failure
	for src, found := range map[string]bool{
		"session:8463c716*": true, "session:8463": false,
		"project:/work/app": true, "project:/work/other": false,
		"title:login": true, `title:"fix the"`: true, "title:logout": false,
		"end:failed": true, "end:finished": false,
	} {
		f, err := lang.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		m, err := filter.NewMatcher(f, snap, filter.Env{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Apply(t.Context(), snap.LiveIDs())
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		if found {
			want = snap.Len()
		}
		if got := len(r.Selection(snap).IDs); got != want {
			t.Errorf("%s finds %d messages, want %d", src, got, want)
		}
	}
}
