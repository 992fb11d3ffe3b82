package describe

import (
	"errors"
	"strings"
	"testing"

	"turns/model"
	"turns/query"
	"turns/query/querytest"
)

// TestWordsSayWhatBecameOfThem: the row of a text shows how its message ended, then what happened
// to it later.
func TestWordsSayWhatBecameOfThem(t *testing.T) {
	for _, c := range []struct {
		m     model.Message
		state model.Outcome
		want  string
	}{
		// the text itself shows it
		{model.Message{Role: model.User, Flags: model.Interrupted}, model.Stopped, ""},
		{model.Message{Role: model.Assistant, Stop: model.StopAborted}, model.Stopped, "interrupted by the user"},
		// the text is the error
		{model.Message{Role: model.Assistant, Flags: model.APIError}, model.Failure, ""},
		{model.Message{Role: model.Assistant, Stop: model.StopError}, model.Failure, "ended in an error"},
		{model.Message{Role: model.Assistant, Flags: model.Truncated}, model.Half, "cut at the limit"},
		{model.Message{Role: model.Assistant, Flags: model.Partial}, model.Running, "still being written"},
		{model.Message{Role: model.User, Flags: model.Queued}, model.Unknown, "typed while the agent worked"},
		{model.Message{Role: model.User, Flags: model.Recap}, model.Unknown, "summary"},
		{model.Message{Role: model.User, Flags: model.Inherited}, model.Unknown, "inherited"},
		{model.Message{Role: model.User, Flags: model.Invalidated, By: "#4"}, model.Unknown, "invalidated by #4"},
		{model.Message{Role: model.User, Flags: model.Redacted}, model.Unknown, "redacted"},
		{model.Message{Role: model.User, Flags: model.Compacted}, model.Unknown, "cleared to save context"},
		{model.Message{Role: model.User, Flags: model.Archived}, model.Unknown, "archived"},
		{model.Message{Role: model.Assistant, Flags: model.Refused | model.Superseded}, model.Failure, "refused · superseded"},
	} {
		c.m.Blocks = []model.Content{{Kind: model.Words, Text: "words"}}
		if got := testDescriber.words(&c.m, 0); got.State != c.state || got.Outcome != c.want {
			t.Errorf("flags %b, stop %v: %v %q, want %v %q", c.m.Flags, c.m.Stop, got.State, got.Outcome, c.state, c.want)
		}
	}
	for text, want := range map[string]string{"###### six": "body", "####### seven": "seven", "**bold:**": "body", "**a** and **b**": "a and b"} {
		m := querytest.Message(model.Assistant, text+"\nbody")
		if got := AnswerWords(&m); got != want {
			t.Errorf("%q answers %q, want %q", m.Blocks[0].Text, got, want)
		}
	}
	document := model.Content{Kind: model.Words, Name: model.DocumentText, Extra: []model.KeyValue{{Name: "interaction_mode", Value: "x"}}}
	if got, want := Circumstance(&document), model.DocumentText+" · mode: x"; got != want {
		t.Errorf("a document is described as %q, want %q", got, want)
	}
	thought := querytest.Null(model.Assistant, model.Content{Kind: model.Reasoning, Name: "redacted_thinking"})
	thought.Flags = model.Redacted
	if got := Fate(&thought); got != "" {
		t.Errorf("a message whose reasoning was redacted is called %q", got)
	}
}

// TestKindsOfWords: the word after the glyph names the author of a text.
func TestKindsOfWords(t *testing.T) {
	for _, c := range []struct {
		m    model.Message
		kind LineKind
		word string
	}{
		{model.Message{Role: model.Developer}, LineSystem, "developer"},
		{model.Message{Role: model.System}, LineSystem, "system"},
		{model.Message{Role: model.User, Flags: model.Injected}, LineInjected, "injected"},
		{model.Message{Role: model.Tool, Name: "critic"}, LineOther, "critic"},
		{model.Message{Role: model.Tool}, LineOther, "tool"},
		{model.Message{Role: model.Tool, Flags: model.HasResults}, LineInjected, "injected"},
	} {
		if kind, word := KindOf(&c.m); kind != c.kind || word != c.word {
			t.Errorf("%v %q is %v %q, want %v %q", c.m.Role, c.m.Name, kind, word, c.kind, c.word)
		}
	}
	if got := (LineRule + 1).String() + LineRule.String(); got != "" {
		t.Errorf("a rule has the word %q", got)
	}
}

// TestFirstWords: the first line with words, without Markdown or tags.
func TestFirstWords(t *testing.T) {
	injected := func(s string) model.Message {
		return querytest.Flagged(querytest.Message(model.User, s), model.Injected)
	}
	for _, c := range []struct {
		m    model.Message
		want string
	}{
		{querytest.Message(model.User, "\u3000\nFix it"), "Fix it"},
		{querytest.Message(model.User, strings.Repeat("\u3000\n", 70)+"Fix it"), ""}, // past the search limit
		{querytest.Message(model.User, "> - ## Fix **it**"), "Fix it"},
		{querytest.Message(model.User, "```go\nx := 1\n```"), "x := 1"},
		{querytest.Message(model.Assistant, "```text\nssh-ed25519 AAAA\n```"), "ssh-ed25519 AAAA"},
		{querytest.Message(model.User, "```what is it?``` asked"), "what is it?``` asked"},
		{querytest.Message(model.User, "```\nx := 1\n```"), "x := 1"},
		{querytest.Null(model.Assistant, querytest.Thinks("so"), model.Content{Kind: model.Words, Text: "said"}), "said"},
		{querytest.Null(model.Assistant, querytest.Thinks("so")), ""},
		{injected("plain **words**"), "plain words"},
		{injected("<system-reminder kind='x'>Be brief.</system-reminder>"), "system-reminder: Be brief."},
		{injected("<stdout></stdout>"), "stdout"},
		{injected("<stdout>\n</stdout>"), "stdout"},
		{injected("<!-- a remark -->"), "<!-- a remark -->"},
		{injected("<never closed"), "<never closed"},
		{querytest.Message(model.Developer, "<permissions instructions>\nThe sandbox is read-only.\n</permissions instructions>"), "permissions instructions: The sandbox is read-only."},
		{querytest.Message(model.Developer, "<apps>\n## Apps\nUse them.</apps>"), "apps: Apps"},
		{querytest.Message(model.System, "# Be **brief**"), "Be brief"},
		{querytest.Message(model.User, "<apps>\nUse them."), "<apps>"},
		{querytest.Message(model.User, "Fix it\r\nnow\r\n"), "Fix it"},
	} {
		if got := FirstWords(&c.m); got != c.want {
			t.Errorf("%.40q begins %q, want %q", c.m.Blocks[0].Text, got, c.want)
		}
	}
}

// TestMediaRows: an image, sound or file shows its type, size or location, never its data.
func TestMediaRows(t *testing.T) {
	for _, c := range []struct {
		b                 model.Content
		word, about, size string
		text              string
	}{
		{model.Content{Name: "image/png"}, "image", "image/png", "", "image/png"},
		{model.Content{Name: "audio/wav", Size: 2_000_000}, "audio", "audio/wav", "2.0 MB", "audio/wav, 2.0 MB"},
		{model.Content{Width: 640, Height: 480, Size: 5000}, "image", "media", "640×480, 5.0 kB", "media, 640×480, 5.0 kB"},
		{model.Content{Name: "application/pdf", Size: 700, Elsewhere: "/tmp/a.pdf"}, "file", "application/pdf  /tmp/a.pdf", "700 bytes",
			"application/pdf, 700 bytes, /tmp/a.pdf"},
		{model.Content{Name: "text/csv", Size: 99, Text: "data.csv", Elsewhere: "file-2"}, "file", "text/csv  data.csv  file-2", "99 bytes",
			"text/csv, 99 bytes, data.csv, file-2"},
		{model.Content{Name: "image/png", Size: 900, Width: 64, Height: 48, Text: "file-1", Elsewhere: "file-1", Extra: []model.KeyValue{{Name: "name", Value: "cat.png"}}},
			"image", "image/png  cat.png  file-1", "64×48, 900 bytes", "image/png, 64×48, 900 bytes, cat.png, file-1"},
		{model.Content{Name: "image/png", Text: "https://x/a.png"}, "image", "image/png  https://x/a.png", "", "image/png, https://x/a.png"},
		{model.Content{Name: "image/png", Text: "shots/one-two.png"}, "image", "image/png  shots/one-two.png", "", "image/png, shots/one-two.png"},
		{model.Content{Name: "image/png", Text: `{"id":"a-b"}`, JSON: true}, "image", "image/png", "9 bytes", "image/png, 9 bytes"},
	} {
		c.b.Kind = model.Media
		m := querytest.Null(model.User, c.b)
		got := testDescriber.words(&m, 0)
		if got.Word != c.word || got.About != c.about || got.Outcome != c.size {
			t.Errorf("%+v: %q %q %q", c.b, got.Word, got.About, got.Outcome)
		}
		if got := MediaText(&c.b); got != c.text {
			t.Errorf("%+v is %q, want %q", c.b, got, c.text)
		}
	}
}

// TestOtherBlocks: a block of an unknown kind is shown under its format's name for it.
func TestOtherBlocks(t *testing.T) {
	for _, c := range []struct {
		b           model.Content
		word, about string
	}{
		{model.Content{Name: "citation", Text: "page 3\nline 2"}, "citation", "page 3"},
		{model.Content{Size: 1200}, "other", "1.2 kB"},
		{model.Content{}, "other", ""},
	} {
		c.b.Kind = model.OtherBlock
		m := querytest.Null(model.Assistant, c.b)
		if got := testDescriber.words(&m, 0); got.Kind != LineOther || got.Word != c.word || got.About != c.about {
			t.Errorf("%+v: %v %q %q", c.b, got.Kind, got.Word, got.About)
		}
	}
}

// TestPicturesOfResults: the row of a call shows the images in its result; they have no rows.
func TestPicturesOfResults(t *testing.T) {
	picture := model.Content{Kind: model.Media, Name: "image/png", Size: 412_000}
	sound, pdf := model.Content{Kind: model.Media, Name: "audio/wav"}, model.Content{Kind: model.Media, Name: "application/pdf"}
	for _, c := range []struct {
		name   string
		answer model.Message
		want   string
	}{
		{"one", querytest.Tool(querytest.Result("c1", "done"), picture), "image/png, 412 kB"},
		{"two", querytest.Tool(querytest.Result("c1", "done"), picture, picture), "2 images"},
		{"of two types", querytest.Tool(querytest.Result("c1", "done"), picture, sound, picture), "2 images, 1 sound"},
		{"files", querytest.Tool(querytest.Result("c1", "done"), pdf, pdf), "2 files"},
		{"beside a failure", querytest.Tool(querytest.Failed("c1", "boom"), picture), "error · boom · image/png, 412 kB"},
		{"of a result that does not hold", model.Message{Role: model.Tool, Flags: model.Superseded, By: "#9",
			Blocks: []model.Content{querytest.Result("c1", "ok")}}, "ok · result superseded by #9"},
	} {
		s := model.FromMessages([]model.Message{querytest.Null(model.Assistant, querytest.Call("c1", "shot", `{"a":1}`)), c.answer})
		p := query.NewPairs(s)
		lines, err := testDescriber.Message(t.Context(), p, 0)
		if err != nil || len(lines) != 1 || lines[0].Outcome != c.want {
			t.Errorf("%s: %+v, %v, want %q", c.name, lines, err, c.want)
		}
		if lines, err := testDescriber.Message(t.Context(), p, 1); err != nil || len(lines) != 0 {
			t.Errorf("%s: the answer has the rows %+v, %v", c.name, lines, err)
		}
	}
}

// TestMessageSaysItsFateOnEachRow: each row of an archived message is marked as archived.
func TestMessageSaysItsFateOnEachRow(t *testing.T) {
	m := querytest.Message(model.Assistant, "I'll look.", querytest.Thinks("Where?"), querytest.Call("c1", "Bash", `{"command":"ls"}`))
	m.Flags |= model.Archived
	s := model.FromMessages([]model.Message{m})
	lines, err := testDescriber.Message(t.Context(), query.NewPairs(s), 0)
	if err != nil || len(lines) != 3 {
		t.Fatalf("%+v, %v", lines, err)
	}
	for i := range lines {
		if !strings.HasSuffix(lines[i].Outcome, "archived") {
			t.Errorf("row %q says %q", lines[i].About, lines[i].Outcome)
		}
	}
}

// TestNotesSayTheirRecord: a note shows its kind and its text, or else a few of its fields.
func TestNotesSayTheirRecord(t *testing.T) {
	words := querytest.Message(model.User, "Server restarted")
	words.Op, words.Name = model.Note, "system"
	long := make([]model.KeyValue, 7)
	for i := range long {
		long[i] = model.KeyValue{Name: "k", Value: "v"}
	}
	for _, c := range []struct {
		m     model.Message
		about string
		out   string
	}{
		{words, "system: Server restarted", ""},
		{model.Message{Op: model.About, Extra: long}, "about: " + strings.TrimSpace(strings.Repeat("k=v ", 6)), ""},
		{model.Message{Op: model.Meter}, "usage", ""},
		{model.Message{Op: model.Unreadable, Records: []model.RecordText{{Data: make([]byte, 2000)}}}, "record could not be read", "2.0 kB"},
		{model.Message{Op: model.Unreadable, Err: errors.New("bad\nrecord")}, "bad record", ""},
		{model.Message{Op: model.Reset, Time: querytest.T0}, "begun afresh 20:41:40", ""},
		{model.Message{Op: model.Retract, Name: "deleted"}, "gone from its source: deleted", ""},
		{model.Message{Op: model.Rewind, Name: "thread_rolled_back"}, "rewound", ""},
		{model.Message{Op: model.End, Name: "task_complete", Time: querytest.T0}, "ended, 20:41:40", ""},
		{model.Message{Op: model.End, Name: "max_turns", Extra: []model.KeyValue{{Name: "reason", Value: "20 of 20"}}}, "ended: turn limit reached, 20 of 20", ""},
		{model.Message{Op: model.End, Extra: []model.KeyValue{{Name: "reason", Value: "agent_exit"}}}, "ended: agent exit", ""},
	} {
		if got := testDescriber.Note(&c.m); got.About != c.about || got.Outcome != c.out {
			t.Errorf("got %q %q, want %q %q", got.About, got.Outcome, c.about, c.out)
		}
	}
	failed := model.Message{Op: model.End, Name: "error", Flags: model.APIError}
	if got := testDescriber.Note(&failed); got.State != model.Failure {
		t.Errorf("an end in an error is %v", got.State)
	}
}

// TestCompactionSaysWhatWasRecorded: the trigger of a compaction, the tokens before and after it,
// and the replacement of the removed messages.
func TestCompactionSaysWhatWasRecorded(t *testing.T) {
	fields := func(kv ...string) (list []model.KeyValue) {
		for i := 0; i < len(kv); i += 2 {
			list = append(list, model.KeyValue{Name: kv[i], Value: kv[i+1]})
		}
		return list
	}
	summary := []model.Content{{Kind: model.Words, Text: strings.Repeat("x", 3000)}}
	for _, c := range []struct {
		m    model.Message
		want string
	}{
		{model.Message{Name: "compact_boundary", Extra: fields("trigger", "manual", "preTokens", "167700", "post_tokens", "45100", "messages_before", "160"), Blocks: summary},
			"compacted, manual: 168k → 45.1k tokens, 160 messages replaced by a summary of 3.0 kB"},
		{model.Message{Extra: fields("tokens_before", "1200.0")}, "compacted: from 1.2k tokens"},
		{model.Message{Extra: fields("postTokens", "1200")}, "compacted"},
		{model.Message{Extra: fields("messagesBefore", "1")}, "compacted: 1 message replaced"},
		{model.Message{Name: "overflow", Blocks: summary}, "compacted, overflow: a summary of 3.0 kB"},
		{model.Message{Name: "summary", Extra: fields("preTokens", "many", "tokensAfter", "-5")}, "compacted"},
	} {
		c.m.Op = model.Compact
		if got := testDescriber.Note(&c.m).About; got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestRulesSayWhatStandsAroundThem: if the record of a compaction or rewind lacks a count, it comes
// from the earlier messages of the same thread, back to the previous reset.
func TestRulesSayWhatStandsAroundThem(t *testing.T) {
	for _, c := range []struct {
		name  string
		event model.Event
		flags model.Flags // of the second message after the reset
		want  string
	}{
		{"all", model.Event{Op: model.Compact, Kept: model.NoID}, 0, "4 messages replaced by a summary of 1.2 kB"},
		{"the last two are kept", model.Event{Op: model.Compact, Kept: model.NoID, N: 2}, 0, "2 messages replaced by a summary of 1.2 kB"},
		{"only the first is gone", model.Event{Op: model.Compact, Kept: model.NoID, N: -1}, 0, "1 message replaced by a summary of 1.2 kB"},
		{"kept from its third on", model.Event{Op: model.Compact, Kept: 5}, 0, "2 messages replaced by a summary of 1.2 kB"},
		{"each names what it cleared", model.Event{Op: model.Compact, Kept: model.NoID}, model.Compacted, "1 message replaced by a summary of 1.2 kB"},
	} {
		g := querytest.NewGrowing()
		g.Add(model.Head{Op: model.Say})
		g.Add(model.Head{Op: model.Reset})
		g.Add(model.Head{Op: model.Say})
		g.Add(model.Head{Op: model.Say, Thread: 1})
		g.Add(model.Head{Op: model.Say, Flags: c.flags})
		g.Add(model.Head{Op: model.Say})
		g.Add(model.Head{Op: model.Note})
		g.Add(model.Head{Op: model.Say, Role: model.Assistant})
		c.event.At = g.Add(model.Head{Op: model.Compact})
		g.Add(model.Head{Op: model.Say, Thread: 1})
		g.Add(model.Head{Op: model.Say, Flags: model.Recap, Size: 1200})
		g.Ix.Events = []model.Event{c.event}
		m := model.Message{ID: c.event.At, Op: model.Compact}
		if got := testDescriber.Rule(g.Snapshot(), &m).About; got != "compacted: "+c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	g := querytest.NewGrowing()
	g.Add(model.Head{Op: model.Say, Flags: model.Rewound})
	g.Add(model.Head{Op: model.Say})
	g.Add(model.Head{Op: model.Say, Flags: model.Rewound})
	g.Add(model.Head{Op: model.Say, Thread: 1})
	g.Add(model.Head{Op: model.Say, Flags: model.Rewound})
	m := model.Message{ID: g.Add(model.Head{Op: model.Rewind}), Op: model.Rewind}
	if got := testDescriber.Rule(g.Snapshot(), &m).About; got != "rewound: 2 messages" {
		t.Errorf("a rewind says %q", got)
	}
	g = querytest.NewGrowing()
	g.Add(model.Head{Op: model.Say})
	m = model.Message{ID: g.Add(model.Head{Op: model.Rewind}), Op: model.Rewind}
	if got := testDescriber.Rule(g.Snapshot(), &m).About; got != "rewound" {
		t.Errorf("a rewind of no message says %q", got)
	}
	m = model.Message{ID: g.Add(model.Head{Op: model.Compact}), Op: model.Compact}
	if got := testDescriber.Rule(g.Snapshot(), &m).About; got != "compacted: 1 message replaced" {
		t.Errorf("a compaction after the first message says %q", got)
	}
}

// TestAgentsSayWhatTheyDid: the row of a call that started a subagent shows its model and calls, or
// that it is still running.
func TestAgentsSayWhatTheyDid(t *testing.T) {
	g := querytest.NewGrowing()
	g.Ix.Names = append(g.Ix.Names, "claude-opus-4-6-20260101")
	calls := func(outcome model.Outcome) uint32 {
		return uint32(g.Ix.Calls.Append(model.Call{Msg: model.ID(g.Ix.Heads.Len()), Prev: model.NoRow, PrevResult: model.NoRow, Outcome: outcome}))
	}
	calls(model.Success) // the builder treats row 0 as "no call"
	g.Ix.Threads = append(g.Ix.Threads, model.Thread{First: 1, Count: 3}, model.Thread{First: 5, Count: 2}, model.Thread{}, model.Thread{First: 7, Count: 1})
	g.Add(model.Head{Op: model.Say})
	g.Add(model.Head{Op: model.Say, Thread: 1, Role: model.User})
	g.Add(model.Head{Op: model.Say, Thread: 1, Role: model.Assistant, Name: 3, Flags: model.HasCalls, LastCall: calls(model.Success)})
	g.Add(model.Head{Op: model.Say}) // the main thread continues meanwhile
	g.Add(model.Head{Op: model.Say, Thread: 1, Role: model.Assistant, Name: 3, Flags: model.HasCalls, LastCall: calls(model.Failure)})
	g.Add(model.Head{Op: model.Say, Thread: 2, Role: model.User})
	g.Add(model.Head{Op: model.Say, Thread: 2, Role: model.Assistant, Name: 3})
	g.Add(model.Head{Op: model.Say, Thread: 4, Role: model.Assistant, Flags: model.HasCalls, LastCall: calls(model.Success)})
	s := g.Snapshot()
	for _, c := range []struct {
		call model.Call
		want string
		ok   bool
	}{
		{model.Call{Flags: model.HasChild, Child: 1, Result: 3}, "opus-4-6 · 2 calls · 1 error", true},
		{model.Call{Flags: model.HasChild, Child: 2, Result: model.NoID}, "running · 2 messages", true},
		{model.Call{Flags: model.HasChild, Child: 4, Result: 3}, "1 call", true},
		{model.Call{Flags: model.HasChild, Child: 3, Result: 3}, "0 messages", false},
		{model.Call{Child: 1, Result: 3}, "", false},
		{model.Call{Flags: model.HasChild, Child: 5, Result: 3}, "", false},
	} {
		if got, ok := agentOf(s, &c.call); got != c.want || ok != c.ok {
			t.Errorf("thread %d: %q %v, want %q %v", c.call.Child, got, ok, c.want, c.ok)
		}
	}
}

// TestPathsInCommands: a folder is shortened only at the start of a path.
func TestPathsInCommands(t *testing.T) {
	for cmd, want := range map[string]string{
		"cat /home/ann/app/x.go":               "cat x.go",
		"cp '/home/ann/notes' /home/ann/app/n": "cp '~/notes' n",
		"ls /mnt/home/ann/app/x":               "ls /mnt/home/ann/app/x",
	} {
		if got := testDescriber.Paths(cmd); got != want {
			t.Errorf("%q is %q, want %q", cmd, got, want)
		}
	}
	if got := NewDescriber(&model.Session{Fields: []model.KeyValue{{Name: "cwd", Value: "/root/app"}}}).PathOf("/root/x"); got != "~/x" {
		t.Errorf("of root: %q", got)
	}
	if got := ShortenPath("éééé", 3); got != "éé…" {
		t.Errorf("a name is cut to %q", got)
	}
}

// TestAgentsAmongManyRows: the row of a call reads the 20,000 rows from the first of its subagent.
func TestAgentsAmongManyRows(t *testing.T) {
	for later, want := range map[int]string{19_999: "opus-4-6 · 2 messages", 20_000: "2 messages"} {
		g := querytest.NewGrowing()
		g.Ix.Names = append(g.Ix.Names, "claude-opus-4-6-20260101")
		g.Ix.Threads = append(g.Ix.Threads, model.Thread{Count: 2})
		g.Add(model.Head{Op: model.Say, Thread: 1, Role: model.User})
		for range later - 1 {
			g.Add(model.Head{Op: model.Say})
		}
		g.Add(model.Head{Op: model.Say, Thread: 1, Role: model.Assistant, Name: 3})
		if got, _ := agentOf(g.Snapshot(), &model.Call{Flags: model.HasChild, Child: 1}); got != want {
			t.Errorf("a subagent answers %d rows after its prompt: %q, want %q", later, got, want)
		}
	}
}
