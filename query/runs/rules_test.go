package runs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/changes"
	"turns/query/human"
	"turns/query/querytest"
)

// TestTasksOfSessions: the recorded task by each of its names, with the title of its evaluation, or
// the task in the name of the file.
func TestTasksOfSessions(t *testing.T) {
	fields := func(pairs ...string) (list []model.KeyValue) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, model.KeyValue{Name: pairs[i], Value: pairs[i+1]})
		}
		return list
	}
	for _, c := range []struct {
		name  string
		whole model.Session // the first session of the file
		own   *model.Session
		want  string
	}{
		{"task_id", model.Session{Fields: fields("task_id", "a")}, nil, "a"}, {"instance_id", model.Session{Fields: fields("instance_id", "a")}, nil, "a"},
		{"sample_id", model.Session{Fields: fields("sample_id", "a")}, nil, "a"}, {"problem_id", model.Session{Fields: fields("problem_id", "a")}, nil, "a"},
		{"the first name", model.Session{Fields: fields("problem_id", "b", "task_id", "a")}, nil, "a"},
		{"none", model.Session{Fields: fields("title", "a")}, nil, ""},
		{"own title", model.Session{Fields: fields("title", "E", "task_id", "1")}, nil, "1"},
		{"of an evaluation", model.Session{Fields: fields("title", "E")}, &model.Session{Fields: fields("task_id", "1")}, "E 1"},
		{"of an evaluation without a title", model.Session{}, &model.Session{Fields: fields("task_id", "1")}, "1"},
		{"next to a session", model.Session{Count: 1, Fields: fields("title", "E")}, &model.Session{Fields: fields("task_id", "1")}, "1"},
	} {
		g := querytest.NewGrowing()
		g.Ix.Sessions = []model.Session{c.whole}
		n := 0
		if c.own != nil {
			g.Ix.Sessions, n = append(g.Ix.Sessions, *c.own), 1
		}
		s := g.Snapshot()
		if got := Task(s, &s.Sessions()[n], "x.json"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for _, c := range []struct{ format, path, want string }{
		{"swe-agent", "runs/astropy-1.traj", "astropy-1"}, {"mini-swe-agent", `runs\astropy-1.traj.json`, "astropy-1"}, {"swe-agent", "astropy-1.json", ""},
		{"atif", "jobs/task__abcdefg/agent/t.json", "task"}, {"atif", "jobs/task__abcdef/t.json", ""}, {"atif", "jobs/task__abcdefgh/t.json", ""},
		{"atif", "jobs/__abcdefg/t.json", ""}, {"atif", "a__abcdefg/__abcdefg/t.json", "a"}, {"atif", "a__abcdefg/b__abcdefg/t.json", "b"}, {"openai", "task__abcdefg/t.json", ""},
	} {
		if got := taskOfPath(c.format, c.path); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.path, c.format, got, c.want)
		}
	}
}

// TestFlipsOfTasks: a task is fixed or broken if at least half of its trials pass on one side only.
func TestFlipsOfTasks(t *testing.T) {
	runs := func(scores ...float64) (list []RunInfo) {
		for i, score := range scores {
			list = append(list, RunInfo{Path: fmt.Sprint(i), Task: "t", Totals: DiffTotals{Score: new(score)}})
		}
		return list
	}
	for _, c := range []struct {
		a, b []float64
		flip string
		rank int
	}{
		{[]float64{0}, []float64{1}, "fixed", 1}, {[]float64{1}, []float64{0}, "broken", 0}, {[]float64{1}, []float64{1}, "", 2}, {[]float64{0}, []float64{0}, "", 2},
		{[]float64{0, 0, 1}, []float64{0, 1}, "fixed", 1}, {[]float64{0, 1}, []float64{0, 0, 1}, "broken", 0}, {[]float64{0, 1}, []float64{0, 1}, "", 2},
		{[]float64{1}, nil, "", 3}, {nil, []float64{1}, "", 3}, {[]float64{0}, []float64{0.1}, "fixed", 1},
	} {
		d := DiffDirs(runs(c.a...), runs(c.b...))
		if got := d.Tasks[0].Flip; got != c.flip || flipRank(&d.Tasks[0]) != c.rank {
			t.Errorf("scores %v and %v: %q, rank %d; want %q, %d", c.a, c.b, got, flipRank(&d.Tasks[0]), c.flip, c.rank)
		}
		fixed, broken := 0, 0
		if c.flip == "fixed" {
			fixed = 1
		}
		if c.flip == "broken" {
			broken = 1
		}
		if d.Fixed != fixed || d.Broken != broken {
			t.Errorf("scores %v and %v: %d fixed, %d broken", c.a, c.b, d.Fixed, d.Broken)
		}
	}
	for _, c := range []struct {
		state          model.RunState
		scores         bool
		passed, judged bool
	}{{model.RunFinished, false, true, true}, {model.RunFinished, true, false, false}, {model.RunFailed, true, false, true}, {model.RunFailed, false, false, true}, {model.RunUnknown, false, false, false}} {
		r := RunInfo{Totals: DiffTotals{Outcome: c.state}}
		if passed, judged := r.passed(c.scores); passed != c.passed || judged != c.judged {
			t.Errorf("%v with scores %v: passed %v, judged %v", c.state, c.scores, passed, judged)
		}
	}
}

// TestSubstance: other lines of the same file are no other work; another tool or outcome is.
func TestSubstance(t *testing.T) {
	side := func(tool, text, file, outcome string) *DiffSide {
		return &DiffSide{Tool: human.TextOrNull(tool), Text: text, file: file, Outcome: human.TextOrNull(outcome)}
	}
	for _, c := range []struct {
		name string
		r    DiffRow
		want bool
	}{
		{"the same", DiffRow{How: DiffSame, A: side("a", "x", "", ""), B: side("b", "y", "", "")}, false},
		{"only one", DiffRow{How: DiffAdded, B: side("a", "x", "", "")}, true},
		{"other text", DiffRow{How: DiffArgs, A: side("a", "x", "", ""), B: side("a", "y", "", "")}, true},
		{"the same text", DiffRow{How: DiffArgs, A: side("a", "x", "", ""), B: side("a", "x", "", "")}, false},
		{"other lines of a file", DiffRow{How: DiffArgs, A: side("a", "f:1", "f", ""), B: side("a", "f:2", "f", "")}, false},
		{"another file", DiffRow{How: DiffArgs, A: side("a", "x", "f", ""), B: side("a", "x", "g", "")}, true},
		{"another tool", DiffRow{How: DiffArgs, A: side("a", "x", "", ""), B: side("b", "x", "", "")}, true},
		{"another outcome", DiffRow{How: DiffArgs, A: side("a", "x", "", ""), B: side("a", "x", "", "failure")}, true},
	} {
		if got := c.r.substantial(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	d := DiffAnswer{Rows: []DiffRow{{A: side("", "one", "", "")}, {A: side("", "two", "", "")}}}
	if got := d.nextSide(1, func(r *DiffRow) *DiffSide { return r.B }); got.short() != "the end" {
		t.Errorf("after the last item comes %q", got.short())
	}
}

// TestQuestions: the last line of a text with words, and whether it asks.
func TestQuestions(t *testing.T) {
	for line, want := range map[string]bool{"Shall I?": true, "Shall I?** ": true, "好吗？": true, "Why? Because.": true, "Done.": false, "see [why? here](url)": false, "a?b": false, "": false} {
		if asks(line) != want {
			t.Errorf("%q asks: %v, want %v", line, !want, want)
		}
	}
	for text, want := range map[string]string{"one": "one", "one\ntwo\n\n": "two", "one\n```\n": "one", "```": "", "": "", "\n \n": ""} {
		if got := lastLine(text); got != want {
			t.Errorf("the last line of %q is %q, want %q", text, got, want)
		}
	}
}

// TestMovedConversations: a transcript with another name has it in all its threads, and the
// original does not change.
func TestMovedConversations(t *testing.T) {
	list := []Conversation{
		{Source: "a", Open: []OpenThread{{Source: "a"}, {Source: "b"}}, Days: []DayShare{{}}, Recorded: &Recorded{Open: []OpenThread{{Source: "a"}}}},
		{Source: "b", Days: []DayShare{{}}}, {Source: "a"},
	}
	moved := MoveConversations(list, "a", "c")
	if moved[0].Source != "c" || moved[1].Source != "b" || moved[2].Source != "c" || moved[0].Open[0].Source != "c" || moved[0].Open[1].Source != "b" || moved[0].Recorded.Open[0].Source != "c" {
		t.Errorf("%+v", moved)
	}
	if moved[1].Open == nil || moved[2].Open != nil || moved[1].Days[0].Tools == nil || moved[1].Days[0].Files == nil || moved[1].Days[0].Moments == nil || moved[1].Recorded != nil {
		t.Errorf("lists without items: %+v", moved[1:])
	}
	if list[0].Source != "a" || list[0].Open[0].Source != "a" || list[0].Recorded.Open[0].Source != "a" {
		t.Errorf("the original has changed: %+v", list)
	}
}

// TestJoinedDays: the first prompt of a day is that of the earliest session, the last one of the
// latest.
func TestJoinedDays(t *testing.T) {
	for _, c := range []struct {
		name        string
		parts       []DayShare
		first, last human.TextOrNull
		start, end  human.Stamp
	}{
		{"in order", []DayShare{{Start: 10, End: 20, First: "a", Last: "b"}, {Start: 30, End: 40, First: "c", Last: "d"}}, "a", "d", 10, 40},
		{"the other way", []DayShare{{Start: 30, End: 40, First: "c", Last: "d"}, {Start: 10, End: 20, First: "a", Last: "b"}}, "a", "d", 10, 40},
		{"at the same time", []DayShare{{Start: 10, End: 20, First: "a", Last: "b"}, {Start: 10, End: 20, First: "c", Last: "d"}}, "a", "d", 10, 20},
		{"without a time", []DayShare{{First: "a", Last: "b"}, {Start: 10, End: 20}}, "a", "b", 10, 20},
		{"then without a time", []DayShare{{Start: 10, End: 20, First: "a", Last: "b"}, {}}, "a", "b", 10, 20},
	} {
		d := Day{DayShare: DayShare{tools: map[string]int{}}}
		for i := range c.parts {
			d.join(&c.parts[i])
		}
		if d.First != c.first || d.Last != c.last || d.Start != c.start || d.End != c.end {
			t.Errorf("%s: %q to %q, %d to %d; want %q, %q, %d, %d", c.name, d.First, d.Last, d.Start, d.End, c.first, c.last, c.start, c.end)
		}
	}
}

// TestScoresOfThreads: a thread loses weight with every day, and one of tomorrow is not listed.
func TestScoresOfThreads(t *testing.T) {
	const day = 86_400_000
	now := human.Stamp(time.Date(2026, 1, 3, 12, 0, 0, 0, time.UTC).UnixMilli())
	for at, want := range map[human.Stamp]string{0: "0.08", now: "8", now - day: "4", now - 3*day: "2", now + 1000: "8", now + day/2 - 1: "8", now + day/2: ""} {
		g := gathering{a: &ContinuityAnswer{Now: now, zone: time.UTC}, today: "2026-01-03"}
		g.open(OpenThread{Time: at, Weight: 8})
		got := ""
		if len(g.a.Open) > 0 {
			got = fmt.Sprint(g.a.Open[0].Score)
		}
		if got != want {
			t.Errorf("a thread %d hours ago has the score %q, want %q", (now-at)/3_600_000, got, want)
		}
	}
}

// TestTextOfToday: each part of the day that there is, and none without a value.
func TestTextOfToday(t *testing.T) {
	files := func(n int) (list []string) {
		for i := range n {
			list = append(list, string(rune('a'+i)))
		}
		return list
	}
	for _, c := range []struct {
		name string
		day  DayShare
		want string // after the first line
	}{
		{"nothing", DayShare{}, ""},
		{"prompts", DayShare{First: "a", Last: "b"}, "first prompt: a\nlast prompt: b\n"},
		{"one prompt", DayShare{First: "a", Last: "a"}, "first prompt: a\n"},
		{"tools", DayShare{Tools: []ToolCount{{Tool: "Bash", Calls: 2}}}, "tools: Bash 2\n"},
		{"eight files", DayShare{Files: files(8)}, "files: a, b, c, d, e, f, g, h\n"},
		{"nine files", DayShare{Files: files(9)}, "files: a, b, c, d, e, f, g, h and 1 more\n"},
		{"moments", DayShare{Moments: []KeyMoment{{Kind: "commit", Text: "a", Time: human.Stamp(querytest.T0)}, {Kind: "commit", Text: "b"}}}, "20:41:40 commit: a\ncommit: b\n"},
	} {
		a := ContinuityAnswer{Today: &Day{DayShare: c.day}, zone: time.UTC}
		if _, got, _ := strings.Cut(a.TodayText(), "\n"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for n, want := range map[int]int{16: 0, 17: 1, 18: 2} {
		moments := make([]KeyMoment, n)
		for i := range moments {
			moments[i].Kind = momentError
		}
		skipped := 0
		for _, skip := range passedOver(moments) {
			if skip {
				skipped++
			}
		}
		if skipped != want {
			t.Errorf("of %d errors %d are omitted, want %d", n, skipped, want)
		}
	}
}

// TestRecordsOfDays: a date without its time, and no day without a summary or moments.
func TestRecordsOfDays(t *testing.T) {
	for _, c := range []struct {
		row  query.RecordedRow
		want string
	}{
		{query.RecordedRow{Date: "2026-01-02", Summary: "s"}, "2026-01-02 s"}, {query.RecordedRow{Date: "2026-01-02T10:00:00Z", Summary: "s"}, "2026-01-02 s"},
		{query.RecordedRow{Date: "2026-01", Content: "c"}, "2026-01 c"}, {query.RecordedRow{Date: "2026-01-02"}, ""},
	} {
		r := Recorded{}
		if !r.empty() {
			t.Error("no records are not empty")
		}
		got := ""
		if r.day(&c.row); len(r.Days) > 0 {
			got = fmt.Sprint(r.Days[0].Day, " ", r.Days[0].Summary)
		}
		if got != c.want || r.empty() != (c.want == "") {
			t.Errorf("%+v: %q, empty %v; want %q", c.row, got, r.empty(), c.want)
		}
	}
	for created, want := range map[string]string{"2026-01-01T10:00:00Z": "2026-01-01 10:00", "2026-01-01T10:00:00+02:00": "2026-01-01 08:00", "2026-01-01T10:00:00": "2026-01-01 10:00",
		"2026-01-01 10:00:00": "2026-01-01 10:00", "2026-01-01": "2026-01-01 00:00", "soon": "1970-01-01 00:00"} {
		r := Recorded{}
		r.thread(&query.RecordedRow{Content: "c", Created: created}, "x")
		if got := r.Open[0].Time.Time().Format("2006-01-02 15:04"); got != want || r.empty() {
			t.Errorf("created %s is %s, want %s", created, got, want)
		}
	}
	if r := (Recorded{Open: []OpenThread{{}}}); r.empty() {
		t.Error("a record of a thread is empty")
	}
}

// TestSessionsOfAFile: a session for each conversation with selected messages, with its name or its
// number, and its first prompt.
func TestSessionsOfAFile(t *testing.T) {
	s := model.FromMessages([]model.Message{querytest.Message(model.Assistant, "hello"), querytest.Flagged(querytest.Message(model.User, "context"), model.Injected), querytest.Message(model.User, "do it"), querytest.Message(model.User, "more")})
	list, err := NewRunInfos(t.Context(), "x.json", DiffRun{Selection: query.Everything(s)})
	if err != nil || len(list) != 1 || list[0].Prompt != "do it" || list[0].Session != "" {
		t.Errorf("%+v, %v; want one session with its prompt and without a name", list, err)
	}
	g := querytest.NewGrowing()
	none := model.CallID(model.NoRow)
	g.Ix.Sessions = []model.Session{{Fields: []model.KeyValue{{Name: "session", Value: "named"}}}, {}, {}}
	g.Ix.Threads = []model.Thread{{Main: true, Call: none}, {Main: true, Session: 1, Call: none}, {Main: true, Session: 2, Call: none}}
	for thread := range uint32(3) {
		g.Add(model.Head{Role: model.Assistant, Flags: model.HasWords, Thread: thread})
	}
	snap := g.Snapshot()
	list, err = NewRunInfos(t.Context(), "x.json", DiffRun{Selection: query.Selection{Snap: snap, IDs: []model.ID{0, 2}}})
	if err != nil || len(list) != 2 || list[0].Session != "named" || list[1].Session != "2" {
		t.Errorf("%+v, %v; want the sessions named and 2", list, err)
	}
}

// TestLinesOfRows: a changed row has both sides, an equal one only one, with a space as its sign.
func TestLinesOfRows(t *testing.T) {
	side := func(index int) *DiffSide { return &DiffSide{Index: human.Index(index), Kind: DiffCall, Text: "x"} }
	for _, c := range []struct {
		r    DiffRow
		want []string
	}{
		{DiffRow{How: DiffSame, A: side(1), B: side(2)}, []string{"      #1  x"}}, {DiffRow{How: DiffArgs, A: side(1), B: side(2)}, []string{"-     #1  x", "+     #2  x"}},
		{DiffRow{How: DiffAdded, B: side(2)}, []string{"+     #2  x"}}, {DiffRow{How: DiffMissing, A: side(1)}, []string{"-     #1  x"}},
	} {
		if got := c.r.lines(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.r.How, got, c.want)
		}
	}
}

// TestTextOfADifference: rows only with a value, no tools without a call, and the number of equal
// items between two differences.
func TestTextOfADifference(t *testing.T) {
	side := &DiffSide{Kind: DiffCall, Text: "x"}
	d := DiffAnswer{Part: -1}
	same := len(d.Counts())
	if text := d.Doc("a", "b").String(); !strings.Contains(text, "no differences") || strings.Contains(text, "tools") || strings.Contains(text, "score") || strings.Contains(text, "usage") {
		t.Errorf("two equal sessions:\n%s", text)
	}
	for range 30 {
		d.Rows = append(d.Rows, DiffRow{How: DiffSame, A: side, B: side})
	}
	d.Part, d.Rows[0].How, d.Rows[29].How = 0, DiffArgs, DiffArgs
	text := d.Doc("a", "b").String()
	if between := "… " + SameItems(28-2*diffSameShown); strings.Count(text, "…") != 1 || !strings.Contains(text, between) || strings.Contains(text, "no differences") || len(d.Counts()) <= same {
		t.Errorf("the first and the last of thirty items differ, want %q between them:\n%s", between, text)
	}
	for _, sides := range [][2]DiffTotals{{{Score: new(1.0), Measured: 5}, {}}, {{}, {Score: new(1.0), Measured: 5}}} {
		d := DiffAnswer{Part: -1, A: sides[0], B: sides[1]}
		if text := d.Doc("a", "b").String(); !strings.Contains(text, "score") || !strings.Contains(text, "usage") {
			t.Errorf("one side has a score and usage:\n%s", text)
		}
	}
}

// TestFilesOfADifference: a text shows 20 files that differ; the list of files shows all.
func TestFilesOfADifference(t *testing.T) {
	var d DiffAnswer
	for i := range 21 {
		d.Files = append(d.Files, changes.PairedFile{Path: fmt.Sprintf("/w/%02d.go", i)})
	}
	d.Part = -1
	if text := d.FilesDoc().String(); !strings.Contains(text, "/w/20.go") || strings.Contains(text, "more:") {
		t.Errorf("the list of 21 files:\n%s", text)
	}
	if text := d.Doc("a", "b").String(); !strings.Contains(text, "/w/19.go") || !strings.Contains(text, "1 file more: --files") {
		t.Errorf("the text with 21 files:\n%s", text)
	}
}

// TestTextOfTheLastSession: its age, unless it ends in the future, and its last prompt.
func TestTextOfTheLastSession(t *testing.T) {
	for _, c := range []struct {
		end  human.Stamp
		days []DayShare
		age  string
		last string
	}{{1000, nil, "0.0s ago", ""}, {999, []DayShare{{Last: "q"}}, "0.0s ago", "last prompt: q"}, {1001, []DayShare{{}}, "", ""}, {0, nil, "", ""}} {
		a := ContinuityAnswer{Now: 1000, zone: time.UTC, Last: &Conversation{End: c.end, Days: c.days}}
		text := a.LastText()
		if strings.Contains(text, " ago") != (c.age != "") || !strings.Contains(text, c.age) || strings.Contains(text, "last prompt") != (c.last != "") || !strings.Contains(text, c.last) {
			t.Errorf("ends at %d of 1000: %q, want %q and %q", c.end, text, c.age, c.last)
		}
	}
}
