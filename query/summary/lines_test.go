package summary

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/cache"
	"turns/query/describe"
	"turns/query/human"
)

// TestLinesOfTheCost: the lines name each part of a cost other than 0, and unknown prices.
func TestLinesOfTheCost(t *testing.T) {
	paid := func(dollars float64, responses int) Cost { return Cost{Dollars: dollars, Responses: responses} }
	guess := Cost{Dollars: 2, Estimated: 2, Responses: 1}
	list := &ListPrices{Date: "2026-02-01", Days: 60}
	for _, c := range []struct {
		name  string
		a     CostAnswer
		want  []string
		short bool // without tables
	}{
		{"no messages", CostAnswer{empty: true}, []string{"cost  none: there are no messages"}, true},
		{"no usage", CostAnswer{}, []string{"cost  not known: no usage was recorded"}, true},
		{"one response", CostAnswer{Total: paid(1, 1)}, []string{"cost  $1.00 for 1 response"}, false},
		{"dollars without a response", CostAnswer{Total: paid(1, 0)}, []string{"cost  $1.00 for 0 responses"}, false},
		{"an unknown price", CostAnswer{Total: Cost{Responses: 1, Unknown: 1}, Missing: []string{"a", "b"}}, []string{"cost  – for 1 response", "no price is known of a, b"}, false},
		{"an unknown price of no response", CostAnswer{Missing: []string{"a"}}, []string{"cost  – for 0 responses", "no price is known of a"}, true},
		{"recorded for the session", CostAnswer{Session: new(3.0), whole: paid(3, 2), Total: paid(2, 2)},
			[]string{"cost  $3.00 for the whole, as the transcript says", "      $2.00 for 2 responses"}, false},
		{"parts", CostAnswer{Total: paid(9, 4), Rewound: paid(0, 1), Beyond: paid(2, 0), Apart: paid(3, 2)},
			[]string{"cost  $9.00 for 4 responses", "      $0.00 of it for 1 rewound response", "      $2.00 of it for usage recorded only as a total",
				"      $3.00 more for 2 responses of subagents in separate files (--subagents includes them)"}, false},
		{"included subagents", CostAnswer{covered: true, Total: paid(9, 4), Apart: paid(0, 1)},
			[]string{"cost  $9.00 for 4 responses", "      $0.00 for 1 response of subagents in separate files, included in the whole"}, false},
		{"only subagents", CostAnswer{Apart: paid(3, 1)},
			[]string{"cost  not known: no usage was recorded", "      $3.00 more for 1 response of subagents in separate files (--subagents includes them)"}, false},
		{"all estimated", CostAnswer{List: list, Total: guess}, []string{"cost  ~$2.00 for 1 response, estimated by prices", "list prices of 2026-02-01, 60 days old"}, false},
		{"a part estimated", CostAnswer{List: list, Total: Cost{Dollars: 5, Estimated: 2, Responses: 2}},
			[]string{"cost  ~$5.00 for 2 responses, $2.00 of it estimated by prices", "list prices of 2026-02-01, 60 days old"}, false},
		{"nothing estimated", CostAnswer{List: list, Total: paid(1, 1)}, []string{"cost  $1.00 for 1 response"}, false},
		{"rewound, estimated", CostAnswer{List: list, Total: paid(3, 1), Rewound: guess},
			[]string{"cost  $3.00 for 1 response", "      ~$2.00 of it for 1 rewound response", "list prices of 2026-02-01, 60 days old"}, false},
		{"subagents, estimated", CostAnswer{List: list, Total: paid(3, 1), Apart: guess},
			[]string{"cost  $3.00 for 1 response", "      ~$2.00 more for 1 response of subagents in separate files (--subagents includes them)", "list prices of 2026-02-01, 60 days old"}, false},
	} {
		if got := c.a.total(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		c.a.Models = []NamedCost{{"m", paid(1, 1)}}
		if got := !strings.Contains(c.a.Doc().String(), "model"); got != c.short {
			t.Errorf("%s: without tables %v, want %v", c.name, got, c.short)
		}
	}
	old := ListPrices{Date: "2026-02-01", Days: 61}
	if got := old.String(); !strings.HasSuffix(got, "61 days old (turns prices --update FILE updates them)") {
		t.Errorf("old prices: %q", got)
	}
}

// TestTablesOfTheCost: agents and sessions have a table from two on.
func TestTablesOfTheCost(t *testing.T) {
	one := Cost{Dollars: 1, Responses: 1}
	for n, want := range map[int]bool{1: false, 2: true} {
		a := CostAnswer{Total: one}
		for range n {
			a.Agents, a.Sessions = append(a.Agents, AgentCost{"explorer", -1, one}), append(a.Sessions, NamedCost{"titled", one})
		}
		text := a.Doc().String()
		if strings.Contains(text, "explorer") != want || strings.Contains(text, "titled") != want {
			t.Errorf("%d agents and sessions: tables %v, want %v\n%s", n, !want, want, text)
		}
	}
}

// TestCostsInJSON: an unknown cost is null, and a free one 0.
func TestCostsInJSON(t *testing.T) {
	for _, c := range []struct {
		cost  Cost
		null  bool
		known bool
		usd   *float64
	}{
		{Cost{}, true, false, nil}, {Cost{Responses: 1}, false, true, new(0.0)}, {Cost{Dollars: 1}, false, true, new(1.0)},
		{Cost{Responses: 1, Unknown: 1}, false, false, nil}, {Cost{Responses: 2, Unknown: 1}, false, true, new(0.0)}, {Cost{Responses: 1, Unknown: 1, Dollars: 2}, false, true, new(2.0)},
	} {
		if got := c.cost.OrNull(); (got == nil) != c.null || got != nil && !reflect.DeepEqual(got.USD, c.usd) || c.cost.Known() != c.known {
			t.Errorf("%+v: %+v, known %v; want null %v, known %v, %v", c.cost, got, c.cost.Known(), c.null, c.known, c.usd)
		}
	}
	whole := Cost{Dollars: 5, Responses: 3}
	for part, want := range map[float64]Cost{0: {Dollars: 5, Responses: 3}, 2: {Dollars: 3, Estimated: 2, Responses: 3}, 4: {Dollars: 1, Estimated: 1, Responses: 3}, 9: {Responses: 3}} {
		if got := whole.without(Cost{Dollars: part}); got != want {
			t.Errorf("without %v: %+v, want %+v", part, got, want)
		}
	}
}

// TestWordsOfTheCache: the note of the requests, their cells, and the price of their misses.
func TestWordsOfTheCache(t *testing.T) {
	read := CacheRow{Share: new(0.5), Index: 3, Turn: 1, Step: 0}
	unread := CacheRow{Share: nil, Index: 1, Turn: -1, Step: -1}
	first := CacheRow{Share: new(0.0), Index: 1, Turn: 0, Step: 0, Cause: new(cache.First), Why: "first request"}
	missed := CacheRow{Share: new(0.25), Index: 5, Turn: 2, Step: 1, Cause: new(cache.TTL), Miss: true, Again: 1500, USD: new(0.02), Why: "expired"}
	unpriced := missed
	unpriced.USD = nil
	for _, c := range []struct {
		name  string
		rows  []CacheRow
		whole Cost
		want  []string // parts of the text, in order
		known bool
		money string
	}{
		{"none", nil, Cost{}, []string{"no requests"}, false, human.NotSaid},
		{"not recorded", []CacheRow{unread}, Cost{}, []string{"1 request: the transcript does not record what they read from the cache"}, false, human.NotSaid},
		{"no misses", []CacheRow{unread, read, first}, Cost{}, []string{"#1", "0 %", "–", "first request", "–", "no cache misses in 2 requests"}, true, human.NotSaid},
		{"a miss", []CacheRow{read, missed}, Cost{Dollars: 0.4, Responses: 2},
			[]string{"#5", "25 %", "1.5k", "expired", "~$0.02", "1.5k tokens written again in 1 request of 2: ~$0.02 of $0.40 (5.0 %)"}, true, "~$0.02"},
		{"two misses", []CacheRow{missed, missed}, Cost{}, []string{"3.0k tokens written again in 2 requests of 2: ~$0.04"}, true, "~$0.04"},
		{"a miss of unknown price", []CacheRow{unpriced}, Cost{Dollars: 1, Responses: 1}, []string{"1.5k", "expired", "–", "in 1 request of 1: –"}, true, human.NotSaid},
		{"one price of two", []CacheRow{unpriced, missed}, Cost{Responses: 1}, []string{"in 2 requests of 2: ~$0.02"}, true, "~$0.02"},
	} {
		a := CacheAnswer{whole: c.whole}
		for _, r := range c.rows {
			a.add(r)
		}
		text, at := a.Doc().String(), 0
		for _, part := range c.want {
			i := strings.Index(text[at:], part)
			if i < 0 {
				t.Errorf("%s: %q is not in its place in\n%s", c.name, part, text)
				break
			}
			at += i + len(part)
		}
		if rest := strings.TrimSpace(text[at:]); rest != "" {
			t.Errorf("%s: ends with %q", c.name, rest)
		}
		if a.Known() != c.known || a.Money().String() != c.money {
			t.Errorf("%s: known %v, %s; want %v, %s", c.name, a.Known(), a.Money().String(), c.known, c.money)
		}
	}
	if ordinal(-1) != human.NotSaid || ordinal(0) != "0" {
		t.Errorf("ordinals %q and %q, want %q and 0", ordinal(-1), ordinal(0), human.NotSaid)
	}
	if causeCell(nil) != "" || causeCell(new(cache.TTL)) == "" {
		t.Error("a cause has no words, or no cause has some")
	}
	a := CostAnswer{Messages: []MessageCost{{ID: 1}, {ID: 2}, {ID: 3}}}
	a.Explain([]cache.Request{{ID: 1, Cause: cache.None}, {ID: 2, Cause: cache.TTL}})
	if a.Messages[0].Cause != nil || a.Messages[1].Cause == nil || *a.Messages[1].Cause != cache.TTL || a.Messages[2].Cause != nil {
		t.Errorf("causes of responses: %+v", a.Messages)
	}
}

// TestLinesOfCounts: a line for each number, and notes only if they apply.
func TestLinesOfCounts(t *testing.T) {
	lines := func(a *StatsAnswer) (out []string) {
		a.sel = query.Everything(model.FromMessages(nil))
		for _, l := range a.CountLines() {
			if l.Number != human.Zero {
				out = append(out, strings.TrimSpace(l.Label+" "+l.Number+" "+l.Note))
			}
			for _, p := range l.Parts {
				out = append(out, "- "+p.Label+" "+p.Number)
			}
		}
		return out
	}
	kinds := func(n int) (list []describe.EventCount) {
		for i := range n {
			list = append(list, describe.EventCount{Kind: string(rune('a' + i)), Count: 9 - i})
		}
		return list
	}
	for _, c := range []struct {
		name string
		a    StatsAnswer
		want []string
	}{
		{"nothing", StatsAnswer{}, nil},
		{"two sessions", StatsAnswer{Sessions: 2}, []string{"sessions 2"}},
		{"one session", StatsAnswer{Sessions: 1}, nil},
		{"injected", StatsAnswer{MessagesByRole: map[string]int{"user": 2, "zebra": 1, "assistant": 3}, Injected: 1}, []string{"user 2 1 injected", "assistant 3", "zebra 1"}},
		{"nothing injected", StatsAnswer{MessagesByRole: map[string]int{"user": 2}}, []string{"user 2"}},
		{"reasoning", StatsAnswer{TotalReasoning: 3, ReasoningByModel: map[string]int{"b": 1, "a": 2}}, []string{"with reasoning 3 2 a, 1 b"}},
		{"errors", StatsAnswer{ToolCalls: 3, ToolErrors: 1, ErrorsByOutcome: map[string]int{"failure": 1}}, []string{"calls 3 1 error, 33 %"}},
		{"errors of results without a call", StatsAnswer{ToolCalls: 3, OrphanResults: 1, ToolErrors: 1, ErrorsByOutcome: map[string]int{"failure": 1}},
			[]string{"calls 3 1 error, 25 % of calls and results without a call", "results without a call 1"}},
		{"denied", StatsAnswer{ToolCalls: 4, ToolErrors: 2, ErrorsByOutcome: map[string]int{"denied": 2}}, []string{"calls 4 2 errors, 50 %", "- denied 2"}},
		{"two outcomes", StatsAnswer{ToolCalls: 4, ToolErrors: 2, ErrorsByOutcome: map[string]int{"failure": 1, "denied": 1}}, []string{"calls 4 2 errors, 50 %", "- denied 1", "- failure 1"}},
		{"no errors", StatsAnswer{ToolCalls: 3}, []string{"calls 3"}},
		{"an agent without calls", StatsAnswer{Agents: AgentStats{Count: 1, Messages: 1}}, []string{"agents 1 1 message, 0 calls, 0 errors"}},
		{"scripts", StatsAnswer{Scripts: Scripts{Calls: 1}}, []string{"scripts 1 counted apart: the calls inside of them are above"}},
		{"failed scripts", StatsAnswer{Scripts: Scripts{Calls: 2, Errors: 1}}, []string{"scripts 2 1 error, counted apart: the calls inside of them are above"}},
		{"agents", StatsAnswer{Agents: AgentStats{Count: 1, Messages: 2, Calls: 3, Errors: 1}}, []string{"agents 1 2 messages, 3 calls, 1 error"}},
		{"agents of other files", StatsAnswer{Agents: AgentStats{Count: 1, Calls: 3, Apart: 3}}, []string{"agents 1 0 messages, 3 calls, 0 errors, counted apart"}},
		{"some calls of other files", StatsAnswer{Agents: AgentStats{Count: 1, Calls: 3, Apart: 1}}, []string{"agents 1 0 messages, 3 calls, 0 errors, 1 call counted apart"}},
		{"calls of agents without messages", StatsAnswer{Agents: AgentStats{Calls: 1}}, nil},
		{"four kinds of events", StatsAnswer{Events: kinds(4)}, []string{"events 30 9 a, 8 b, 7 c, 6 d"}},
		{"five kinds of events", StatsAnswer{Events: kinds(5)}, []string{"events 35 9 a, 8 b, 7 c, 6 d, …"}},
	} {
		if got := lines(&c.a); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestLinesWithoutANumber: reasoning has no line without messages, and durations that the
// transcript records have no note.
func TestLinesWithoutANumber(t *testing.T) {
	s := model.FromMessages(nil)
	for _, l := range (&StatsAnswer{sel: query.Everything(s)}).CountLines() {
		if l.Label == "with reasoning" {
			t.Errorf("no reasoning, and yet the line %+v", l)
		}
	}
	tools := ToolsAnswer{sel: query.Everything(s), Tools: []ToolStats{{Name: "a", Calls: 1}}}
	for derived, want := range map[int]string{0: "", 1: "1 of 2 durations is the distance of two records: an upper bound", 2: "2 of 2 durations are the distances of two records: upper bounds"} {
		tools.All.Timed, tools.All.Derived = 2, derived
		if got := tools.Doc().String(); strings.Contains(got, "distance") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%d derived durations: %q, want %q", derived, got, want)
		}
	}
	if got := Costs(query.Everything(s), query.NewTurnIndex(s), CostOptions{}).total(); !slices.Equal(got, []string{"cost  none: there are no messages"}) {
		t.Errorf("the cost of no messages: %q", got)
	}
}

// TestLinesOfUsage: shares of used tokens, dim unknown numbers, and the fill of the window.
func TestLinesOfUsage(t *testing.T) {
	type row struct {
		number, note string
		tone         answer.Tone
	}
	rows := func(a *StatsAnswer) map[string]row {
		m := map[string]row{}
		for _, l := range a.UsageLines() {
			m[l.Label] = row{l.Number, l.Note, l.Tone}
		}
		return m
	}
	a := StatsAnswer{Usage: query.UsageSum{Input: new(int64(60)), CacheRead: new(int64(40)), CacheWrite: new(int64(0)), Output: new(int64(7)), Total: new(int64(107))}, Cost: new(0.5)}
	want := map[string]row{"input, uncached": {"60", "60 %", answer.Plain}, "cache read": {"40", "40 %", answer.Plain}, "cache write": {human.Zero, "", answer.Dim},
		"output": {"7", "", answer.Plain}, "reasoning": {human.NotSaid, "not recorded", answer.Dim}, "total": {"107", "", answer.Plain}, "cost": {"$0.50", "", answer.Plain}}
	if got := rows(&a); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	a.UnrecordedOutput, a.Cost = 3, nil
	want["output"], want["total"], want["cost"] = row{"~10", "estimated; 7 recorded", answer.Plain}, row{"107", "recorded", answer.Plain}, row{human.NotSaid, "not recorded", answer.Dim}
	if got := rows(&a); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	a.Usage.Total = nil
	if got := rows(&a)["total"]; got != (row{human.NotSaid, "not recorded", answer.Dim}) {
		t.Errorf("an unknown total: %+v", got)
	}
	for _, c := range []struct {
		a    StatsAnswer
		want [2]string
	}{
		{StatsAnswer{}, [2]string{}},
		{StatsAnswer{Compactions: 1}, [2]string{"", "compacted 1 time"}},
		{StatsAnswer{Context: &ContextUse{Last: 5, Most: 9}}, [2]string{"5 now, 9 peak", ""}},
		{StatsAnswer{Context: &ContextUse{Last: 5, Most: 9, Window: 100, Or: 200}}, [2]string{"5 now, 9 peak, of 100 or 200", ""}},
		{StatsAnswer{Context: &ContextUse{Last: 5, Most: 9, Window: 100}, Compactions: 2}, [2]string{"5 now, 9 peak, of 100", "compacted 2 times"}},
	} {
		if l := c.a.WindowLine(); [2]string{l.Number, l.Note} != c.want {
			t.Errorf("window %q, want %q", [2]string{l.Number, l.Note}, c.want)
		}
	}
	for models, want := range map[string]bool{"": false, "a": true} {
		s := StatsAnswer{Models: strings.Fields(models)}
		if got := len(s.outcome()) == 2; got != want {
			t.Errorf("models %q: %q", models, s.outcome())
		}
	}
}

// TestHeadlinesOfSelections: headlines name the calls that other numbers do not include.
func TestHeadlinesOfSelections(t *testing.T) {
	for _, c := range []struct {
		rows   int
		orphan bool
		errors int
		want   string
	}{{1, false, 0, "1 call"}, {2, false, 1, "2 calls   1 error"}, {1, true, 0, "1 result without a call"}, {2, true, 2, "2 results without a call   2 errors"}} {
		s := ToolStats{Rows: make([]model.CallID, c.rows), Orphan: c.orphan, Errors: c.errors}
		if got := s.Headline(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for want, a := range map[string]WorkLogAnswer{
		"0 calls in 0 turns: 0 success, 0 failure, 0 partial, 0 pending":                                            {},
		"0 calls and 1 result without a call in 0 turns: 0 success, 0 failure, 0 partial, 0 pending":                {Orphans: 1},
		"0 calls in 0 turns: 0 success, 0 failure, 0 partial, 0 pending, and 1 script, and 1 copied":                {Scripts: 1, Copied: 1},
		"9 calls in 4 turns: 0 success, 0 failure, 0 partial, 0 pending":                                            {cut: &workLogSize{9, 4}},
		"0 calls and 2 results without a call in 0 turns: 0 success, 0 failure, 0 partial, 0 pending, and 2 copied": {Orphans: 2, Copied: 2},
	} {
		a.sel = query.Everything(model.FromMessages(nil))
		if got := a.Headline(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestCellsOfTurns: marks, copied calls and unknown numbers of a turn.
func TestCellsOfTurns(t *testing.T) {
	cell := func(text string, tone answer.Tone) answer.Cell { return answer.Cell{Text: text, Tone: tone} }
	used := func(read, input int64) query.UsageSum { return query.UsageSum{CacheRead: &read, Input: &input} }
	table := map[string]answer.Column[*Turn]{}
	for _, c := range (&TimelineAnswer{}).Columns() {
		table[c.Name] = c
	}
	for _, c := range []struct {
		column string
		turn   Turn
		want   answer.Cell
	}{
		{"calls", Turn{}, answer.Count(0, answer.Plain)}, {"calls", Turn{Copied: 2}, cell("(2)", answer.Dim)}, {"calls", Turn{Calls: 1, Copied: 2}, answer.Count(1, answer.Plain)},
		{"errors", Turn{}, answer.Count(0, answer.Bad)}, {"errors", Turn{Failed: true}, cell("✗", answer.Bad)}, {"errors", Turn{Stopped: true}, cell("■", answer.Warn)},
		{"errors", Turn{Pending: 1}, cell("◌", answer.Warn)}, {"errors", Turn{Pending: 1, Errors: 2}, answer.Count(2, answer.Bad)}, {"errors", Turn{Stopped: true, Errors: 2}, cell("2■", answer.Bad)},
		{"asked", Turn{}, answer.Cell{}}, {"asked", Turn{Asked: 1500}, cell("1.5s", answer.Warn)},
		{"output", Turn{}, answer.Unknown}, {"output", Turn{Usage: query.UsageSum{Output: new(int64(0))}}, answer.Size(0)},
		{"context", Turn{}, answer.Unknown}, {"context", Turn{Context: 1}, answer.Size(1)},
		{"cache", Turn{}, answer.Unknown}, {"cache", Turn{Usage: used(0, 0)}, answer.Unknown}, {"cache", Turn{Usage: used(1, 3)}, cell("25 %", 0)}, {"cache", Turn{Usage: used(1, 3), Miss: true}, cell("miss", answer.Warn)},
		{"cost", Turn{}, cell(human.NotSaid, answer.Dim)}, {"cost", Turn{Cost: new(1.0)}, cell("$1.00", 0)},
	} {
		if got := table[c.column].Cell(&c.turn); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s of %+v: %+v, want %+v", c.column, c.turn, got, c.want)
		}
	}
	for usage, want := range map[query.UsageSum]float64{{}: -1, used(0, 0): -1, used(0, 4): 0, used(1, 3): 0.25} {
		if got := cacheShare(&usage); got != want {
			t.Errorf("share of %+v is %v, want %v", usage, got, want)
		}
	}
	turn := Turn{Messages: make([]model.ID, 2), Calls: 1, AgentCalls: 3, AgentErrs: 1}
	if got, want := turn.Counts(), []string{"2 messages", "1 call", "3 calls in agents", "1 error in agents"}; !slices.Equal(got, want) {
		t.Errorf("counts %q, want %q", got, want)
	}
}

// TestCellsOfFilesAndCalls: places, unknown tokens and the order by tokens or calls.
func TestCellsOfFilesAndCalls(t *testing.T) {
	files := map[string]answer.Column[*FileStats]{}
	for _, c := range FileColumns() {
		files[c.Name] = c
	}
	if !files["first"].Asc || files["last"].Asc {
		t.Error("files are not ordered from the first place up and from the last place down")
	}
	for index, want := range map[human.Index]string{-1: "agent", 0: "#0", 7: "#7"} {
		if got := files["first"].Cell(&FileStats{First: index}).Text; got != want {
			t.Errorf("first place %d is %q, want %q", index, got, want)
		}
	}
	one := []model.CallID{0}
	for _, c := range []struct {
		a, b FileStats
		want int
	}{
		{FileStats{Tokens: new(int64(3))}, FileStats{Tokens: new(int64(2)), Rows: one}, 1}, {FileStats{Tokens: new(int64(3))}, FileStats{Rows: one}, -1},
		{FileStats{Rows: one}, FileStats{Tokens: new(int64(3))}, 1}, {FileStats{}, FileStats{}, 0},
	} {
		if got := byFileTokens(&c.a, &c.b); got != c.want {
			t.Errorf("%+v and %+v are ordered %d, want %d", c.a, c.b, got, c.want)
		}
	}
	calls := map[string]answer.Column[*CallRow]{}
	for _, c := range CallColumns(nil) {
		calls[c.Name] = c
	}
	row := func(took uint32) *CallRow { return &CallRow{Call: &model.Call{Took: took}} }
	for took, want := range map[uint32]string{model.NoTook: human.NotSaid, 0: "0.0s", 1500: "1.5s"} {
		if got := calls["duration"].Cell(row(took)).Text; got != want {
			t.Errorf("a duration of %d is %q, want %q", took, got, want)
		}
	}
	if got := calls["tokens"].Cell(row(0)).Text; got != "" {
		t.Errorf("unknown tokens are %q", got)
	}
	counted := row(0)
	counted.Tokens = new(int64(5))
	if got := calls["tokens"].Cell(counted); !reflect.DeepEqual(got, answer.Size(5)) {
		t.Errorf("five tokens are %+v", got)
	}
	for state, want := range map[model.Outcome]answer.Tone{model.Success: answer.Dim, model.Failure: answer.Bad} {
		r := row(0)
		r.State = state
		if got := calls["outcome"].Cell(r).Tone; got != want {
			t.Errorf("%v has the tone %v, want %v", state, got, want)
		}
	}
}

// TestTopItems: the largest items in order; of equal items the first wins, and 0 is none.
func TestTopItems(t *testing.T) {
	top := Top[int]{Size: 3}
	for i, n := range []int64{0, 5, 2, 5, -1, 2, 3, 9} {
		top.Offer(n, i)
	}
	want := []topItem[int]{{9, 7}, {5, 1}, {5, 3}}
	if !slices.Equal(top.Items, want) {
		t.Errorf("%v, want %v", top.Items, want)
	}
	if top := (Top[int]{Size: 1}); top.Wants(0) || !top.Wants(1) {
		t.Error("an empty list wants 0, or does not want 1")
	}
	for n, want := range map[int64]bool{4: false, 5: false, 6: true} {
		if top.Wants(n) != want {
			t.Errorf("wants %d: %v", n, !want)
		}
	}
}

// TestBillOfASession: tokens without a model have the price of the session's, and those of an
// unknown model make the bill unknown; a model without tokens does not.
func TestBillOfASession(t *testing.T) {
	prices := PriceTable{"a": {Input: 2}}
	for _, c := range []struct {
		name    string
		bill    model.Bill
		dollars float64
		guessed bool
	}{
		{"recorded", model.Bill{Dollars: 3}, 3, false},
		{"recorded and used", model.Bill{Dollars: 3, Used: [3]model.Used{{Model: "a", Input: 2}}}, 7, true},
		{"of the session's model", model.Bill{Used: [3]model.Used{{Input: 2}}}, 4, true},
		{"of an unknown model", model.Bill{Dollars: 3, Used: [3]model.Used{{Model: "b", Input: 2}}}, 0, false},
		{"no tokens of an unknown model", model.Bill{Dollars: 3, Used: [3]model.Used{{Model: "b"}}}, 3, false},
	} {
		if dollars, guessed := prices.Bill("a", &c.bill); dollars != c.dollars || guessed != c.guessed {
			t.Errorf("%s: %v, estimated %v; want %v, %v", c.name, dollars, guessed, c.dollars, c.guessed)
		}
	}
}
