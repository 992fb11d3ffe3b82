package label_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query/label"
	"turns/query/querytest"
)

// labelled returns a set that labels a run, two of its messages and a call, as they were in the
// snapshot.
func labelled(t *testing.T, snap *model.Snapshot) *label.Set {
	t.Helper()
	ctx, none := t.Context(), model.CallID(model.NoRow)
	run := label.RunOf(ctx, snap, 0, label.Source{Path: "/w/a.jsonl"})
	line := func(id string, scope label.Scope, at *label.Place, m label.Mark) label.Line {
		return label.Line{ID: id, Time: time.Unix(int64(len(id)), 0), By: "ana", Run: run, Scope: scope, At: at, Mark: m}
	}
	call := snap.Calls(3)[1]
	return label.NewSet([]label.Line{
		line("run", label.OfRun, nil, label.Mark{Kind: label.Verdict, Name: label.Bad}),
		line("ask.", label.OfMessage, label.PlaceOf(ctx, snap, 2, none), label.Mark{Kind: label.Label, Name: "q"}),
		line("call.", label.OfCall, label.PlaceOf(ctx, snap, 3, call.ID), label.Mark{Kind: label.Score, Name: "quality", Value: "2"}),
		line("answer", label.OfMessage, label.PlaceOf(ctx, snap, 6, none), label.Mark{Kind: label.Note, Text: "wrong file"}),
	})
}

// TestFindPlaces: labels are found after a run has grown, moved or been written by another program;
// labels whose place is gone are reported as lost.
func TestFindPlaces(t *testing.T) {
	fresh := querytest.Run
	insert := func(msgs []model.Message, at int, m model.Message) []model.Message { return slices.Insert(msgs, at, m) }
	for _, c := range []struct {
		name string
		run  func() []model.Message
		want string
	}{
		{"as it was", fresh, "run · ask. at 2 · call. at 3 call c2 · answer at 6"},
		{"it has grown", func() []model.Message { return append(fresh(), querytest.Message(model.Assistant, "And now?")) },
			"run · ask. at 2 · call. at 3 call c2 · answer at 6"},
		{"a message before", func() []model.Message { return insert(fresh(), 2, querytest.Message(model.Assistant, "Welcome.")) },
			"run · ask. at 3 · call. at 4 call c2 · answer at 7"},
		{"calls of other ids", func() []model.Message {
			msgs := fresh()
			for i := range msgs {
				for k := range msgs[i].Blocks {
					if b := &msgs[i].Blocks[k]; b.ID != "" {
						b.ID = "x" + b.ID
					}
				}
			}
			return msgs
		}, "run · ask. at 2 · call. at 3 call xc2 · answer at 6"},
		{"arguments in another order", func() []model.Message {
			msgs := fresh()
			msgs[3].Blocks[2].Text = `{ "limit":81, "offset":40,"file_path":"/work/app/watch_test.go"}`
			return msgs
		}, "run · ask. at 2 · call. at 3 call c2 · answer at 6"},
		{"without the answer", func() []model.Message { return append(fresh()[:6], fresh()[7:]...) }, "run · ask. at 2 · call. at 3 call c2 · lost answer"},
		{"another run", func() []model.Message {
			return []model.Message{querytest.Message(model.User, "Hello"), querytest.Message(model.Assistant, "Good day to you")}
		}, "run · lost ask. call. answer"}, // in the same file as the first run
	} {
		t.Run(c.name, func(t *testing.T) {
			set := labelled(t, model.FromMessages(fresh()))
			snap := model.FromMessages(c.run())
			here, err := set.Find(t.Context(), snap, label.Source{Path: "/w/a.jsonl"})
			if err != nil {
				t.Fatal(err)
			}
			if got := places(t, snap, here); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func places(t *testing.T, snap *model.Snapshot, here *label.Here) string {
	t.Helper()
	var out []string
	for _, p := range here.All() {
		s := p.Line.ID
		if p.ID != model.NoID {
			s += fmt.Sprintf(" at %d", snap.Pos(p.ID))
		}
		if p.Call != model.CallID(model.NoRow) {
			m, err := snap.Body(t.Context(), p.ID)
			if err != nil {
				t.Fatal(err)
			}
			s += " call " + m.Calls()[snap.Call(p.Call).Block].ID
		}
		out = append(out, s)
	}
	if len(here.Lost) > 0 {
		lost := "lost"
		for i := range here.Lost {
			lost += " " + here.Lost[i].ID
		}
		out = append(out, lost)
	}
	return strings.Join(out, " · ")
}

// TestFindByNumber: a place that has only an index is accepted if the index is in the run.
func TestFindByNumber(t *testing.T) {
	snap := model.FromMessages(querytest.Run())
	for index, want := range map[int]string{0: "a at 0", 6: "a at 6", 99: "lost a", -1: "lost a"} {
		set := label.NewSet([]label.Line{{ID: "a", Run: label.Run{Path: "/w/a.jsonl"}, At: &label.Place{Index: index}, Mark: label.Mark{Kind: label.Note, Text: "x"}}})
		here, err := set.Find(t.Context(), snap, label.Source{Path: "/w/a.jsonl"})
		if err != nil {
			t.Fatal(err)
		}
		if got := places(t, snap, here); got != want {
			t.Errorf("message %d: %s, want %s", index, got, want)
		}
	}
}

// TestFindStops: Find returns when its context is cancelled, and a nil set finds no labels.
func TestFindStops(t *testing.T) {
	snap := model.FromMessages(querytest.Run())
	ctx, cancel := context.WithCancel(t.Context())
	set := labelled(t, snap)
	cancel()
	if _, err := set.Find(ctx, snap, label.Source{Path: "/w/a.jsonl"}); err != context.Canceled {
		t.Errorf("it ends with %v", err)
	}
	var nothing *label.Set
	if here, err := nothing.Find(t.Context(), snap, label.Source{}); err != nil || len(here.All()) > 0 || len(here.At(2)) > 0 {
		t.Errorf("%v, %v", here, err)
	}
}

// TestHere: the labels of a message, of a run and in total, before and after a change.
func TestHere(t *testing.T) {
	snap := model.FromMessages(querytest.Run())
	here, err := labelled(t, snap).Find(t.Context(), snap, label.Source{Path: "/w/a.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	words := func(list []*label.Placed) string { return label.Join(label.Marks(list)) }
	for id, want := range map[model.ID][2]string{ // at the message, and next to it in an export
		0: {"", "bad"}, 2: {"#q", "#q"}, 3: {"quality 2", "quality 2"}, 5: {"quality 2", ""}, 6: {`"wrong file"`, `"wrong file"`}, 7: {"", ""},
	} {
		if got := [2]string{words(here.At(id)), words(here.Of(snap, id))}; got != want {
			t.Errorf("message %d has %q, want %q", id, got, want)
		}
	}
	if got := words(here.OfRun(0)); got != "bad" {
		t.Errorf("the session has %q", got)
	}
	n, line := label.CountLine(here.Counts(snap, snap.LiveIDs()))
	if n != 4 || line != "1 #q, 1 bad, 1 notes, 1 quality=" {
		t.Errorf("%d: %s", n, line)
	}
	if n, line = label.CountLine(here.Counts(snap, []model.ID{2, 3})); n != 3 || line != "1 #q, 1 bad, 1 quality=" {
		t.Errorf("of two messages %d: %s", n, line)
	}
	next := here.Change(snap, map[string]bool{"ask.": true}, []label.Placed{{
		Line: label.Line{ID: "new", Mark: label.Mark{Kind: label.Verdict, Name: label.Good}}, ID: 2, Call: model.CallID(model.NoRow),
	}})
	if got := words(next.At(2)); got != "good" {
		t.Errorf("after the change message 2 has %q", got)
	}
	var nobody *label.Here
	if nobody.OfRun(0) != nil || nobody.Of(snap, 0) != nil || nobody.Counts(snap, snap.LiveIDs()) != nil {
		t.Error("there are no labels")
	}
}

// TestDigestSaysWhatTheSetSays: a digest has the marks of each run of the set, without places.
func TestDigestSaysWhatTheSetSays(t *testing.T) {
	snap := model.FromMessages(querytest.Run())
	set := labelled(t, snap)
	other := label.Run{Session: "8463c716-0000-4000-8000-000000000001", Path: "/w/b.jsonl"}
	set = set.With(label.Line{ID: "b1", Run: other, Mark: label.Mark{Kind: label.Label, Name: "loop"}},
		label.Line{ID: "b2", Run: other, Mark: label.Mark{Kind: label.Label, Name: "loop"}})
	digest := set.Digest()
	if digest.Len() != 6 || len(digest.Marks) != 5 || len(digest.Runs) != 2 || !digest.Index() {
		t.Errorf("%+v", digest)
	}
	for _, run := range []label.Run{{Path: "/w/a.jsonl"}, other, {Session: other.Session}, {Path: "/w/c.jsonl"}, {}} {
		var want []label.Mark
		for _, l := range set.About(&run) {
			want = append(want, l.Mark)
		}
		got := digest.About(&run, func(*label.Run) bool { return true })
		if !slices.Equal(got, want) {
			t.Errorf("of %+v the digest says %v, the set %v", run, got, want)
		}
		if left := digest.About(&run, func(*label.Run) bool { return false }); len(left) > 0 {
			t.Errorf("%v is a label of an unwanted session", left)
		}
	}
	message := label.Line{ID: "m", Time: time.Unix(99, 0), Run: label.Run{Path: "/w/a.jsonl"}, At: &label.Place{Index: 2}, Mark: label.Mark{Kind: label.Verdict, Name: label.Good}}
	all := func(*label.Run) bool { return true }
	if got := set.With(message).Digest().Verdict(&label.Run{Path: "/w/a.jsonl"}, all); got != label.Bad {
		t.Errorf("the verdict on the session is %q, want bad: the other is on a message", got)
	}
	one := label.Digest{Marks: make([]label.Mark, 1), Runs: make([]label.Run, 1), Whole: []bool{true}}
	for i, valid := range []bool{true, false} {
		if one.What, one.Of = []int32{int32(i)}, []int32{0}; one.Index() != valid {
			t.Errorf("a digest with one mark has the mark %d: %v, want %v", i, !valid, valid)
		}
	}
	for _, broken := range []label.Digest{{What: []int32{0}}, {What: []int32{0}, Of: []int32{0}}, {What: []int32{-1}, Of: []int32{0}, Marks: make([]label.Mark, 1), Runs: make([]label.Run, 1)}} {
		if broken.Index() {
			t.Errorf("%+v is not whole", broken)
		}
	}
}

// TestWordsOfASet: the used names, most frequent first, by kind and by person.
func TestWordsOfASet(t *testing.T) {
	var lines []label.Line
	for i, text := range []string{"#loop", "#loop", "#flaky", "quality=2", "+", "slow start"} {
		said, err := label.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, label.Line{ID: fmt.Sprint(i), Time: time.Unix(int64(i), 0), By: []string{"ana", "bob"}[i%2], Mark: said.Add[0]})
	}
	set := label.NewSet(lines)
	if got := set.Used(); !slices.Equal(got, []string{"#loop", "#flaky", "quality="}) {
		t.Errorf("used are %q", got)
	}
	if a, b, c := set.Last("ana"), set.Last("bob"), set.Last("eve"); a.ID != "4" || b.ID != "5" || c != nil {
		t.Errorf("last are %v, %v, %v", a, b, c)
	}
	if first := label.NewSet(lines[:1]).Last("ana"); first == nil || first.ID != "0" {
		t.Errorf("the last of one line is %v", first)
	}
}

// TestGlyphs: one character shows all labels of a place.
func TestGlyphs(t *testing.T) {
	for text, want := range map[string]string{
		"#x #y": "x", "#x note": "x", "#loop + q=1": "+", "- #loop": "-", "#loop q=1": "#", "q=1 words": "=", "words": `"`,
	} {
		said, err := label.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(label.Glyph(said.Add)); got != want {
			t.Errorf("%q is shown as %s, want %s", text, got, want)
		}
	}
	if label.Glyph(nil) != 0 {
		t.Error("nothing has a glyph")
	}
	bad := label.Mark{Kind: label.Score, Name: "q", Text: "high"}
	if _, ok := (&label.Mark{Kind: label.Note, Value: "2"}).Number(); ok {
		t.Error("a note has a number")
	}
	for value, want := range map[string]bool{"2": true, "0x10": false, "NaN": false} {
		if score := label.ScoreOf("q", value); (score.Value != "") != want {
			t.Errorf("a score of %s is a number: %v, want %v", value, !want, want)
		}
	}
	if _, ok := bad.Number(); ok || bad.Words() != "q high" {
		t.Errorf("%s is not a number", bad.Words())
	}
}

// TestFindWithoutNeighbours: a message of 24 letters is found among different neighbours; a shorter
// one could be another message with the same words.
func TestFindWithoutNeighbours(t *testing.T) {
	for letters, want := range map[int]string{23: "lost a", 24: "a at 3"} {
		text := strings.Repeat("x", letters)
		before := model.FromMessages([]model.Message{querytest.Message(model.User, "One"), querytest.Message(model.Assistant, text), querytest.Message(model.User, "Two")})
		after := model.FromMessages([]model.Message{querytest.Message(model.User, "Hello"), querytest.Message(model.Assistant, "Hi."), querytest.Message(model.User, "Go on"),
			querytest.Message(model.Assistant, text), querytest.Message(model.User, "Thanks")})
		set := label.NewSet([]label.Line{{ID: "a", Run: label.Run{Path: "/w/a.jsonl"}, At: label.PlaceOf(t.Context(), before, 1, model.CallID(model.NoRow)), Mark: label.Mark{Kind: label.Note, Text: "x"}}})
		here, err := set.Find(t.Context(), after, label.Source{Path: "/w/a.jsonl"})
		if err != nil {
			t.Fatal(err)
		}
		if got := places(t, after, here); got != want {
			t.Errorf("a message of %d letters: %s, want %s", letters, got, want)
		}
	}
}
