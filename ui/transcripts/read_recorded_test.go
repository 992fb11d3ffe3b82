package transcripts_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/load"
	"turns/query"
	"turns/query/filter"
	"turns/query/lang"
)

const recordedRun = `{"conversations":[
{"id":"c1","is_boss_fight":false,"conversation_summary":"They spoke of Zebras.","messages":[{"role":"user","content":"hey"},{"role":"nikita","content":"hi"}]},
{"id":"c2","is_boss_fight":false,"key_moments":["a first kiss"],"messages":[{"role":"user","content":"back"},{"role":"nikita","content":"the kiss"}]}],
"daily_summaries":[{"date":"2026-01-02","summary_text":"A quiet day."}],
"conversation_threads":[{"status":"open","content":"ask about Friday"},{"status":"resolved","content":"the quiet thread"}]}`

func recordedSnapshot(t *testing.T, data string) *model.Snapshot {
	t.Helper()
	c, err := load.Open(context.Background(), "-", load.Options{Stdin: strings.NewReader(data), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	snap, err := c.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// TestFilterFindsWhatIsRecorded: recorded fields of a conversation match at its first message,
// those of all conversations at the first message of all.
func TestFilterFindsWhatIsRecorded(t *testing.T) {
	snap := recordedSnapshot(t, recordedRun)
	for _, c := range []struct {
		query  string
		want   []int
		search []string // where
	}{
		{"zebras", []int{0}, []string{"conversation_summary"}},
		{"text:zebras", []int{0}, nil},
		{"/zebra.\\./i", []int{0}, []string{"conversation_summary"}},
		{"kiss", []int{2, 3}, []string{"key_moments", "text"}},
		{"quiet", []int{0}, []string{"daily_summaries", "conversation_threads"}},
		{"role:user friday", []int{0}, nil},
		{"role:assistant friday", nil, nil},
		{"-zebras", []int{1, 2, 3}, nil},
		{"content:zebras", nil, nil}, // of the message itself
		{"reasoning:zebras", nil, nil},
		{"is_boss_fight", nil, []string{}},
	} {
		f, err := lang.Parse(c.query)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		_, err = filter.Scan(context.Background(), query.Everything(snap), f, filter.Env{}, func(m filter.Match) bool {
			got = append(got, snap.Pos(m.ID))
			return true
		})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s finds %v, %v, not %v", c.query, got, err, c.want)
		}
		if c.search == nil {
			continue
		}
		p, err := filter.NewPattern(c.query, true)
		if err != nil {
			t.Fatal(err)
		}
		where := []string{}
		err = filter.SearchEach(context.Background(), query.Everything(snap), p, func(m filter.SearchMatch) bool {
			where = append(where, m.Where)
			return true
		})
		if err != nil || !slices.Equal(where, c.search) {
			t.Errorf("a search for %s finds %v, %v, not %v", c.query, where, err, c.search)
		}
	}
}

// TestLineOfWhatIsRecorded checks the line that made a conversation match, also for one without
// messages.
func TestLineOfWhatIsRecorded(t *testing.T) {
	snap := recordedSnapshot(t, `[{"date":"2026-01-02","summary_text":"They met.\nIn Rome."}]`)
	texts := query.RecordedOf(snap)[model.NoID]
	for typed, want := range map[string]string{"rome": "In Rome.", "met": "They met.", "args:rome": "", "-rome": ""} {
		f, err := lang.Parse(typed)
		if err != nil {
			t.Fatal(err)
		}
		l, err := filter.NewLineFinder(f)
		if err != nil {
			t.Fatal(err)
		}
		if hit, ok := l.Conversation(texts); hit.Text != want || ok != (want != "") {
			t.Errorf("%s finds %q", typed, hit.Text)
		}
	}
}
