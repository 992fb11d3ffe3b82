package shape

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/describe"
	"turns/query/querytest"
	"turns/query/summary"
)

// sampleDiffers lists the samples whose numbers change in a round trip through JSON, and why.
var sampleDiffers = map[string]struct{ numbers, why string }{
	"anthropic/batch.jsonl":   {"blocks titles", "the record of an error without an answer reads back as a text, not as its title"},
	"langchain/provider.json": {"blocks", "the provider's field audio reads back as a sound"},
	"autogen/result.json":     {"fields", "the speaker of an answer reads back as its model, as stats has it"},
	"autogen/team.jsonl":      {"fields", "the speaker of an answer reads back as its model, as stats has it"},
	"openai/response.json":    {"fields", "the id of a response is that of the session in _conversation"},
}

// differs lists the corpus transcripts whose numbers change in a round trip through JSON, and why.
var differs = map[string]struct{ numbers, why string }{
	"test_google__test_google_model_file_search_grounding_gemini_3_True.json": {"blocks calls log orphans stats.orphan_results stats.tool_calls", "a call without a name reads back as no call"},
	"wire.jsonl":               {"blocks calls log orphans stats.orphan_results stats.tool_calls", "calls without a name read back as no calls"},
	"vercel_v6_all-spans.json": {"stats.last_time", "the last span is of a session without messages"},
	"ch-20har.json":            {"fields", "the speaker of an answer reads back as its model, as stats has it"},
	"villager-chat.jsonl":      {"fields", "the speaker of an answer reads back as its model, as stats has it"},
}

// numbers returns the values of stats and the work log of a session, by name, that --to json must
// preserve.
func numbers(t *testing.T, snap *model.Snapshot) map[string]string {
	t.Helper()
	view := exporttest.Everything(snap)
	s, err := summary.Stats(t.Context(), view.Selection, nil)
	if err != nil {
		t.Fatal(err)
	}
	written := s.Sessions // without those that failed before their first message
	for n, se := range snap.Sessions() {
		if se.Count == 0 && snap.Counts(n) {
			written--
		}
	}
	out := map[string]string{
		"messages": fmt.Sprint(s.TotalMessages), "roles": fmt.Sprint(s.MessagesByRole), "turns": fmt.Sprint(s.Turns),
		"calls": fmt.Sprint(s.ToolCalls), "results": fmt.Sprint(s.ToolResults), "orphans": fmt.Sprint(s.OrphanResults),
		"pending": fmt.Sprint(s.PendingCalls), "errors": fmt.Sprint(s.ErrorsByOutcome), "reasoning": fmt.Sprint(s.TotalReasoning),
		"sessions": fmt.Sprint(max(written, 1)),
	}
	log, err := summary.WorkLog(t.Context(), view, query.NewTurnIndex(snap), summary.WorkLogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range log.Entries {
		lines = append(lines, fmt.Sprint(e.Tool, " ", e.Outcome, " ", e.Arguments, " ", e.Error))
	}
	slices.Sort(lines) // calls of several records may change their order
	out["log"] = strings.Join(lines, "\n")
	recorded(t, snap, out)
	aboutSessions(t, snap, out)
	answers, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(answers, &fields); err != nil {
		t.Fatal(err)
	}
	if s.Agents.Apart > 0 { // some messages of agents are in other transcripts
		delete(fields, "agents")
	}
	if slices.ContainsFunc(snap.Sessions(), func(se model.Session) bool { return se.Count == 0 }) {
		delete(fields, "models") // includes the model of an evaluation without messages
	}
	for name, v := range fields {
		if written < s.Sessions && slices.Contains(ofSessions, name) {
			continue
		}
		if !slices.Contains(ofTheFile, name) {
			out["stats."+name] = string(v)
		}
	}
	return out
}

// ofTheFile are the answers of stats about the file instead of the session: its format, records
// that are not messages, and sizes as recorded.
var ofTheFile = []string{"format", "events", "unreadable_records", "largest", "rewound_messages", "rewound_tool_calls", "rewound_usage", "branch_messages", "compactions"}

// ofSessions are the answers of stats that include sessions without messages.
var ofSessions = []string{"sessions", "outcome", "usage", "recorded_cost_usd"}

// aboutSessions adds what lists show of the sessions: their recorded fields, titles and ends.
func aboutSessions(t *testing.T, snap *model.Snapshot, out map[string]string) {
	t.Helper()
	titles, ends := model.NewTitles(snap, nil), snap.Endings()
	var fields, names, how []string
	for n := range snap.Sessions() {
		se := &snap.Sessions()[n]
		if se.Count == 0 {
			continue
		}
		for _, name := range model.AboutNames {
			if v := se.Field(name); v != "" {
				fields = append(fields, name+" "+v)
			}
		}
		names = append(names, titles.Of(t.Context(), n))
		e := &ends[n]
		how = append(how, fmt.Sprint(e.State, " ", e.Reason, " ", e.Ended, " ", e.Score, " ", e.Scored, " ", e.Turn, " ", e.Due))
	}
	out["fields"], out["titles"], out["ends"] = strings.Join(fields, "\n"), strings.Join(names, "\n"), strings.Join(how, "\n")
}

// recorded adds the recorded times, models and usage of messages, the durations of calls, and the
// blocks of answers.
func recorded(t *testing.T, snap *model.Snapshot, out map[string]string) {
	t.Helper()
	var times, models, usage, took []string
	for pos := range snap.Len() {
		id := snap.At(pos)
		h := snap.HeadRow(id)
		if h.Time != 0 {
			times = append(times, fmt.Sprint(pos, " ", h.Time))
		}
		if name := snap.Name(h.Name); h.Role == model.Assistant && name != "" {
			models = append(models, fmt.Sprint(pos, " ", name))
		}
		if u, ok := snap.Tokens(id); ok {
			missed := snap.Name(u.Missed)
			u.Missed = 0 // an index into the names of this snapshot
			usage = append(usage, fmt.Sprintf("%d %+v %s", pos, u, missed))
		}
	}
	for i := range snap.CallCount() {
		c := snap.Call(model.CallID(i))
		if d, ok := c.Duration(); ok && c.Flags&model.TookDerived == 0 && (c.Msg != model.NoID && snap.Pos(c.Msg) >= 0 || c.Result != model.NoID && snap.Pos(c.Result) >= 0) {
			took = append(took, fmt.Sprint(snap.Name(c.Tool), " ", d))
		}
	}
	slices.Sort(took)
	out["blocks"] = strings.Join(blocksOfAnswers(t, snap), "\n")
	out["times"], out["models"] = strings.Join(times, "\n"), strings.Join(models, "\n")
	out["usage"], out["took"] = strings.Join(usage, "\n"), strings.Join(took, "\n")
}

// blocksOfAnswers returns the kinds of the blocks of each answer in order, with the reason why
// reasoning has no text.
func blocksOfAnswers(t *testing.T, snap *model.Snapshot) (out []string) {
	t.Helper()
	for pos := range snap.Len() {
		m, err := snap.Body(t.Context(), snap.At(pos))
		if err != nil {
			t.Fatal(err)
		}
		if m.Role != model.Assistant {
			continue
		}
		line := fmt.Sprint(pos)
		for i := range m.Blocks {
			switch b := &m.Blocks[i]; {
			case b.Kind == model.Reasoning && b.Text == "":
				line += " reasoning " + describe.NoReasoning(b)
			case b.Kind != model.Words || !b.Null:
				line += " " + b.Kind.String()
			}
		}
		out = append(out, line)
	}
	return out
}

// changed returns the names of the numbers that a round trip through JSON changes, and how.
func changed(t *testing.T, snap *model.Snapshot) (names []string, how string) {
	t.Helper()
	out, _ := writtenAs(t, "json", exporttest.Everything(snap), export.Options{})
	back := exporttest.ReadBack(t, "run.json", out)
	if back == nil {
		return []string{"all"}, "it is no transcript"
	}
	want, got := numbers(t, snap), numbers(t, back)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			names = append(names, name)
			how += fmt.Sprintf("%s: %s\n", name, modeltest.FirstDifference(got[name], want[name]))
		}
	}
	return names, how
}

// TestSampleReadsBackTheSame writes the samples of all formats as JSON and reads them back: stats
// and the work log are the same.
func TestSampleReadsBackTheSame(t *testing.T) {
	exporttest.EachSample(t, func(t *testing.T, snap *model.Snapshot) {
		names, how := changed(t, snap)
		_, sample, _ := strings.Cut(t.Name(), "/")
		if got, why := strings.Join(names, " "), sampleDiffers[sample]; got != why.numbers {
			t.Errorf("%s differ, not %q (%s)\n%s", got, why.numbers, why.why, how)
		}
	})
}

// TestCorpusReadsBackTheSame is TestSampleReadsBackTheSame for real transcripts.
func TestCorpusReadsBackTheSame(t *testing.T) {
	exporttest.EachOfCorpus(t, func(t *testing.T, snap *model.Snapshot) {
		if snap.Len() == 0 {
			return
		}
		names, how := changed(t, snap)
		why := differs[path.Base(t.Name())]
		if got := strings.Join(names, " "); got != "" && got != why.numbers {
			t.Errorf("%s differ, not %q (%s)\n%s", got, why.numbers, why.why, how)
		}
	})
}

// TestJSONCountsWhatItLeaves checks that the export reports all that a list of messages omits.
func TestJSONCountsWhatItLeaves(t *testing.T) {
	for sample, want := range map[string]string{
		"qwen-code/session.jsonl":   "3 events left out; raw has all\n2 records of other branches left out; raw has all",
		"tau-bench/airline.json":    "4 events left out; raw has all\n1 session without messages left out; raw has all",
		"codex/rollout-child.jsonl": "1 damaged record left out; raw has all\n24 events left out; raw has all\n4 records that were taken back left out; raw has all",
		"claude-code/session.jsonl": "1 damaged record left out; raw has all\n17 events left out; raw has all\n4 records of subagents in other transcripts left out",
		"openai/array.json":         "1 failed result without is_error: only the text or a later result shows the failure",
	} {
		snap := exporttest.Detected(t, "../../testdata/formats/"+sample)
		_, report := writtenAs(t, "json", exporttest.Everything(snap), export.Options{})
		if got := strings.Join(report.Notes, "\n"); got != want {
			t.Errorf("%s:\n%s\nnot\n%s", sample, got, want)
		}
	}
}

// TestDictHasEachMessage: the original records with metadata have one entry for each message, and
// their tokens add up to those of the session.
func TestDictHasEachMessage(t *testing.T) {
	each := func(t *testing.T, snap *model.Snapshot) {
		out, _ := writtenAs(t, "dict", exporttest.Everything(snap), export.Options{Counter: querytest.WordCounter()})
		var entries []map[string]any
		if err := json.Unmarshal([]byte(out), &entries); err != nil {
			t.Fatal(err)
		}
		tokens := 0.0
		for _, entry := range entries {
			added, _ := cmp.Or(entry["_export_metadata"], entry["_metadata"]).(map[string]any)
			n, _ := added["token_count"].(float64)
			tokens += n
		}
		stats, err := summary.Stats(t.Context(), query.Everything(snap), querytest.WordCounter())
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) != snap.Len() || int64(tokens) != *stats.TotalTokens {
			t.Errorf("%d entries of %d messages, %v tokens of %d", len(entries), snap.Len(), tokens, *stats.TotalTokens)
		}
	}
	exporttest.EachSample(t, each)
	if os.Getenv("TURNS_CORPUS") != "" {
		exporttest.EachOfCorpus(t, each)
	}
}

// TestReasonOfAnEndedTurnEnds: a session that continued after a recorded end shows the reason of
// its new end, not of the old one.
func TestReasonOfAnEndedTurnEnds(t *testing.T) {
	snap := exporttest.Detected(t, "../../testdata/formats/cursor/transcript.jsonl")
	if e := snap.Endings()[0]; e.State != model.RunFailed || e.Reason != "API error" {
		t.Errorf("%v: %s", e.State, e.Reason)
	}
}
