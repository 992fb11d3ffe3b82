package cli

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// planted are secrets as they occur in text: the secret, and the harmless text around it.
var planted = []struct{ name, before, secret, after string }{
	{"token", "", "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xYz", ""},
	{"vendor", "key ", "sk-ant-api03-" + "kT9vQ2mX7bL4wR8nZ3cJ6hP1sD5gF0yA-QeUiOoKlMnBvCxZaSdFgHjKlPoIuYtRe_WqAzXsWcDeVrFbTgNhYm-7J8kL9AA", " was used"},
	{"named", "MISTRAL_API_KEY=", "q7Wn3Zk9Rt5Yx1Lp8Vb2Gm6Hd4Jf0Sc", ""},
	{"password in an address", "https://bob:", "Tr0ub4dor3kQz9mVx", "@db.internal.net/orders"},
	{"aws", "aws_secret_access_key = ", "wJalrXUtnF3MI7K9MDENG1bPxRfiCYzKq8Lm2Vn4", ""},
	{"json", `{"user":"bob","password":"`, "hG7kPq2zLm9Rw4TxVb6N", `"}`},
	{"jwt", "bearer ", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI5ODc2NTQzMjEwIiwibmFtZSI6IkJvYiBCYXVlciJ9.dBjftJeZ4CVPmB92K27uhbUJU1p1r0wW1gFWFOEjXkQ", ""},
	{"header", `curl -H "Authorization: Basic `, "Ym9iOlRyMHViNGRvcjNrUXo5bVZ4cQ==", `" https://api.internal.net`},
	{"connection", "postgres://orders:", "Zx8Cv3Bn6Mq1Wl5K", "@10.0.0.7:5432/orders?sslmode=require"},
	{"quoted", `export DB_PASSWORD="`, "uR5tY8wE2qI9oP3a", `" && ./deploy`},
}

// plantedRun writes a session with each text in every possible place of a session, after some
// padding.
func plantedRun(t testing.TB, path, id string, texts []string) {
	t.Helper()
	var b strings.Builder
	n := 0
	line := func(kind string, content any, more string) {
		text, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		n++
		fmt.Fprintf(&b, `{"type":%q,"uuid":"%s-%d","sessionId":%q,"cwd":"/w","timestamp":"2026-01-02T03:%02d:%02dZ"%s,"message":{"role":%q,"id":"m%d","model":"m","content":%s}}`+"\n",
			kind, id, n, id, n/60%60, n%60, more, kind, n, text)
	}
	use := func(id, tool string, input map[string]any) map[string]any {
		return map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}
	}
	for i, text := range texts {
		line("user", text, "")
		line("user", "<bash-input>"+text+"</bash-input>", "")
		call := func(n int) string { return fmt.Sprintf("%s-%d-%d", id, i, n) }
		line("assistant", []any{
			map[string]any{"type": "thinking", "thinking": text}, map[string]any{"type": "text", "text": text + "?"},
			use(call(0), "Bash", map[string]any{"command": text, "description": text}),
			use(call(1), "Read", map[string]any{"file_path": "/w/" + text}),
			use(call(2), "mcp__x__y", map[string]any{"q": text, "other": []string{text}}),
			use(call(3), "WebFetch", map[string]any{"url": text, "prompt": text}),
			use(call(4), "Grep", map[string]any{"pattern": text, "path": text}),
			use(call(5), "Task", map[string]any{"description": text, "prompt": text, "subagent_type": text}),
			use(call(6), "TodoWrite", map[string]any{"todos": []any{map[string]any{"content": text, "status": "in_progress", "activeForm": text}}}),
			use(call(7), "Edit", map[string]any{"file_path": "/w/a", "old_string": text, "new_string": text + "1"}),
		}, "")
		for j := range 7 {
			line("user", []any{map[string]any{"type": "tool_result", "tool_use_id": call(j), "is_error": j%2 == 0, "content": "Error: " + text}}, "")
		}
	}
	fmt.Fprintf(&b, `{"type":"summary","summary":%s,"leafUuid":"%s-1"}`+"\n", mustJSON(t, texts[0]), id)
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

func mustJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// padding returns n characters of words.
func padding(n int) string {
	const words = "look at the list of orders and say what is in it before the next one is made "
	return strings.Repeat(words, n/len(words)+1)[:n]
}

// leaked returns the longest part of a secret in a text, of at least least characters.
func leaked(text, secret string, least int) string {
	longest := ""
	for i := 0; i+least <= len(secret); i++ {
		n := least
		for i+n <= len(secret) && strings.Contains(text, secret[i:i+n]) {
			n++
		}
		if n--; n >= least && n > len(longest) {
			longest = secret[i : i+n]
		}
	}
	return longest
}

// A secret is replaced before a text is cut, wherever the cut is: output for others contains no
// part of it.
func TestNoCutLeavesPartOfASecret(t *testing.T) {
	modeltest.Long(t, "it asks all questions about secrets at each place")
	for k, p := range planted {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			// Each secret stands at other places, so that every cut is within several of them.
			var texts []string
			for n := 3 * k; n < 460; n += 27 {
				texts = append(texts, padding(n)+" "+p.before+p.secret+p.after+" and then go on with what is left of it")
			}
			all, half := filepath.Join(root, "all.jsonl"), filepath.Join(root, "half.jsonl")
			plantedRun(t, all, "all", texts)
			plantedRun(t, half, "half", texts[:len(texts)/2])
			for i := 0; i < len(texts); i += 2 {
				plantedRun(t, filepath.Join(root, fmt.Sprintf("one%d.jsonl", i)), fmt.Sprint("one", i), texts[i:i+1])
			}
			check := func(what, out string) {
				if out == "" {
					t.Errorf("%s: nothing", what)
				}
				if part := leaked(out, p.secret, 8); part != "" {
					at := strings.Index(out, part)
					t.Errorf("%s leaks %d of %d characters: …%s…", what, len(part), len(p.secret), out[max(0, at-80):min(len(out), at+len(part)+20)])
				}
			}
			for _, args := range [][]string{
				{"log", all, "--to", "markdown"}, {"log", all, "--to", "csv"}, {"diff", all, half, "--to", "markdown"},
			} {
				_, out, _ := run(t, "", args...)
				check(strings.Join(args[:1], " ")+" "+args[len(args)-1], out)
			}
			ask := asks(t, newApp(IO{Env: func(string) string { return "" }}), root)
			for _, q := range []struct {
				tool string
				args map[string]any
			}{
				{"sessions", nil}, {"search", map[string]any{"query": "orders"}}, {"search", map[string]any{"query": "go on with"}},
				{"search", map[string]any{"query": "/go on w/", "path": all}}, {"show", map[string]any{"path": all}},
				{"timeline", map[string]any{"path": all}}, {"tools", map[string]any{"path": all}}, {"tools", nil},
				{"stats", map[string]any{"path": all}}, {"stats", nil}, {"context", map[string]any{"path": all}}, {"context", map[string]any{"path": all, "at": 4}},
				{"diff", map[string]any{"path": all, "other": half}}, {"recap", map[string]any{"path": all}}, {"recap", nil}, {"failures", nil}, {"loops", nil}, {"cost", nil}, {"check", map[string]any{"path": all}},
			} {
				args := map[string]any{"max_tokens": 1 << 20}
				maps.Copy(args, q.args)
				out, err := ask(q.tool, args)
				if err != nil {
					t.Errorf("%s: %v", q.tool, err)
				}
				check(fmt.Sprintf("mcp %s %v", q.tool, q.args), out)
			}
		})
	}
}

// TestLastWordsGoToOthersWithoutSecrets: short last words, which no cut redacts, follow the rule of
// titles: a session's last words, its open question and its prompts have no secrets in Markdown and
// in answers for agents, and are as recorded on the user's own terminal.
func TestLastWordsGoToOthersWithoutSecrets(t *testing.T) {
	root, p := t.TempDir(), planted[0]
	path := filepath.Join(root, "s.jsonl")
	lines := ""
	for i, role := range []string{"user", "assistant"} {
		lines += fmt.Sprintf(`{"type":%q,"uuid":"%d","sessionId":"s","timestamp":"2026-01-02T03:00:0%dZ","message":{"role":%q,"id":"m%d","model":"m","stop_reason":"end_turn","content":[{"type":"text","text":%s}]}}`+"\n",
			role, i, i, role, i, mustJSON(t, role+" "+p.secret+"?"))
	}
	lines += fmt.Sprintf(`{"type":"summary","summary":%s,"leafUuid":"1"}`+"\n", mustJSON(t, "title "+p.secret))
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	held := func(what, out, words string) {
		if !strings.Contains(out, words) || strings.Contains(out, p.secret) {
			t.Errorf("%s: %q is missing, or its secret is not:\n%s", what, words, out)
		}
	}
	ask := asks(t, newApp(IO{Env: func(string) string { return "" }}), root)
	for _, q := range []struct{ command, tool, words string }{
		{"stats", "stats", "assistant "}, {"recap", "recap", "last words: assistant "}, {"recap", "recap", "question  assistant "},
		{"recap", "recap", "last prompt: user "}, {"ls", "sessions", "title "},
	} {
		_, out, _ := run(t, "", q.command, path, "--json")
		if !strings.Contains(out, p.secret) {
			t.Errorf("%s does not print what is recorded:\n%s", q.command, out)
		}
		out, err := ask(q.tool, nil)
		if q.tool == "stats" {
			out, err = ask(q.tool, map[string]any{"path": path})
		}
		if err != nil {
			t.Fatal(err)
		}
		held(q.tool+" for agents", out, q.words+"[redacted:github-token]")
	}
	_, out, _ := run(t, "", "stats", path, "--to", "markdown")
	held("stats as Markdown", out, `finished: "assistant \[redacted:github-token]`)
}

// mayCut are the files that may cut text without package human: those that draw the screen, from
// which no text is copied, the messages about a filter typed by the user, and the cells of a CSV,
// which are redacted unless the user chose otherwise.
var mayCut = []string{
	"query/human/cut.go", "query/human/width.go", "query/lang/lex.go", "query/lang/parse.go", "ui/screen/filterbar.go",
	"export/people/csv.go", "ui/paint/box.go", "ui/paint/diff.go", "ui/paint/mdblocks.go", "ui/paint/printed.go", "ui/paint/styles.go", "ui/paint/text.go", "ui/paint/markdown.go",
}

var cutting = regexp.MustCompile(`ansi\.Truncate|human\.(First|After|Clip)\(|\[:[^\]]+\]\)?(, "")?\)? ?\+ ?"(…|\.\.\.)"`)

// One function redacts and cuts; no other code cuts text for people.
func TestOneHomeOfCuts(t *testing.T) {
	var found []string
	for _, dir := range []string{"query", "export", "ui"} {
		err := filepath.WalkDir("../../"+dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
			if cutting.Match(text) {
				found = append(found, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range found {
		if !slices.Contains(mayCut, name) {
			t.Errorf("%s cuts text: package human does that, without secrets", name)
		}
	}
	for _, name := range mayCut {
		if !slices.Contains(found, name) {
			t.Errorf("%s cuts nothing any more", name)
		}
	}
}
