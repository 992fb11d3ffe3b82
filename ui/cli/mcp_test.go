package cli

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"turns/model/token"
	"turns/ui/mcp"
)

// TestAgentsAsk asks what agents ask of the samples, through a client's library: what is
// there, who said it, what failed, what it cost. The answers are those of the commands.
func TestAgentsAsk(t *testing.T) {
	root, err := filepath.Abs("../../testdata/formats/claude-code")
	if err != nil {
		t.Fatal(err)
	}
	a := &app{IO: IO{Env: func(string) string { return "" }}}
	s, err := mcp.New(mcp.Options{Roots: []string{root}, Run: a.within})
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
	defer c.Close()
	ask := func(name string, args map[string]any) (string, error) {
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
		a.within(t.Context(), q.same, &out, &complaints)
		first, _, _ := strings.Cut(out.String(), "\n")
		if want := strings.Join(strings.Fields(first), " "); !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("%s does not say %q:\n%s", q.tool, want, text)
		}
	}
	if mean := tokens / max(answers, 1); mean > 1000 || answers < 30 {
		t.Errorf("%d tokens an answer, of %d answers", mean, answers)
	}
}
