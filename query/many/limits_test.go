package many

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/session"
)

// TestLengthsOfKinds: the kind of a failure has at most 160 bytes, a group three examples.
func TestLengthsOfKinds(t *testing.T) {
	for n, want := range map[int]int{159: 159, 160: 160, 161: 160, 500: 160} {
		line := strings.Repeat("x", n)
		if got := (&Failure{Line: line}).Kind(); got != line[:want] {
			t.Errorf("the kind of %d letters has %d, want %d", n, len(got), want)
		}
	}
	for n, want := range map[int]int{2: 2, 3: 3, 4: 3} {
		g := NewGroups("failure")
		for i := range n {
			g.Add(&Failure{Line: "no space", Path: fmt.Sprint(i)})
		}
		if len(g.List) != 1 || g.List[0].Count != n || len(g.List[0].Examples) != want {
			t.Errorf("%d failures: %+v, want %d examples", n, g.List, want)
		}
	}
}

// TestFieldsOfARun: a field of up to 100 bytes is stored; for a repeated name, the first value.
func TestFieldsOfARun(t *testing.T) {
	snap := model.FromMessages([]model.Message{{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "hi"}}}})
	long := strings.Repeat("x", 100)
	snap.Sessions()[0].Fields = []model.KeyValue{{Name: "version", Value: "1"}, {Name: "version", Value: "2"}, {Name: "most", Value: long}, {Name: "more", Value: long + "x"}}
	r, err := NewRun(t.Context(), query.Everything(snap), session.Session{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Field("version") != "1" || r.Field("most") != long || r.Field("more") != "" || r.Field("other") != "" {
		t.Errorf("%+v", r.Fields)
	}
}
