package load

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
)

// spool writes the output of applications: sessions of one that records no contents, then of one
// that does. Each has four requests and three calls, one of which times out.
type spool struct{ lines []string }

func (p *spool) span(trace, id, parent string, from, to int, name string, attrs ...string) {
	const start int64 = 1793200000000
	status := ""
	for i, a := range attrs {
		if said, ok := strings.CutPrefix(a, "error="); ok {
			status, attrs[i] = fmt.Sprintf(`,"status":{"code":2,"message":%q}`, said), "error.type=TimeoutError"
		}
	}
	var b strings.Builder
	for i, a := range attrs {
		key, value, _ := strings.Cut(a, "=")
		if i > 0 {
			b.WriteByte(',')
		}
		kind := "stringValue"
		if strings.HasPrefix(key, "gen_ai.usage.") {
			kind = "intValue"
		}
		fmt.Fprintf(&b, `{"key":%q,"value":{%q:%q}}`, key, kind, value)
	}
	p.lines = append(p.lines, fmt.Sprintf(`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"spans":[`+
		`{"traceId":%q,"spanId":%q,"parentSpanId":%q,"name":%q,"startTimeUnixNano":"%d000000","endTimeUnixNano":"%d000000"%s,"attributes":[%s]}]}]}]}`,
		trace, id, parent, name, start+int64(from), start+int64(to), status, b.String()))
}

// session adds the spans of a session that begins so many ms in.
func (p *spool) session(trace string, at int, contents bool) {
	var said []string
	say := func(m string) string {
		said = append(said, m)
		return "[" + strings.Join(said, ",") + "]"
	}
	say(fmt.Sprintf(`{"role":"user","parts":[{"type":"text","content":"ask %s"}]}`, trace))
	for i := range 4 {
		from, id := at+1000*i, fmt.Sprintf("call_%d", i)
		chat := []string{"gen_ai.operation.name=chat", "gen_ai.request.model=m", fmt.Sprintf("gen_ai.usage.input_tokens=%d", 100+i), "gen_ai.usage.output_tokens=10"}
		answer := fmt.Sprintf(`{"role":"assistant","parts":[{"type":"tool_call","id":%q,"name":"look","arguments":{"n":%d}}]}`, id, i)
		if i == 3 {
			answer = `{"role":"assistant","parts":[{"type":"text","content":"done"}]}`
		}
		if contents {
			chat = append(chat, "gen_ai.input.messages=["+strings.Join(said, ",")+"]", "gen_ai.output.messages=["+answer+"]")
		}
		p.span(trace, fmt.Sprint("c", i), "root", from, from+100, "chat m", chat...)
		if i == 3 {
			break
		}
		tool := []string{"gen_ai.operation.name=execute_tool", "gen_ai.tool.name=look", "gen_ai.tool.call.id=" + id}
		result := "seen"
		if i == 1 {
			tool, result = append(tool, "error=timed out after 250 ms"), "timed out after 250 ms"
		}
		p.span(trace, fmt.Sprint("t", i), "root", from+200, from+450, "execute_tool look", tool...)
		say(answer)
		say(fmt.Sprintf(`{"role":"tool","parts":[{"type":"tool_call_response","id":%q,"response":%q}]}`, id, result))
	}
	p.span(trace, "root", "", at, at+3200, "invoke_agent shop", "gen_ai.operation.name=invoke_agent", "gen_ai.agent.name=shop")
}

// spoolCounts are the expected numbers of a spool.
type spoolCounts struct {
	Sessions, Calls, Errors, Pending, Responses int
	Input, Output, Took                         int64
}

func countSpool(s *model.Snapshot) (n spoolCounts) {
	for i := range s.CallCount() {
		c := s.Call(model.CallID(i))
		if !s.Counted(c) || c.Msg == model.NoID {
			continue
		}
		n.Calls++
		if c.Outcome == model.TimedOut {
			n.Errors++
		}
		if c.Pending() {
			n.Pending++
		}
		if c.Took != model.NoTook && c.Flags&model.TookDerived == 0 {
			n.Took += int64(c.Took)
		}
	}
	for _, id := range s.LiveIDs() {
		if s.HeadRow(id).Responds() {
			n.Responses++
		}
		if t, ok := s.Tokens(id); ok {
			n.Input, n.Output = n.Input+int64(t.Input), n.Output+int64(t.Output)
		}
	}
	for _, se := range s.Sessions() {
		if se.Count > 0 && se.Ended && se.Outcome == model.Success {
			n.Sessions++
		}
	}
	return n
}

// TestSpoolOfSeveralApplications: whether a span or a message describes a call is decided for each
// call, so that one application's output does not affect another's, in any order.
func TestSpoolOfSeveralApplications(t *testing.T) {
	for _, n := range []int{1, 5, 20, 200} {
		if n > 20 && testing.Short() {
			continue
		}
		var p spool
		for i := range 2 * n {
			p.session(fmt.Sprint("trace", i), 10_000*i, i >= n)
		}
		want := spoolCounts{
			Sessions: 2 * n, Calls: 6 * n, Errors: 2 * n, Responses: 8 * n, Input: int64(2 * n * 406), Output: int64(2 * n * 40), Took: int64(6 * n * 250),
		}
		for seed := range uint64(4) {
			if seed > 0 {
				rand.New(rand.NewPCG(seed, 30)).Shuffle(len(p.lines), func(i, j int) { p.lines[i], p.lines[j] = p.lines[j], p.lines[i] })
			}
			path := filepath.Join(t.TempDir(), "spool.jsonl")
			write(t, path, strings.Join(p.lines, "\n")+"\n")
			if got := countSpool(loadFile(t, path, Options{})); got != want {
				t.Errorf("%d sessions of each, order %d: %+v, want %+v", n, seed, got, want)
			}
		}
		followSpool(t, p.lines, want)
	}
}

// followSpool reads a spool while it grows.
func followSpool(t *testing.T, lines []string, want spoolCounts) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "spool.jsonl")
	part := len(lines) / 3
	write(t, path, strings.Join(lines[:part], "\n")+"\n")
	f := followDocument(t, path, "")
	f.until("the first spans", func(u Update) bool { return u.Snap.Len() > 0 })
	for from := part; from < len(lines); from += part {
		file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = file.WriteString(strings.Join(lines[from:min(from+part, len(lines))], "\n") + "\n")
		if closed := file.Close(); err != nil || closed != nil {
			t.Fatal(err, closed)
		}
	}
	f.until("all spans", func(u Update) bool { return countSpool(u.Snap) == want })
}

// TestRecordedSpools checks spools that SDKs have sent, if there are some: three calls and one
// error per session.
func TestRecordedSpools(t *testing.T) {
	corpus := modeltest.Corpus(t)
	for name, sessions := range map[string]int{
		"genai-off": 1, "genai-off-json": 1, "genai-off-noid": 1, "genai-on": 1, "s-off": 1, "s-on": 1, "vercel-off": 1, "vercel-on": 1,
		"order": 2, "tty": 2, "grow1": 2, "mix": 4, "grow5": 10,
	} {
		path := filepath.Join(filepath.Dir(corpus), "cases", "otlp3", name+".jsonl")
		if _, err := os.Stat(path); err != nil {
			t.Skip("no recorded spools beside the corpus: ", err)
		}
		got := countSpool(loadFile(t, path, Options{}))
		if got.Calls != 3*sessions || got.Errors != sessions || got.Pending != 0 || got.Responses != 4*sessions {
			t.Errorf("%s: %+v, want 3 calls, 1 error and 4 responses for each of %d sessions", name, got, sessions)
		}
	}
}
