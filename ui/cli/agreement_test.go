package cli

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/lanes"
	"turns/query/many"
	"turns/query/runs"
	"turns/query/session"
	"turns/query/summary"
	"turns/query/window"
	"turns/themes"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/sessions"
)

// answered contains the answers of all sources about a transcript, by question and source.
type answered map[string]map[string]any

func (a answered) say(question, who string, answer any) {
	if a[question] == nil {
		a[question] = map[string]any{}
	}
	a[question][who] = answer
}

// calls records the call counts of a session.
func (a answered) calls(who string, calls, errors, pending int) {
	a.say("calls", who, calls)
	a.say("errors", who, errors)
	a.say("pending", who, pending)
}

// TestAnswersAgree compares the answers of all sources about every sample: the lists, the commands,
// and the panes of the screen.
func TestAnswersAgree(t *testing.T) {
	t.Parallel()
	h := screen.NewHost(t.Context(), screen.Options{UTC: true})
	h.SetStyles(paint.NewStyles(themes.Default(true), true, 0))
	for _, path := range transcriptFiles(t, "../../testdata") {
		if modeltest.SomeNamed(path, 1) {
			differences(t, h, path)
		}
	}
	if corpus := os.Getenv("TURNS_CORPUS"); corpus != "" {
		for i, path := range transcriptFiles(t, corpus) {
			if info, err := os.Stat(path); err == nil && info.Size() < 4<<20 && modeltest.Some(i, 10) {
				differences(t, h, path)
			}
		}
	}
}

// transcriptFiles returns the files below a folder that may be transcripts.
func transcriptFiles(t *testing.T, dir string) (paths []string) {
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

func differences(t *testing.T, h *screen.Host, path string) {
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
	row, listed := askLists(ctx, t, a, path, snap)
	if listed {
		askDrawn(t, h, a, row)
	}
	stats := askAnswers(ctx, t, a, snap)
	askAgents(t, a, path, stats, listed)
	askRuns(ctx, t, a, snap)
	askCosts(ctx, t, a, snap)
	askContext(t, a, snap, stats)
	if snap.Len() < 200 {
		askLibrary(t, a, path)
	}
	a.differ(t, path)
}

// differ reports the questions with different answers.
func (a answered) differ(t *testing.T, what string) {
	t.Helper()
	for question, said := range a {
		who := slices.Sorted(maps.Keys(said))
		if slices.ContainsFunc(who, func(w string) bool { return said[w] != said[who[0]] }) {
			t.Errorf("%s: %s: %v", what, question, said)
		}
	}
}

// askLists records the rows of ls and the session list, and the state of the open session. ok
// reports whether the counts of the row are exact.
func askLists(ctx context.Context, t *testing.T, a answered, path string, snap *model.Snapshot) (row session.Session, ok bool) {
	sum, err := load.Summarise(ctx, path)
	if err != nil {
		t.Errorf("%s opens and is not listed: %v", path, err)
		return row, false
	}
	row = session.Of(sum, time.Time{})
	about := snap.Standing(model.Summary{}, 0)
	if sum.Partial { // its counts are lower bounds, and drawn as such
		if row.Messages > about.Messages || row.Tokens < 0 {
			t.Errorf("%s: at least %d messages of %d", path, row.Messages, about.Messages)
		}
		return row, false
	}
	a.say("messages", "list", row.Messages)
	a.say("messages", "screen", about.Messages)
	a.calls("list", row.Calls, row.Errors, row.Pending)
	a.say("model errors", "list", row.Failed)
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
		// as if the file had been written at its last record
		at := time.UnixMilli(max(sum.Last, 1)).Add(later)
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
	return row, true
}

// askDrawn records the cells drawn in the session list, and the other answers in the same form.
func askDrawn(t *testing.T, h *screen.Host, a answered, row session.Session) {
	d := sessions.New(h, &sessions.Memory{})
	row.Written = 0 // a finished file
	d.All, d.Loaded = []session.Session{row}, true
	d.Narrow()
	lines := d.Render(300, 12)
	heads := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "title or first prompt") })
	rows := len(lines) - 1
	for rows > 0 && strings.TrimSpace(lines[rows]) == "" {
		rows--
	}
	if heads < 0 || rows <= heads {
		t.Errorf("%s is not drawn: %q", row.Path, lines)
		return
	}
	head := ansi.Strip(lines[heads])
	for _, c := range session.Columns(false, "messages", "tokens", "errors", "duration") {
		end := strings.Index(head, " "+c.Head) + len(c.Head) + 1
		a.say(c.Name+" drawn", "screen", strings.TrimSpace(ansi.Strip(ansi.Cut(lines[rows], end-c.Width, end))))
	}
	end, _, _ := strings.Cut(strings.TrimSpace(ansi.Strip(ansi.Cut(lines[rows], strings.Index(head, " end"), 300))), " passed")
	st := session.StateOf(&row.Summary, time.Time{})
	words, end := cmp.Or(st.String(), human.NotSaid), strings.TrimSpace(end)
	if part, cut := strings.CutSuffix(end, "…"); cut && strings.HasPrefix(words, part) {
		end = words
	}
	a.say("end drawn", "screen", end)
	a.say("end drawn", "ended", words)
	if st.Judged > 0 {
		a.say("end drawn", "ended", human.Count(st.Passed)+" of "+human.Count(st.Judged))
	}
}

// drawn formats a number for a cell, or none if a list draws a word for a missing number.
func drawn(n int64, none string, as func(int64) string) string {
	if n <= 0 {
		return none
	}
	return as(n)
}

// askAnswers records the answers of the commands, and of the panes that draw them.
func askAnswers(ctx context.Context, t *testing.T, a answered, snap *model.Snapshot) *summary.StatsAnswer {
	sel, turns := query.Everything(snap), query.NewTurnIndex(snap)
	stats, err := summary.Stats(ctx, sel, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.say("messages", "stats", stats.TotalMessages)
	a.calls("stats", stats.ToolCalls, stats.ToolErrors, stats.PendingCalls)
	a.say("model errors", "stats", stats.ModelErrors)
	a.say("turns", "stats", stats.Turns)
	a.say("state", "stats", stats.Outcome.State)
	a.say("sessions", "stats", stats.Sessions)
	if model := snap.Standing(model.Summary{}, 0).Model; model != "" {
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
	if cost := summary.Costs(sel, turns, summary.CostOptions{}).Whole(); stats.Cost != nil || cost.Dollars > 0 {
		a.say("recorded cost", "stats", dollars(stats.Cost))
		a.say("recorded cost", "cost", dollars(&cost.Dollars))
	}
	if a["messages drawn"] != nil {
		a.say("messages drawn", "stats", human.Short(int64(stats.TotalMessages)))
		tokens := human.NotSaid
		if output+stats.UnrecordedOutput > 0 {
			tokens, _ = stats.OutputText()
		}
		a.say("tokens drawn", "stats", tokens)
		a.say("errors drawn", "stats", drawn(int64(stats.ToolErrors+stats.ModelErrors), human.Zero, human.Count[int64]))
		a.say("duration drawn", "stats", drawn(int64(stats.LastTime-stats.FirstTime), human.NotSaid, func(n int64) string { return human.Took(time.Duration(n) * time.Millisecond) }))
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
	turnsExplainOutput(t, a, timeline, stats)
	a.calls("timeline", calls, errors, pending)

	if shown, err := lanes.Of(ctx, sel); err != nil {
		t.Fatal(err)
	} else if rows := shown.Doc().Sections[len(shown.Doc().Sections)-1].Table; len(snap.Threads()) == 1 && rows != nil {
		cells := rows.Rows[0].Cells
		a.say("calls in a lane", "lanes", cells[5].Text)
		a.say("calls in a lane", "stats", human.OrDot(stats.ToolCalls, human.Count))
		a.say("errors in a lane", "lanes", cells[6].Text)
		a.say("errors in a lane", "stats", human.OrDot(stats.ToolErrors, human.Count))
	}

	problems, err := checkSession(ctx, sel, "")
	if err != nil {
		t.Fatal(err)
	}
	a.say("messages", "check", problems.Messages)
	orphans := 0
	for _, tool := range slices.Concat(tools.Tools, tools.InAgents) {
		if tool.Orphan && !tool.Apart {
			orphans += len(tool.Rows)
		}
	}
	a.say("orphans", "stats", stats.OrphanResults)
	a.say("orphans", "tools", orphans)
	orphans = 0
	for i := range timeline.Turns {
		orphans += timeline.Turns[i].Orphans
	}
	a.say("orphans", "timeline", orphans)
	if snap.Len() < 200 { // the lines above do not depend on the size
		askExports(t, a, sel, stats)
		askRows(t, a, sel)
		askShow(t, a, sel, stats)
	}

	log, err := summary.WorkLog(ctx, describe.NewView(sel, nil), turns, summary.WorkLogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	a.say("orphans", "log", log.Orphans)
	a.calls("log", log.Len()-log.Copied-log.Orphans-scriptsOf(log), log.Failure, log.Pending)

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
		a.say("title of one", "threads", string(threads[0].Title))
		a.say("title of one", "parts", human.OneLine(model.NewTitles(snap, nil).Of(ctx, threads[0].Session), describe.LineMax))
		a.say("took of one", "threads", time.Duration(threads[0].End-threads[0].Start)*time.Millisecond)
		if len(snap.Sessions()) == 1 {
			a.say("took of one", "stats", time.Duration(stats.LastTime-stats.FirstTime)*time.Millisecond)
		}
		if stats.Sessions == 1 { // the last one may have failed before its first message
			a.say("state", "threads", threads[0].Outcome.State)
		}
	}
	return stats
}

// turnsExplainOutput checks that the turns add up to the output tokens of the session, or that
// their heading has the number of tokens outside of them.
func turnsExplainOutput(t *testing.T, a answered, timeline *summary.TimelineAnswer, stats *summary.StatsAnswer) {
	t.Helper()
	sum, whole := int64(0), int64(0)
	for i := range timeline.Turns {
		if n := timeline.Turns[i].Usage.Output; n != nil {
			sum += *n
		}
	}
	if stats.Usage.Output != nil {
		whole = *stats.Usage.Output
	}
	timeline.Compare(stats)
	head, _, _ := strings.Cut(timeline.Doc().String(), "\n")
	explained := strings.Contains(head, " in turns, "+human.Short(whole)+" for the session")
	a.say("output of turns is explained", "stats", true)
	a.say("output of turns is explained", "timeline", human.Short(sum) == human.Short(whole) || len(timeline.Turns) == 0 || explained)
}

func dollars(d *float64) string {
	if d == nil {
		return "not said"
	}
	return fmt.Sprintf("%.6f", *d)
}

// askRuns records the answers of comparisons and sums.
func askRuns(ctx context.Context, t *testing.T, a answered, snap *model.Snapshot) {
	sel := query.Everything(snap)
	both, err := runs.Diff(ctx, runs.DiffRun{Selection: sel}, runs.DiffRun{Selection: sel})
	if err != nil {
		t.Fatal(err)
	}
	d := &both.A
	a.say("messages", "diff", d.Messages)
	a.say("calls", "diff", d.Calls)
	a.say("errors", "diff", d.Errors)
	a.say("turns", "diff", d.Turns)
	a.say("state", "diff", d.Outcome)
	a.say("took", "diff", time.Duration(d.Took)*time.Millisecond)
	if a["recorded cost"] != nil {
		a.say("recorded cost", "diff", dollars(d.Cost))
	}
	if d.Model != "" {
		a.say("model is listed", "diff", true)
	}
	run, err := many.NewRun(ctx, sel, session.Session{}, many.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a.say("messages", "sum", int(run.N[many.Messages]))
	a.calls("sum", int(run.N[many.Calls]), int(run.N[many.Errors]), int(run.N[many.Pending]))
	a.say("turns", "sum", int(run.N[many.Turns]))
	if a["recorded cost"] != nil && run.Dollars > 0 {
		a.say("recorded cost", "sum", dollars(&run.Dollars))
	}
}

// askCosts records the cost of the session with a price for each of its models.
func askCosts(ctx context.Context, t *testing.T, a answered, snap *model.Snapshot) {
	sel, turns, prices := query.Everything(snap), query.NewTurnIndex(snap), summary.PriceTable{}
	for id := range model.ID(snap.Rows()) {
		if name := snap.ModelOf(id); name != "" {
			prices[name] = summary.Price{Input: 3, Output: 15, CacheRead: 0.3, HasCacheRead: true}
		}
	}
	costs := summary.Costs(sel, turns, summary.CostOptions{Prices: prices})
	if !costs.Whole().Known() {
		return
	}
	a.say("cost", "cost", costs.Whole().String())
	stats := &summary.StatsAnswer{}
	stats.Price(costs)
	cost, _ := stats.CostText()
	a.say("cost", "stats", cost)
	both, err := runs.Diff(ctx, runs.DiffRun{Selection: sel, Prices: prices}, runs.DiffRun{Selection: sel})
	if err != nil {
		t.Fatal(err)
	}
	a.say("cost", "diff", both.A.TotalCost().String())
	run, err := many.NewRun(ctx, sel, session.Session{}, many.Options{Prices: prices})
	if err != nil {
		t.Fatal(err)
	}
	a.say("cost", "sum", summary.Cost{Dollars: run.Dollars, Estimated: run.Estimated, Responses: int(run.N[many.Responses])}.String())
	priced := summary.Turns(sel, turns)
	priced.Price(costs)
	head, _, _ := strings.Cut(priced.Doc().String(), "\n")
	a.say("cost in the head", "cost", true)
	a.say("cost in the head", "timeline", len(priced.Turns) == 0 || strings.Contains(head, costs.Whole().String()))
	// turns do not include these
	if costs.Session == nil && costs.Beyond.Dollars == 0 && costs.Rewound.Dollars == 0 {
		timeline := summary.Turns(sel, turns)
		timeline.Price(costs)
		a.say("cost", "timeline", timeline.Sum().String())
	}
}

// askContext records how full the window was at the last measured response, and the tokens of all
// messages up to the end.
func askContext(t *testing.T, a answered, snap *model.Snapshot, stats *summary.StatsAnswer) {
	column, err := query.CountTokens(t.Context(), query.Everything(snap), &query.Counter{New: func() query.TokenCounter { return letters{} }, Encoding: "letters"})
	if err != nil {
		t.Fatal(err)
	}
	askTokens(t, a, snap, column)
	x := window.NewIndex(snap, column)
	last, measured, cleared := model.NoID, model.NoID, false
	for _, id := range snap.LiveIDs() {
		h := snap.HeadRow(id)
		cleared = cleared || h.Flags&model.Compacted != 0
		if !snap.Threads()[h.Thread].Main {
			continue
		}
		if last = id; h.Role == model.Assistant {
			if _, ok := query.ContextOf(snap, id); ok {
				measured = id
			}
		}
	}
	if stats.Context != nil && measured != model.NoID {
		answer, err := x.Context(measured, window.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a.say("context", "stats", fmt.Sprint(stats.Context.Last, " of ", stats.Context.Window))
		a.say("context", "context", fmt.Sprint(*answer.Measured, " of ", answer.Window))
	}
	if last == model.NoID || cleared || len(snap.Threads()) > 1 {
		return
	}
	answer, err := x.Context(last, window.Options{})
	if err != nil {
		t.Fatal(err)
	}
	counted, err := summary.Stats(t.Context(), query.Everything(snap), &query.Counter{Column: column})
	if err != nil {
		t.Fatal(err)
	}
	if answer.Left == (window.Left{}) && answer.Images.Count == 0 && answer.Role != model.Assistant.String() {
		a.say("tokens", "stats", *counted.TotalTokens)
		a.say("tokens", "context", answer.Counted)
	}
}

// askTokens records the tokens of the calls' arguments. Calls made by scripts count instead of
// their script, and inherited calls in the session that made them: the answers include both notes.
func askTokens(t *testing.T, a answered, snap *model.Snapshot, column *query.TokenColumn) {
	sel := query.Everything(snap)
	stats, err := summary.Stats(t.Context(), sel, &query.Counter{Column: column})
	if err != nil {
		t.Fatal(err)
	}
	tools := summary.ToolSummary(sel, column)
	args := int64(0)
	for _, tool := range slices.Concat(tools.Tools, tools.InAgents) {
		if !tool.Apart && tool.ArgsTokens != nil {
			args += *tool.ArgsTokens
		}
	}
	if stats.Scripts.Calls == 0 && stats.Inherited.Calls == 0 {
		a.say("argument tokens", "stats", stats.TokensByKind.Arguments)
		a.say("argument tokens", "tools", args)
	}
}

// letters counts one token per byte.
type letters struct{}

func (letters) Count(text []byte) int { return len(text) }

// TestNumbersAreWrittenOneWay looks for numbers in other forms in the output of commands.
func TestNumbersAreWrittenOneWay(t *testing.T) {
	for i, sample := range []string{"demo.jsonl", "formats/claude-code/session.jsonl", "formats/codex/rollout-child.jsonl", "formats/inspect/log.json"} {
		if !modeltest.Some(i, 1) {
			continue
		}
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

// scriptsOf counts the scripts among the log entries: their calls count instead.
func scriptsOf(log *summary.WorkLogAnswer) (n int) {
	for i := range log.Entries {
		if log.Entries[i].Script {
			n++
		}
	}
	return n
}
