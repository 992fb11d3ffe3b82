//go:build unix

package cli

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No answer to an agent reads outside of the roots, wherever symbolic links in them lead.
func TestNoLinkLeadsOutOfTheRoots(t *testing.T) {
	top := t.TempDir()
	root, out := filepath.Join(top, "root"), filepath.Join(top, "out")
	for _, dir := range []string{filepath.Join(root, "day"), filepath.Join(root, "own"), filepath.Join(out, "deep"), filepath.Join(out, "own", "subagents")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const secret = "the outside plans of quarter nine"
	session := func(path, id, text string) {
		plantedRun(t, path, id, []string{text})
	}
	session(filepath.Join(root, "day", "a.jsonl"), "a", "what is inside of it")
	session(filepath.Join(out, "secret.jsonl"), "secret", secret)
	session(filepath.Join(out, "deep", "secret.jsonl"), "deep", secret)
	session(filepath.Join(root, "own.jsonl"), "own", "what is inside of it")
	session(filepath.Join(out, "own", "subagents", "agent-1.jsonl"), "own", secret)
	for from, to := range map[string]string{
		"link.jsonl": filepath.Join(out, "secret.jsonl"), "relative.jsonl": "../out/secret.jsonl", "linkdir": out, "relativedir": "../out/deep",
		"day/up": "../..", "day/link.jsonl": "../link.jsonl", "day/chain": "../linkdir", "hard": filepath.Join(out, "deep"),
		"own/subagents": filepath.Join(out, "own", "subagents"), "proc": "/proc/self/root" + out,
	} {
		if err := os.Symlink(to, filepath.Join(root, from)); err != nil {
			t.Fatal(err)
		}
	}
	ask := asks(t, newApp(IO{Env: func(string) string { return "" }}), root)
	for _, path := range []string{"", root, "day", "day/a.jsonl", "own.jsonl", "link.jsonl", "linkdir", "linkdir/secret.jsonl", "day/up", "day/chain/secret.jsonl", "proc", "own"} {
		for _, q := range []struct {
			tool string
			args map[string]any
		}{
			{"sessions", nil}, {"search", map[string]any{"pattern": "outside plans"}}, {"search", map[string]any{"pattern": "quarter", "sessions": "text:quarter"}},
			{"stats", nil}, {"tools", nil}, {"threads", nil}, {"groups", nil}, {"show", nil}, {"timeline", nil}, {"context", nil},
			{"diff", map[string]any{"other": "day/a.jsonl"}}, {"diff", map[string]any{"other": "link.jsonl"}},
		} {
			args := map[string]any{"path": path}
			if path == "" {
				delete(args, "path")
			}
			maps.Copy(args, q.args)
			text, err := ask(q.tool, args)
			if err != nil {
				text = strings.ReplaceAll(err.Error(), path, "")
			}
			if strings.Contains(text, "quarter nine") || strings.Contains(text, "secret") && q.tool == "sessions" || q.tool == "stats" && strings.Contains(text, "4 sessions") {
				t.Errorf("%s of %q tells what is outside:\n%s", q.tool, path, text)
			}
		}
	}
	text, err := ask("sessions", nil)
	if err != nil || strings.Count(text, ".jsonl") != 2 {
		t.Errorf("the sessions inside: %v\n%s", err, text)
	}
}

// TestLinksOutOfAFolder: a folder with links to /proc and /dev lists only its own session: a read
// below the links could wait forever or never end.
func TestLinksOutOfAFolder(t *testing.T) {
	dir := t.TempDir()
	demo, err := os.ReadFile("../../testdata/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "demo.jsonl"), demo, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"proc": "/proc", "dev": "/dev", "kmsg.jsonl": "/dev/kmsg", "zero.jsonl": "/dev/zero"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range [][]string{{"ls", dir}, {"stats", dir}, {"search", dir, "Watch"}, {"archive", dir, "--into", filepath.Join(t.TempDir(), "kept")}} {
		code, out, said := run(t, "", append(command, "--no-state")...)
		if text := out + said; code != 0 || strings.Contains(text, "/proc") || strings.Contains(text, "/dev") || strings.Contains(text, "kmsg") {
			t.Errorf("%q: %d\n%s", command, code, text)
		}
		if rows := strings.Count(out, "\n"); command[0] == "ls" && rows != 1 {
			t.Errorf("%d sessions, want 1:\n%s", rows, out)
		}
	}
}
