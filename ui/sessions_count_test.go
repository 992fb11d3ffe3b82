package ui

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"
)

// Sessions of which the list tells in part are counted beside it: their rows become exact where they stand, a filter takes them up, and the list says
// how far that is.
func TestSessionsAreCounted(t *testing.T) {
	o := paneOptions()
	o.List = func(_ context.Context, more func([]SessionInfo)) error {
		var all []SessionInfo
		for i := range 4 {
			all = append(all, SessionInfo{
				Path: fmt.Sprintf("/s/%d", i), Title: fmt.Sprintf("title %d", i), Messages: 900, Errors: 1, Partial: i%2 == 1, When: sampleStart.Add(-time.Duration(i) * time.Minute),
			})
		}
		more(all)
		return nil
	}
	half, rest := make(chan bool), make(chan bool)
	var asked []string
	exact := func(i int) []SessionInfo {
		return []SessionInfo{{Path: fmt.Sprintf("/s/%d", i), Title: fmt.Sprintf("title %d", i), Messages: 987, Errors: 42, Tokens: 50_000, When: sampleStart.Add(-time.Duration(i) * time.Minute)}}
	}
	o.Count = func(_ context.Context, paths []string, more func(int, []SessionInfo)) {
		asked = paths
		<-half
		more(1, exact(1))
		<-rest
		more(2, exact(3))
	}
	d := driveFeed(t, Still("/tmp/8463c716.jsonl", sample()), o, 120, 30)
	d.WaitFor("Fix the flaky").Press("S").WaitFor("4 sessions   counting 0 %").WaitFor("~900").Press("j").Selected("title 1")
	half <- true
	d.WaitFor("counting 50 %").WaitFor("987").Selected("title 1")
	d.Press("f").Type("tokens:>40k").Press("enter").WaitFor("987").WaitGone("title 0").WaitGone("title 3")
	rest <- true
	d.WaitGone("counting").WaitFor("title 3").WaitGone("~900").WaitGone("title 2")
	if want := []string{"/s/1", "/s/3"}; !slices.Equal(asked, want) {
		t.Errorf("%q are counted, want %q", asked, want)
	}
}
