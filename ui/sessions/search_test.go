package sessions

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query/lang"
	"turns/query/session"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// silent is a store without results.
type silent struct{ screen.Store }

func (silent) Search(context.Context, []string, []*lang.Filter, func(transcripts.Found)) {}

// listOf returns a list of n sessions, the newest first. Tests report search results with foundIn.
func listOf(t *testing.T, n int) *List {
	d := New(&screen.Host{Zone: time.UTC, Opts: screen.Options{Store: silent{}}}, &Memory{})
	t.Cleanup(d.End)
	for i := range n {
		last := time.Date(2026, 2, 11, 12, 0, 0, 0, time.UTC).Add(-time.Duration(i) * time.Hour)
		d.All = append(d.All, session.Session{Summary: model.Summary{Path: fmt.Sprint("/s/", i), Title: fmt.Sprint("title ", i), Last: last.UnixMilli()}})
	}
	d.Loaded = true
	d.number()
	d.Narrow()
	return d
}

func press(d *List, keys string) {
	for key := range strings.FieldsSeq(keys) {
		d.Key(screen.KeyPress(key))
	}
}

func foundIn(d *List, session int, end bool) {
	term := d.look.name
	if term == "" {
		term = d.sieve.Unanswered()[0].Filter().String()
	}
	hits := map[bodyKey]transcripts.Hit{{fmt.Sprint("/s/", session), term}: {Found: true, Line: "zz"}}
	d.searched(bodyMsg{gen: d.bodies.gen, hits: hits, end: end})
}

// A search in the sessions selects the first matching row, in whatever order matches arrive; once
// the user has moved, the cursor stays on its session.
func TestSearchStaysOnTheFirstRow(t *testing.T) {
	search := "/ z z enter"
	for _, c := range []struct {
		name, before string
		order        []int
		moves        string // after two matches
		want         string
	}{
		{"newest first", search, []int{1, 2, 3, 4}, "", "/s/1"},
		{"oldest first", search, []int{4, 3, 2, 1}, "", "/s/1"},
		{"moved before", "j j j " + search, []int{4, 3, 2, 1}, "", "/s/1"},
		{"as a filter", "j f z z enter", []int{4, 3, 2, 1}, "", "/s/1"},
		{"keys that do not move", search, []int{4, 3, 2, 1}, "f enter", "/s/1"},
		{"moved", search, []int{4, 3, 2, 1}, "j", "/s/4"},
		{"moved and back", search, []int{4, 3, 2, 1}, "j k", "/s/3"},
		{"moved while typing", "/ z z enter f", []int{4, 3, 2, 1}, "down", "/s/4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := listOf(t, 6)
			press(d, c.before)
			for i, n := range c.order {
				foundIn(d, n, i == len(c.order)-1)
				if i == 1 {
					press(d, c.moves)
				}
			}
			if d.Path() != c.want || len(d.Shown) != len(c.order) {
				t.Errorf("the cursor is on %q of %d, want %q", d.Path(), len(d.Shown), c.want)
			}
			foundIn(d, 0, true)
			if d.Path() != c.want {
				t.Errorf("after the search the cursor went to %q, want %q", d.Path(), c.want)
			}
		})
	}
}

// A match is fully visible in its cell, even in a narrow one, and without the escapes around it.
func TestHitCell(t *testing.T) {
	for _, c := range []struct {
		name, line, hit string
		w               int
		want            string
	}{
		{"whole", "the DIALYZER", "DIALYZER", 30, "the DIALYZER"},
		{"escapes", `"text":"failed.\n\n[DIALYZER] says\tno`, "DIALYZER", 60, `"text":"failed. [DIALYZER] says no`},
		{"narrow", `and so the run has failed.\n\n[DIALYZER] says no to it`, "DIALYZER", 18, "…ed. [DIALYZER] s…"},
		{"as long as the cell", "in all of the text_is_one_word_only that", "text_is_one_word_only", 18, "…text_is_one_word…"},
		{"a path", `in C:\news\today`, "today", 40, `in C:\news\today`},
		{"escaped backslash", `"\\nas\\box DIALYZER"`, "DIALYZER", 40, `"\\nas\\box DIALYZER"`},
		{"asked for", `a\nb`, `\n`, 30, `a\nb`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := listOf(t, 1)
			at := strings.Index(c.line, c.hit)
			cell := d.hitCell(&d.All[0], transcripts.Hit{Found: true, Line: c.line, Ranges: [][2]int{{at, at + len(c.hit)}}}, c.w, paint.Span{})
			got := cell.Lead.Text
			for _, p := range cell.Parts {
				got += p.Text
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Until the list is complete the cursor stays on its first row, then on its session, even if a
// newer one is inserted above.
func TestListKeepsItsSession(t *testing.T) {
	d := New(&screen.Host{Zone: time.UTC, Opts: screen.Options{Store: silent{}}}, &Memory{})
	t.Cleanup(d.End)
	at := func(hour int) session.Session {
		return session.Session{Summary: model.Summary{Path: fmt.Sprint("/s/", hour), Title: "title", Last: time.Date(2026, 2, 11, hour, 0, 0, 0, time.UTC).UnixMilli()}}
	}
	for _, c := range []struct {
		hour   int
		listed bool
		want   string
	}{{9, false, "/s/9"}, {11, false, "/s/11"}, {12, true, "/s/12"}, {14, true, "/s/12"}} {
		d.listed(listedMsg{news: transcripts.Update{Sessions: []session.Session{at(c.hour)}, Listed: c.listed}})
		if d.Path() != c.want {
			t.Errorf("after the session of %d o'clock the cursor is on %q, want %q", c.hour, d.Path(), c.want)
		}
	}
}
