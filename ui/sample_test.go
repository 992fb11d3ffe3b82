package ui

import (
	"fmt"
	"strings"
	"time"

	"turns/model"
)

// sampleStart is when the sample session began.
var sampleStart = time.Date(2026, 2, 11, 21, 41, 40, 0, time.UTC)

// say returns a message some seconds into the sample.
func say(role model.Role, seconds int, blocks ...model.Content) model.Message {
	m := model.Message{Role: role, Time: sampleStart.Add(time.Duration(seconds) * time.Second).UnixMilli(), Blocks: blocks}
	if role == model.Assistant {
		m.Model = "claude-opus-4-6"
	}
	return m
}

func words(s string) model.Content     { return model.Content{Kind: model.Words, Text: s} }
func reasoning(s string) model.Content { return model.Content{Kind: model.Reasoning, Text: s} }
func call(id, tool, args string) model.Content {
	return model.Content{Kind: model.ToolCall, ID: id, Name: tool, Text: args, JSON: true}
}
func result(id, text string) model.Content {
	return model.Content{Kind: model.ToolResult, ID: id, Text: text, Outcome: model.Success}
}
func failed(id, text string, o model.Outcome) model.Content {
	return model.Content{Kind: model.ToolResult, ID: id, Text: text, Outcome: o}
}
func note(kind string, seconds int) model.Message {
	return model.Message{Op: model.Note, Name: kind, Time: sampleStart.Add(time.Duration(seconds) * time.Second).UnixMilli(), Blocks: []model.Content{words("bookkeeping of " + kind)}}
}

const testRun = `Exit code 2
Getting extensions in current project...
Running ExUnit with seed: 624694, max_cases: 32

.......................

  1) test fixture integration (Spotter.Services.TranscriptRendererTest)
     test/spotter/services/transcript_renderer_test.exs:728
     Assertion with != failed, both sides are exactly equal
     code: assert subagent_lines != []
     left: []
     stacktrace:
       test/spotter/services/transcript_renderer_test.exs:734: (test)

..................................
Finished in 0.4 seconds (0.3s async, 0.1s sync)
58 tests, 1 failure`

// sampleMessages returns a session with a bit of everything: parallel calls, a failure, a cancelled
// sibling, an edit, reasoning, bookkeeping, a compaction, another model, a second turn after a
// pause.
func sampleMessages() []model.Message {
	long := strings.Repeat("- Now I have a **good** understanding of `transcript_renderer.ex`, and of all files.\n", 30)
	return []model.Message{
		{Role: model.System, Time: sampleStart.UnixMilli(), Blocks: []model.Content{words("You are a careful coding agent. Follow the repository's rules before anything else.")}},
		{Role: model.User, Flags: model.Injected, Time: sampleStart.UnixMilli(), Blocks: []model.Content{words("<environment_context>\ncwd: /work/spotter\nshell: zsh\n</environment_context>")}},
		say(model.User, 4, words("Fix the flaky watcher test and keep the public API as it is.\n\nThe test is in `internal/watch`.")),
		say(model.Assistant, 9, reasoning("The test sleeps 50 ms and then expects the event; on a loaded machine that is too short."),
			words("I'll read the test first, then look at how the watcher debounces."),
			call("c1", "Read", `{"file_path":"internal/watch/watch_test.go","offset":40,"limit":80}`)),
		say(model.Tool, 9, result("c1", strings.Repeat("    40\tfunc TestWatch(t *testing.T) {\n", 80))),
		note("hook_progress", 10), note("hook_progress", 10), note("file-history-snapshot", 11),
		say(model.Assistant, 15, call("c2", "Bash", `{"command":"mix test test/spotter/services/transcript_renderer_test.exs 2>&1","description":"Run renderer tests","timeout":60000}`),
			call("c3", "Grep", `{"pattern":"debounce","path":"internal/"}`), call("c4", "Bash", `{"command":"npx vitest run"}`)),
		say(model.Tool, 30, failed("c2", testRun, model.Failure)),
		say(model.Tool, 16, result("c3", "internal/watch/a.go\ninternal/watch/b.go\ninternal/watch/c.go")),
		say(model.Tool, 30, failed("c4", "Cancelled: parallel tool call Bash errored", model.Cancelled)),
		say(model.Assistant, 44, words("The subagent fixture test failed. "+"I change the assertion."),
			call("c5", "Edit", `{"file_path":"internal/watch/watch.go","old_string":"a\nnil -> one\nb","new_string":"a\nnil -> classify_plain(line)\nlang -> continue(lang)\nb"}`)),
		say(model.Tool, 45, result("c5", "The file internal/watch/watch.go has been updated.")),
		say(model.Assistant, 50, words("# What I found\n\n"+long+"\n```go\nfunc main() { println(\"hello\") }\n```\n")),
		{Op: model.Compact, Time: sampleStart.Add(70 * time.Second).UnixMilli(), Name: "auto"},
		say(model.User, 3000, words("go on, and now with the other model")),
		func() model.Message {
			m := say(model.Assistant, 3010, words("Running the whole suite."), call("c6", "Bash", `{"command":"rm -rf testdata/old"}`), call("c7", "mcp__github__get_issue", `{"owner":"acme","repo":"watch","number":412}`))
			m.Model = "claude-sonnet-4-5"
			return m
		}(),
		say(model.Tool, 3014, failed("c6", "The user doesn't want to proceed with this tool use.", model.Denied)),
		say(model.Tool, 3015, result("c7", `{"title":"Flaky watcher test","state":"open","body":"The test sleeps 50 ms"}`)),
		say(model.Assistant, 3020, call("c8", "Bash", `{"command":"go test -race ./..."}`)),
	}
}

// sample returns the sample session as a snapshot.
func sample() *model.Snapshot { return model.FromMessages(sampleMessages()) }

// hostile returns a session of texts that try to break the screen.
func hostile() *model.Snapshot {
	texts := []string{
		"\x1b]52;c;aGFjaw==\x07\x1b[2J\x1b[H\x1b]0;title\x07 cleared", "a\rb\rc\r\nd", strings.Repeat("x", 5000), "\u202eevil\u2066 bidi",
		strings.Repeat("> ", 200) + "quotes", "tab\tand\ttab", "日本語のテキストは幅が二つ" + strings.Repeat("漢字", 60), "👩‍👩‍👧‍👦 family 🏳️‍🌈", "\x00\x01\x02\xff\xfe bytes",
		"", "   \n\t ", "```\n```\n```", "|a|b|\n|-|-|\n|" + strings.Repeat("c", 300) + "|d|", "\u009b2J", "\x1b]8;;http://evil\x07click\x1b]8;;\x07",
		strings.Repeat("line\n", 300), "e\u0301\u0302\u0303\u0304", strings.Repeat("- ", 50) + "deep", "[[[[[[[[[[[[[[[[[[[[[[[", "***___***___",
	}
	var msgs []model.Message
	for i := range 60 {
		t := texts[i%len(texts)]
		id := fmt.Sprintf("h%d", i)
		switch i % 5 {
		case 0:
			msgs = append(msgs, say(model.User, i, words(t)))
		case 1:
			msgs = append(msgs, say(model.Assistant, i, reasoning(t), words(t), call(id, t, t), call(id+"b", "Bash", `{"command":`+fmt.Sprintf("%q", t)+`}`)))
		case 2:
			msgs = append(msgs, say(model.Tool, i, failed(fmt.Sprintf("h%d", i-1), t, model.Failure)), say(model.Tool, i, result(fmt.Sprintf("h%db", i-1), t)))
		case 3:
			msgs = append(msgs, note(t, i), note("other", i), say(model.Tool, i, result("nobody", t)))
		default:
			msgs = append(msgs, say(model.Assistant, i, words(strings.Join(texts, "\n\n"))))
		}
	}
	return model.FromMessages(msgs)
}
