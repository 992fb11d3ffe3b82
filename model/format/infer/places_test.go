package infer

import (
	"fmt"
	"strings"
	"testing"
)

// TestManyPlaces: a search for messages has at most 60 places, a search for any conversation 80.
func TestManyPlaces(t *testing.T) {
	for n, want := range map[int][2]int{59: {60, 60}, 60: {60, 61}, 79: {60, 80}, 80: {60, 80}} {
		var fields []string
		for i := range n {
			fields = append(fields, fmt.Sprintf(`"f%d":[{"role":"user"}]`, i))
		}
		rows := rowsOf("{" + strings.Join(fields, ",") + "}")
		s, c := &search{owner: map[*value]*group{}, ids: map[string][]*value{}}, &talk{}
		s.open("", rows, nil, 0)
		c.walk(&place{rows: rows}, 0)
		if got := [2]int{len(s.frames), len(c.places)}; got != want {
			t.Errorf("an object with %d lists has %v places, want %v", n, got, want)
		}
	}
}
