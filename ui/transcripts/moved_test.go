package transcripts_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/query/many"
	"turns/ui/transcripts"
)

const movedLines = `{"type":"mode","mode":"normal","sessionId":"OLD"}
{"type":"user","uuid":"u1","parentUuid":null,"isSidechain":false,"sessionId":"OLD","timestamp":"2026-10-03T04:00:00.000Z","message":{"role":"user","content":"count the files"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","isSidechain":false,"sessionId":"OLD","timestamp":"2026-10-03T04:00:01.000Z","requestId":"req_1","message":{"id":"msg_1","role":"assistant","model":"claude-opus-5-5","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}}],"usage":{"input_tokens":10,"output_tokens":5}}}
`

const movedLater = `{"type":"user","uuid":"u2","parentUuid":"a1","isSidechain":false,"sessionId":"NEW","timestamp":"2026-10-03T04:00:02.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"a b c"}]}}
{"type":"assistant","uuid":"a2","parentUuid":"u2","isSidechain":false,"sessionId":"NEW","timestamp":"2026-10-03T04:00:03.000Z","requestId":"req_2","message":{"id":"msg_2","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":"three"}],"usage":{"input_tokens":20,"output_tokens":7}}}
`

// TestCopiedSessionsCountOnce sums Claude Code sessions that begin with a copy of another.
func TestCopiedSessionsCountOnce(t *testing.T) {
	const moved = `{"type":"continued-in","sessionId":"OLD","continuedInSessionId":"NEW"}` + "\n"
	forked := func(lines string) string { // like /branch
		return strings.ReplaceAll(strings.ReplaceAll(lines, `"sessionId":"OLD"`, `"forkedFrom":{"sessionId":"OLD","messageUuid":"x"},"sessionId":"OLD"`), `"sessionId":"OLD","time`, `"sessionId":"NEW","time`)
	}
	talk := strings.Join(strings.SplitAfter(movedLines, "\n")[1:], "")
	for name, c := range map[string]struct {
		old, later          string
		sessions, in, calls int64
	}{
		"sent to the background": {movedLines + moved, movedLines + movedLater, 1, 30, 1},
		"with state behind":      {movedLines + moved + `{"type":"cost-state","sessionId":"OLD"}` + "\n", movedLines + movedLater, 1, 30, 1},
		"and then resumed":       {movedLines + moved + movedLater, movedLines + movedLater, 2, 60, 2},
		"went on with a summary": {movedLines + moved, movedLater, 2, 30, 1},
		"branched":               {movedLines, forked(talk) + movedLater, 2, 30, 1},
	} {
		dir := t.TempDir()
		for file, text := range map[string]string{"OLD.jsonl": c.old, "NEW.jsonl": c.later} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		lib := transcripts.New(transcripts.Options{Dirs: []string{dir}})
		paths, err := lib.Transcripts(t.Context())
		if err != nil || !slices.Contains(paths, filepath.Join(dir, "OLD.jsonl")) {
			t.Fatal(paths, err)
		}
		var sessions, in, calls int64
		for a := range lib.Totals(t.Context(), paths, transcripts.TotalsOptions{}) {
			if a.Err != nil {
				t.Fatal(a.Err)
			}
			for _, run := range a.Answer {
				sessions++
				in += run.N[many.Input]
				calls += run.N[many.Calls]
			}
		}
		if sessions != c.sessions || in != c.in || calls != c.calls {
			t.Errorf("%s: %d sessions, %d input tokens, %d calls; want %d, %d, %d", name, sessions, in, calls, c.sessions, c.in, c.calls)
		}
	}
}
