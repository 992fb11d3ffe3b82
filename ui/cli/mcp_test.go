package cli

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"turns/model/modeltest"
	"turns/model/token"
	"turns/ui/mcp"
)

// asks is how an agent asks about what lies below a root, through a client's library.
func asks(t *testing.T, a *app, root string) func(name string, args map[string]any) (string, error) {
	t.Helper()
	s, err := mcp.New(mcp.Options{Roots: []string{root}, Run: a.within(true)})
	if err != nil {
		t.Fatal(err)
	}
	here, there := sdk.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return func(name string, args map[string]any) (string, error) {
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
		if err != nil {
			return "", err
		}
		text := r.Content[0].(*sdk.TextContent).Text
		if r.IsError {
			err = errors.New(text)
		}
		return text, err
	}
}

// An agent asks about the runs of a day, where others lie beside them and one file is damaged.
func TestAgentsAskAboutADay(t *testing.T) {
	root := t.TempDir()
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(root, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	day := func(date, said string) []byte {
		line := func(kind, more string) string {
			return `{"type":"` + kind + `","uuid":"` + kind + `","sessionId":"` + said + `","timestamp":"` + date + `T09:00:00Z","message":{"role":"` + kind + `",` + more + "}}\n"
		}
		return []byte(line("user", `"content":"ask about `+said+`"`) +
			line("assistant", `"id":"m","stop_reason":"end_turn","content":[{"type":"text","text":"done with `+said+`"}]`))
	}
	write("before.jsonl", day("2026-01-01", "apples"))
	write("then.jsonl", day("2026-01-02", "pears"))
	write("after.jsonl", day("2026-01-03", "plums"))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(bytes.Repeat(day("2026-01-02", "quinces"), 50))
	z.Close()
	write("damaged.jsonl.gz", packed.Bytes()[:packed.Len()-30])
	ask := asks(t, newApp(IO{Env: func(string) string { return "" }}), root)
	that := "after:2026-01-02 before:2026-01-03"
	for _, q := range []struct {
		tool, key, want, not string
		args                 map[string]any
	}{
		{"sessions", "filter", "ask about pears", "apples", map[string]any{}},
		{"search", "sessions", "done with pears", "plums", map[string]any{"pattern": "done with"}},
		{"stats", "sessions", "all ", "", map[string]any{}},
		{"search", "", "nothing matches", "", map[string]any{"pattern": "no such words anywhere"}},
	} {
		if q.key != "" {
			q.args[q.key] = that
		}
		text, err := ask(q.tool, q.args)
		if err != nil || !strings.Contains(text, q.want) || q.not != "" && strings.Contains(text, q.not) {
			t.Errorf("%s %v: %v\n%s", q.tool, q.args, err, text)
		}
		if q.tool == "search" && !strings.Contains(text, "unpack gzip: unexpected EOF") {
			t.Errorf("%s %v does not say what could not be read:\n%s", q.tool, q.args, text)
		}
	}
	if _, err := ask("search", map[string]any{"pattern": "/(/"}); err == nil {
		t.Error("a pattern that is none is no error")
	}
}

// TestAgentsAsk asks what agents ask of the samples, through a client's library: what is
// there, who said it, what failed, what it cost. The answers are those of the commands.
func TestAgentsAsk(t *testing.T) {
	modeltest.Long(t, "it asks for all there is, and the same of the command line")
	root, err := filepath.Abs("../../testdata/formats/claude-code")
	if err != nil {
		t.Fatal(err)
	}
	a := newApp(IO{Env: func(string) string { return "" }})
	ask := asks(t, a, root)
	list, err := ask("sessions", nil)
	at := strings.Index(list, root)
	if err != nil || at < 0 {
		t.Fatalf("no paths: %v\n%s", err, list)
	}
	path, _, _ := strings.Cut(list[at:], "\n")
	counter, tokens, answers := token.New(token.O200k), 0, 0
	for _, q := range []struct {
		tool string
		args map[string]any
		same []string // the command line whose lines stand in the answer
	}{
		{"stats", map[string]any{"path": path}, []string{"stats", path}},
		{"tools", map[string]any{}, []string{"tools", root}},
		{"search", map[string]any{"pattern": "e", "max_tokens": 400}, nil},
		{"show", map[string]any{"path": path, "slice": "0:2"}, nil},
		{"timeline", map[string]any{"path": path}, nil},
		{"context", map[string]any{"path": path, "at": 1}, nil},
		{"diff", map[string]any{"path": path, "other": path}, []string{"diff", path, path}},
		{"threads", map[string]any{}, nil},
		{"groups", map[string]any{}, nil},
		{"sessions", map[string]any{"filter": "end:failed"}, nil},
		{"sessions", map[string]any{"path": path}, nil},
		{"sessions", map[string]any{"filter": "has:errors"}, nil},
		{"search", map[string]any{"pattern": "/fail(ed|ure)/i"}, nil},
		{"search", map[string]any{"pattern": "the", "filter": "role:user"}, nil},
		{"search", map[string]any{"pattern": "file", "path": path}, nil},
		{"search", map[string]any{"pattern": "no such words anywhere"}, nil},
		{"show", map[string]any{"path": path, "slice": "-2:"}, nil},
		{"show", map[string]any{"path": path, "filter": "role:assistant"}, nil},
		{"show", map[string]any{"path": path}, nil},
		{"timeline", map[string]any{"path": path, "filter": "is:error"}, nil},
		{"tools", map[string]any{"path": path}, []string{"tools", path}},
		{"tools", map[string]any{"filter": "is:error"}, nil},
		{"tools", map[string]any{"sessions": "end:failed"}, nil},
		{"stats", map[string]any{}, []string{"stats", root}},
		{"stats", map[string]any{"path": path, "filter": "role:user"}, nil},
		{"context", map[string]any{"path": path}, []string{"context", path}},
		{"threads", map[string]any{"path": path}, nil},
		{"groups", map[string]any{"path": path}, nil},
		{"groups", map[string]any{"filter": "tool:Bash"}, nil},
		{"groups", map[string]any{"sessions": "agent:claude"}, nil},
	} {
		text, err := ask(q.tool, q.args)
		if err != nil {
			t.Errorf("%s %v: %v", q.tool, q.args, err)
			continue
		}
		tokens += counter.Count([]byte(text))
		answers++
		if q.same == nil {
			continue
		}
		var out, complaints bytes.Buffer
		a.within(true)(t.Context(), q.same, &out, &complaints)
		first, _, _ := strings.Cut(out.String(), "\n")
		if want := strings.Join(strings.Fields(first), " "); !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("%s does not say %q:\n%s", q.tool, want, text)
		}
	}
	if mean := tokens / max(answers, 1); mean > 1000 || answers < 30 {
		t.Errorf("%d tokens an answer, of %d answers", mean, answers)
	}
}
