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
	if mean := tokens / max(answers, 1); mean > 1000 {
		t.Errorf("%d tokens an answer", mean)
	}
}
