package transcripts

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"turns/model"
	"turns/query/lang"
	"turns/query/session"
)

func TestResumeCommand(t *testing.T) {
	for _, c := range []struct {
		s    model.Summary
		want string
	}{
		{model.Summary{Format: "claude-code", Session: "8463c716", Project: "/home/me/my project", Sessions: 1}, "cd '/home/me/my project' && claude --resume 8463c716"},
		{model.Summary{Format: "codex", Session: "0199-a", Sessions: 1}, "codex resume 0199-a"},
		{model.Summary{Format: "pi", Path: "/home/me/it's.jsonl", Sessions: 1}, `pi --session '/home/me/it'\''s.jsonl'`},
		// no id was recorded
		{model.Summary{Format: "claude-code", Sessions: 1}, ""},
		// no agent makes such an id
		{model.Summary{Format: "codex", Session: "$(rm -rf /)", Sessions: 1}, ""},
		{model.Summary{Format: "claude-code", Session: "x\rtouch PWNED #", Sessions: 1}, ""},
		{model.Summary{Format: "claude-code", Session: "1", Project: "/home/x\rtouch PWNED #", Sessions: 1}, ""},
		{model.Summary{Format: "pi", Path: "/home/x\rtouch PWNED #.jsonl", Sessions: 1}, ""},
		{model.Summary{Format: "claude-code", Session: "--dangerously-skip-permissions", Sessions: 1}, ""},
		{model.Summary{Format: "copilot-cli", Agent: "GitHub Copilot CLI", Session: "c1", Sessions: 1}, "copilot --resume c1"},
		// of an editor
		{model.Summary{Format: "copilot-cli", Agent: "VS Code Copilot Chat", Session: "c1", Sessions: 1}, ""},
		{model.Summary{Format: "cursor", Path: "/home/me/state.vscdb#3", Session: "c1", Sessions: 1}, ""},
		{model.Summary{Format: "cursor", Path: "/home/me/c1.jsonl", Session: "c1", Sessions: 1}, "cursor-agent --resume c1"},
		{model.Summary{Format: "opencode", Session: "ses_1", Sessions: 3}, ""}, // several sessions
		// no command resumes it
		{model.Summary{Format: "swe-agent", Session: "marshmallow", Sessions: 1}, ""},
	} {
		if got, _ := resumeCommand(&c.s); got != c.want {
			t.Errorf("%s: %q, want %q", c.s.Format, got, c.want)
		}
	}
}

// claudeFile writes a session of Claude Code with a prompt and an answer.
func claudeFile(t *testing.T, dir, name, prompt, answer string, at time.Time) string {
	t.Helper()
	line := func(role, content string, sec int) string {
		return fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"userType":"external","type":%q,"sessionId":%q,"cwd":"/work/p","version":"2.1.39","uuid":"%s-%d","timestamp":%q,"message":{"role":%q,"content":%s}}`,
			role, name, name, sec, at.Add(time.Duration(sec)*time.Second).UTC().Format(time.RFC3339), role, content)
	}
	text := line("user", fmt.Sprintf("%q", prompt), 0) + "\n" + line("assistant", fmt.Sprintf(`[{"type":"text","text":%q}]`, answer), 1) + "\n"
	path := filepath.Join(dir, name+".jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return path
}

// The list arrives in batches, the newest first, and the bodies are searchable.
func TestSessionsForTheScreen(t *testing.T) {
	dir := t.TempDir()
	begin := time.Date(2026, 2, 11, 21, 0, 0, 0, time.UTC)
	for i := range 120 {
		claudeFile(t, dir, fmt.Sprintf("s%03d", i), fmt.Sprintf("question %d", i), fmt.Sprintf("first line\nthe answer is iso match %d\nlast", i), begin.Add(time.Duration(i)*time.Minute))
	}
	a := New(Options{Dirs: []string{dir}, Cache: t.TempDir()})
	var batches [][]session.Session
	l, err := a.newLister(t.Context(), func(news Update) { batches = append(batches, news.Sessions) })
	if err != nil {
		t.Fatal(err)
	}
	if err := l.list(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(batches) < 2 || len(batches[0]) > firstBatch {
		t.Errorf("%d batches, the first of %d", len(batches), len(batches[0]))
	}
	var all []session.Session
	for _, b := range batches {
		all = append(all, b...)
	}
	if len(all) != 120 || all[0].Title != "question 119" || !strings.HasSuffix(all[0].Resume, "claude --resume s119") {
		t.Fatalf("%d sessions, the first is %+v", len(all), all[0])
	}
	parse := func(text string) *lang.Filter {
		f, err := lang.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	found := searchedFor(t.Context(), a, []string{all[0].Path}, parse(`text:"iso match 119"`), parse(`text:nothing`), parse("role:assistant"))
	hits := found[all[0].Path].Hits
	if len(found) != 1 || len(hits) != 3 || !hits[0].Found || hits[0].Line != "the answer is iso match 119" || len(hits[0].Ranges) != 1 || hits[1].Found || !hits[2].Found {
		t.Errorf("found %+v", found)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for path, r := range searchedFor(ctx, a, []string{all[0].Path}, parse("x")) {
		if r.Err == nil {
			t.Errorf("a search that was stopped says of %s that nothing was found", path)
		}
	}
}

// searchedFor returns the results of a search in the list, by path.
func searchedFor(ctx context.Context, a *Store, paths []string, filters ...*lang.Filter) map[string]Found {
	found := map[string]Found{}
	a.Search(ctx, paths, filters, func(r Found) { found[r.Path] = r })
	return found
}

// A file with many conversations is read once, however many of them are searched, and each has its
// own first match.
func TestFileOfManyIsSearchedOnce(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		for _, n := range []string{"one", "two", "three"} {
			fmt.Fprintf(w, `{"messages":[{"role":"user","content":"what is %s?"},{"role":"assistant","content":"it is %[1]s"}]}`+"\n", n)
		}
	}))
	defer server.Close()
	a := New(Options{})
	url := server.URL + "/many.jsonl"
	filter := func(text string) *lang.Filter {
		f, err := lang.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	searchedFor(t.Context(), a, []string{url + "#0"}, filter("text:one"))
	once := asked.Swap(0)
	found := searchedFor(t.Context(), a, []string{url + "#0", url + "#2", url, url + "#1"}, filter("text:t"), filter("role:assistant text:two"))
	if n := asked.Load(); n != once || once == 0 {
		t.Errorf("the file was asked for %d times, for one of its conversations %d times", n, once)
	}
	for path, want := range map[string][2]string{
		"#0": {"what is one?", ""}, "#1": {"what is two?", "it is two"}, "#2": {"what is three?", ""}, "": {"what is one?", "it is two"},
	} {
		r := found[url+path]
		if r.Err != nil || len(r.Hits) != 2 || r.Hits[0].Line != want[0] || r.Hits[1].Line != want[1] || r.Hits[1].Found != (want[1] != "") {
			t.Errorf("in %q: %+v, want the lines %q", path, r, want)
		}
	}
	// each counted from 0
	counted := searchedFor(t.Context(), a, []string{url + "#1", url + "#2"}, filter("index:0"), filter("index:2"))
	for path, r := range counted {
		if len(r.Hits) != 2 || !r.Hits[0].Found || r.Hits[1].Found {
			t.Errorf("%q has by number %+v", path, r)
		}
	}
}

// A feed that follows folders reports a newer transcript, no other file, and only wanted ones.
func TestNewest(t *testing.T) {
	dir := t.TempDir()
	begin := time.Date(2026, 2, 11, 21, 0, 0, 0, time.UTC)
	old := claudeFile(t, dir, "old", "one", "two", begin)
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(`{"theme":"dark"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	n := newest{dirs: []string{dir}}
	if got := n.path(t.Context(), ""); got != old {
		t.Errorf("the newest is %q, want %q", got, old)
	}
	young := claudeFile(t, dir, "young", "three", "four", begin.Add(time.Hour))
	if got := n.path(t.Context(), old); got != young {
		t.Errorf("the newest is %q, want %q", got, young)
	}
	n.wants = func(s *model.Summary) bool { return s.Project == "/elsewhere" }
	if got := n.path(t.Context(), ""); got != "" {
		t.Errorf("the newest of another project is %q", got)
	}
}
