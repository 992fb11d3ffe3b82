package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"turns/model/modeltest"
	"turns/query/session"
	"turns/ui/screen"
	"turns/ui/sessions"
	"turns/ui/transcripts"
)

// listedSamples are the sessions in the lists of the test, including parts of a file with several.
var listedSamples = []string{
	"claude-code/session.jsonl", "codex/rollout-fork.jsonl", "aider/history.md", "agent-c/session.json", "hermes/session.jsonl", "gemini-cli/log.jsonl",
	"grok/chat_history.jsonl", "openai-responses/events.jsonl", "mini-swe-agent/v1.traj.json", "copilot-cli/session.jsonl", "qwen-code/session.jsonl",
}

// TestSessionFiltersAgree: the session list on the screen and turns ls -q accept the same sessions
// for any filter.
func TestSessionFiltersAgree(t *testing.T) {
	t.Parallel()
	modeltest.Long(t, "it asks many filters of every sample")
	dir := t.TempDir()
	samples := listedSamples
	if modeltest.Whole() {
		samples = nil
		for _, path := range transcriptFiles(t, "../../testdata/formats") {
			samples = append(samples, strings.TrimPrefix(path, "../../testdata/formats/"))
		}
	}
	for i, name := range samples {
		data, err := os.ReadFile("../../testdata/formats/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d-%s", i, filepath.Base(name))), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lib := transcripts.New(transcripts.Options{Dirs: []string{dir}, Zone: time.UTC})
	all := listOf(t, lib)
	words := wordsOf(all)
	random := rand.New(rand.NewPCG(1, 2))
	d := sessions.New(screen.NewHost(t.Context(), screen.Options{Store: lib, UTC: true}), &sessions.Memory{})
	d.All = all
	some := 0
	for range 200 {
		query := generated(random, words, 2)
		screened, printed := onScreen(d, query), inList(t, dir, query)
		if !slices.Equal(screened, printed) {
			t.Errorf("%s\nscreen: %v\nls:     %v", query, screened, printed)
		}
		if 0 < len(printed) && len(printed) < len(all) {
			some++
		}
	}
	if some < 60 {
		t.Errorf("only %d of 200 filters tell the sessions apart: they test little", some)
	}
}

func listOf(t *testing.T, lib *transcripts.Store) (all []session.Session) {
	list, err := lib.Sessions(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	for s, err := range list.Rows {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// wordsOf returns possible filter values for some sessions, by key.
func wordsOf(all []session.Session) map[string][]string {
	words := map[string][]string{
		"is":     {"error", "pending", "live", "compacted", "injected", "orphan", "denied", "error,pending"},
		"has":    {"reasoning", "image", "code", "error"},
		"end":    {"open", "finished", "failed", "unknown", "interrupted", "open,failed"},
		"tokens": {">100", "<2k", "0..500", ">=1"}, "dur": {">5s", "<1m", ">1h"},
		"after": {"2025-01-01", "2026-02-11", "yesterday"}, "before": {"2026-01-01", "2h"}, "time": {"2026-02-11"},
		"role": {"user", "tool", "sys*"}, "tool": {"Bash", "Re*", "/^[a-z_]+$/", "shell,Read"}, "outcome": {"failed", "ok"},
		"text": {"the", "/fix|bug/i"}, "": {"the", `"a"`, "/[Ff]ix/", "session", "go"},
	}
	add := func(key, text string) {
		if text = strings.Map(func(r rune) rune {
			if strings.ContainsRune(`"/*?[](),|:\ `, r) {
				return -1
			}
			return r
		}, text); len(text) > 3 {
			words[key] = append(words[key], text, strings.ToUpper(text), text[:3]+"*", "/"+text[1:3]+".*/i")
		}
	}
	for i := range all {
		s := &all[i]
		add("model", s.Model)
		add("agent", s.AgentName())
		add("project", s.Folder())
		add("session", s.Session)
		add("file", filepath.Base(s.Path))
		for _, word := range strings.Fields(s.Title)[:min(3, len(strings.Fields(s.Title)))] {
			add("title", word)
			add("", word)
		}
	}
	return words
}

// generated returns a filter of some terms; deep is the deepest nesting.
func generated(r *rand.Rand, words map[string][]string, deep int) string {
	if deep > 0 && r.IntN(3) > 0 {
		a, b := generated(r, words, deep-1), generated(r, words, deep-1)
		if r.IntN(2) == 0 {
			return a + " " + b
		}
		return "(" + a + " | " + b + ")"
	}
	keys := make([]string, 0, len(words))
	for key := range words {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	key := keys[r.IntN(len(keys))]
	term := words[key][r.IntN(len(words[key]))]
	if key != "" {
		term = key + ":" + term
	}
	if r.IntN(4) == 0 {
		term = "-" + term
	}
	return term
}

// onScreen returns the paths in the list on the screen.
func onScreen(d *sessions.List, query string) (paths []string) {
	d.Filter.Set(query)
	queue := []tea.Cmd{d.Narrow()}
	for len(queue) > 0 {
		cmd := queue[0]
		queue = queue[1:]
		if cmd == nil {
			continue
		}
		if msg := cmd(); msg == nil {
			continue
		} else if batch, ok := msg.(tea.BatchMsg); ok {
			queue = append(queue, batch...)
		} else {
			queue = append(queue, d.Message(msg))
		}
	}
	for _, i := range d.Shown {
		paths = append(paths, d.All[i].Path)
	}
	slices.Sort(paths)
	return paths
}

// inList returns the paths printed by turns ls -q.
func inList(t *testing.T, dir, query string) (paths []string) {
	code, out, errs := run(t, "", "ls", dir, "--utc", "--json", "-q", query)
	if code != exitOK || errs != "" {
		t.Errorf("ls -q %s: exit code %d, %q", query, code, errs)
	}
	for line := range strings.Lines(out) {
		var s session.Row
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, s.Path)
	}
	slices.Sort(paths)
	return paths
}
