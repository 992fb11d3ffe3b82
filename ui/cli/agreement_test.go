package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/export"
	"turns/export/people"
	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/runs"
	"turns/query/session"
	"turns/query/summary"
)

// answered is what everybody who answers a question says of a transcript.
type answered map[string]map[string]any

func (a answered) say(question, who string, answer any) {
	if a[question] == nil {
		a[question] = map[string]any{}
	}
	a[question][who] = answer
}

// calls are the counts of the calls of a session.
func (a answered) calls(who string, calls, errors, pending int) {
	a.say("calls", who, calls)
	a.say("errors", who, errors)
	a.say("pending", who, pending)
}

// TestAnswersAgree asks everybody who answers a question the same of every sample: what
// lists say of a session, what the commands say, and what the panes of the screen draw.
func TestAnswersAgree(t *testing.T) {
	for _, path := range transcripts(t, "../../testdata") {
		differences(t, path)
	}
	if corpus := os.Getenv("TURNS_CORPUS"); corpus != "" {
		for i, path := range transcripts(t, corpus) {
			if info, err := os.Stat(path); err == nil && info.Size() < 4<<20 && modeltest.Some(i, 10) {
				differences(t, path)
			}
		}
	}
}

// transcripts are the files below a folder that may be transcripts.
func transcripts(t *testing.T, dir string) (paths []string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Ext(path) != ".golden" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func differences(t *testing.T, path string) {
	ctx := context.Background()
	c, err := load.Open(ctx, path, load.Options{Workers: 1})
	if err != nil {
		return // not a transcript
	}
	defer c.Close()
	snap, err := c.Load(ctx)
	if err != nil || snap.Len() == 0 {
		return
	}
	a := answered{}
	askLists(ctx, t, a, path, snap)
	askAnswers(ctx, t, a, snap)
	a.differ(t, path)
}

// differ tells where not all say the same.
func (a answered) differ(t *testing.T, what string) {
	t.Helper()
	for question, said := range a {
		who := slices.Sorted(maps.Keys(said))
		if slices.ContainsFunc(who, func(w string) bool { return said[w] != said[who[0]] }) {
			t.Errorf("%s: %s: %v", what, question, said)
		}
	}
}

// askLists asks what ls and the list of sessions draw, and the session that the screen
// has open.
func askLists(ctx context.Context, t *testing.T, a answered, path string, snap *model.Snapshot) {
	sum, err := load.Summarise(ctx, path)
	if err != nil {
		t.Errorf("%s opens and is not listed: %v", path, err)
		return
	}
	row := session.Of(sum, time.Time{})
	about := snap.Standing(model.Summary{}, 0)
	if sum.Partial { // its counts are lower bounds, and are drawn so
		if row.Messages > about.Messages || row.Tokens < 0 {
			t.Errorf("%s: at least %d messages of %d", path, row.Messages, about.Messages)
		}
		return
	}
	a.say("messages", "list", row.Messages)
	a.say("messages", "screen", about.Messages)
	a.calls("list", row.Calls, row.Errors, row.Pending)
	a.say("ended", "list", session.StateOf(&row.Summary, time.Time{}).String())
	a.say("ended", "screen", session.StateOf(&about, time.Time{}).String())
	a.say("state", "list", row.State().End.State)
	a.say("model", "list", row.Model)
	a.say("model", "screen", about.Model)
	a.say("took", "list", row.Took())
	a.say("took", "screen", (&session.Session{Summary: about}).Took())
	a.say("sessions", "list", row.Sessions)
	a.say("sessions", "screen", about.Sessions)
	a.say("live", "list", session.Live(&row.Summary, time.UnixMilli(sum.Written+1000)))
	about.Written = sum.Written
	for _, later := range []time.Duration{time.Second, 30 * time.Minute, 3 * time.Hour} {
		at := time.UnixMilli(max(sum.Last, 1)).Add(later) // as if it were written when its last record says
		was, now := row.Summary, about
		was.Written, now.Written = max(sum.Last, 1), max(sum.Last, 1)
		question := fmt.Sprintf("stands %v later", later)
		a.say(question, "list", session.StateOf(&was, at).String())
		a.say(question, "screen", session.StateOf(&now, at).String())
	}
	a.say("live", "screen", session.Live(&about, time.UnixMilli(sum.Written+1000)))
	a.say("output tokens", "list", row.Tokens)
	a.say("error share", "list", human.Percent(row.Errors, row.Calls))
	title := model.NewTitles(snap, nil).Whole(ctx)
	a.say("title", "list", row.Title)
	a.say("title", "parts", title)
}

// askAnswers asks the commands, and the panes that draw the same answers.
func askAnswers(ctx context.Context, t *testing.T, a answered, snap *model.Snapshot) {
	sel, turns := query.Everything(snap), query.NewTurnIndex(snap)
	stats, err := summary.Stats(ctx, sel, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.say("messages", "stats", stats.TotalMessages)
	a.calls("stats", stats.ToolCalls, stats.ToolErrors, stats.PendingCalls)
	a.say("turns", "stats", stats.Turns)
	a.say("state", "stats", stats.Outcome.State)
	a.say("sessions", "stats", stats.Sessions)
	if model := snap.Standing(model.Summary{}, 0).Model; stats.Responses > 0 && len(snap.Sessions()) == 1 && model != "" {
		a.say("model is listed", "screen", true)
		a.say("model is listed", "stats", slices.Contains(stats.Models, model))
	}
	a.say("error share", "stats", human.Percent(stats.ToolErrors, stats.ToolCalls))
	output := int64(0)
	if stats.Usage.Output != nil {
		output = *stats.Usage.Output
	}
	a.say("output tokens", "stats", output)
	a.say("took", "stats", time.Duration(stats.LastTime-stats.FirstTime)*time.Millisecond)
	cost := summary.Costs(sel, turns, summary.CostOptions{})
	if stats.Cost != nil && cost.Session == nil {
		a.say("recorded cost", "stats", fmt.Sprintf("%.6f", *stats.Cost))
		a.say("recorded cost", "cost", fmt.Sprintf("%.6f", cost.Total.Dollars))
	}

	tools := summary.ToolSummary(sel, nil)
	calls, errors, pending := 0, 0, 0
	for _, tool := range append(slices.Clone(tools.Tools), tools.InAgents...) {
		if !tool.Apart {
			calls, errors, pending = calls+tool.Calls, errors+tool.Errors, pending+tool.Pending
		}
	}
	a.say("calls in agents", "stats", stats.Agents.Calls)
	a.say("calls in agents", "tools", tools.Agents.Calls)
	a.say("errors in agents", "stats", stats.Agents.Errors)
	a.say("errors in agents", "tools", tools.Agents.Errors)
	a.calls("tools", calls, errors, pending)
	timeline := summary.Turns(sel, turns)
	calls, errors, pending = 0, 0, 0
	for i := range timeline.Turns {
		turn := &timeline.Turns[i]
		calls, errors, pending = calls+turn.Calls+turn.AgentCalls, errors+turn.Errors+turn.AgentErrs, pending+turn.Pending+turn.AgentPend
	}
	a.say("turns", "timeline", len(timeline.Turns))
	a.calls("timeline", calls, errors, pending)

	problems, err := check(ctx, sel, "")
	if err != nil {
		t.Fatal(err)
	}
	a.say("messages", "check", problems.Messages)
	if snap.Len() < 200 { // the lines above do not depend on how much there is
		askExports(t, a, sel, stats)
	}

	log, err := summary.WorkLog(ctx, describe.NewView(sel, nil), turns, summary.WorkLogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	a.calls("log", log.Len()-log.Copied-log.Orphans, log.Failure, log.Pending)

	threads, err := runs.Conversations(ctx, "", snap, nil)
	if err != nil {
		t.Fatal(err)
	}
	day := runs.DayShare{}
	for _, c := range threads {
		for _, d := range c.Days {
			day.Messages, day.Turns, day.Calls, day.Errors = day.Messages+d.Messages, day.Turns+d.Turns, day.Calls+d.Calls, day.Errors+d.Errors
		}
	}
	a.say("messages", "threads", day.Messages)
	a.say("turns", "threads", day.Turns)
	a.say("calls", "threads", day.Calls)
	a.say("errors", "threads", day.Errors)
	if len(threads) == 1 {
		a.say("title of one", "threads", threads[0].Title)
		a.say("title of one", "parts", human.OneLine(model.NewTitles(snap, nil).Of(ctx, threads[0].Session), describe.LineMax))
		a.say("took of one", "threads", time.Duration(threads[0].End-threads[0].Start)*time.Millisecond)
		if len(snap.Sessions()) == 1 {
			a.say("took of one", "stats", time.Duration(stats.LastTime-stats.FirstTime)*time.Millisecond)
		}
		a.say("state", "threads", threads[0].Outcome.State)
	}
}

// askExports asks the lines that stand above an export.
func askExports(t *testing.T, a answered, sel query.Selection, stats *summary.StatsAnswer) {
	want := human.Plural(stats.TotalMessages, "message") + " ("
	said := ""
	if stats.ToolCalls > 0 {
		said += ", " + human.Plural(stats.ToolCalls, "tool call")
	}
	if stats.ToolErrors > 0 {
		said += ", " + human.Plural(stats.ToolErrors, "error")
	}
	a.say("overview", "stats", want+")"+said)
	type write = func(context.Context, io.Writer, describe.View, export.Options) (export.Report, error)
	for name, write := range map[string]write{"markdown": people.WriteMarkdown, "text": people.WriteText, "html": people.WriteHTML} {
		var b bytes.Buffer
		if _, err := write(t.Context(), &b, describe.NewView(sel, nil), export.Options{}); err != nil {
			t.Fatal(err)
		}
		_, line, _ := strings.Cut(b.String(), want)
		line, _, _ = strings.Cut(line, "\n")
		line, _, _ = strings.Cut(line, "<")
		roles, rest, _ := strings.Cut(line, ")")
		if roles == "" {
			rest = line
		}
		a.say("overview", name, want+")"+rest)
	}
}

// otherForms are ways to write durations, shares and large numbers that are not those of
// package human.
var otherForms = regexp.MustCompile(`\d%|\d\.\d\d+ %|\b\d+h\d+m\d+s|\b\d+m\d(\.\d+)?s\b|\b\d+ ?(ms|secs?|seconds|mins?|minutes|hours)\b|\b\d{2,}\.\d\d+s\b| \d{5,} (messages|tokens|calls|rows)`)

// quotes is a line that tells a call as it was recorded: its id, its arguments and its result.
var quotes = regexp.MustCompile(`^ +(#\d+ )?[✓✗■⊘◌?] \S+ \S+\(`)

// TestNumbersAreWrittenOneWay looks for numbers in other forms in what commands print.
func TestNumbersAreWrittenOneWay(t *testing.T) {
	for _, sample := range []string{"demo.jsonl", "formats/claude-code/session.jsonl", "formats/codex/rollout-child.jsonl", "formats/inspect/log.json"} {
		path := "../../testdata/" + sample
		for _, args := range [][]string{{"stats", "--no-tokens", path}, {"tools", "--no-tokens", path}, {"cost", path}, {"timeline", path}, {"ls", path}, {"check", path}} {
			_, out, _ := run(t, "", args...)
			for line := range strings.Lines(out) {
				if !quotes.MatchString(line) && otherForms.MatchString(line) {
					t.Errorf("%v: %q", args, line)
				}
			}
		}
	}
}
