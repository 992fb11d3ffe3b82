package cli

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/export/formats"
)

// plantedName is a name, and a text that identifies it as one.
type plantedName struct{ name, shown string }

// plantedNames are 200 names of all kinds, each identified in a different way.
func plantedNames() []plantedName {
	var all []plantedName
	add := func(count int, name func(i int) string, shown ...string) {
		for i := range count {
			n := name(i)
			all = append(all, plantedName{n, strings.ReplaceAll(shown[i%len(shown)], "¤", n)})
		}
	}
	const letters = "bcdfghjklmnpqrstvwxz"
	syllables := func(i int) string {
		return string([]byte{letters[i%20], 'o', letters[i/20%20], 'u', letters[(i*7+3)%20], 'a'})
	}
	add(70, func(i int) string { return syllables(i) + "vik" }, "/home/¤/src/main.go", "/Users/¤/Library", `C:\Users\¤\AppData`, "-rw-r--r-- 1 ¤ staff 12 Jan 1 10:00 a",
		"uid=1000(¤) gid=1000(¤)", "USER=¤", "¤@build-77:~/src$ ls", "file:///home/¤/x.html")
	add(35, func(i int) string { return fmt.Sprintf("%s-%02d", syllables(i+100), i) }, "anna@¤:~$ make", "ssh root@¤", "Linux ¤ 6.8.0-45-generic #45 SMP", "HOSTNAME=¤", "¤.internal:8080",
		`{"hostname": "¤"}`)
	add(35, func(i int) string {
		return fmt.Sprintf("%s.%s@%s-mail.%s", syllables(i+200), syllables(i+300), syllables(i), []string{"com", "de", "io", "co.uk", "dev"}[i%5])
	}, "¤", "<¤>", "mailto:¤")
	add(30, func(i int) string { return fmt.Sprintf("%d.%d.%d.%d", 34+i*5, 60+i, 17*i%250, 11+i) }, "¤", "http://¤:8080/x", "inet ¤/24")
	add(30, func(i int) string { return fmt.Sprintf("%s-%s-%d", syllables(i+400), syllables(i+500), i) }, "git@github.com:acme-labs/¤.git", `[remote "origin"]`+"\n\turl = https://github.com/acme-labs/¤.git",
		"origin\tgit@gitlab.com:acme-labs/¤.git (fetch)", "git@git.acme-labs.dev:group/¤.git")
	return all
}

// namePlaces is the number of places in a session with a name.
const namePlaces = 20

// namesRun writes a session with each name in each place. One place identifies it as a name, the
// others only contain it.
func namesRun(t *testing.T, dir string, all []plantedName) string {
	t.Helper()
	text := func(place int) string {
		var words []string
		for i, n := range all {
			if i%namePlaces == place {
				words = append(words, n.shown)
			} else {
				words = append(words, n.name)
			}
		}
		return strings.Join(words, " \n")
	}
	var b strings.Builder
	n := 0
	line := func(v map[string]any, kind string, content any) {
		n++
		record := map[string]any{"type": kind, "uuid": fmt.Sprintf("u-%d", n), "sessionId": "s", "cwd": "/w", "version": "2.1.0", "timestamp": fmt.Sprintf("2026-01-02T03:04:%02dZ", n%60)}
		if content != nil {
			record["message"] = map[string]any{"role": kind, "id": fmt.Sprintf("m%d", n), "model": "m", "content": content, "usage": map[string]int{"input_tokens": 1000 + n, "output_tokens": n}}
		}
		maps.Copy(record, v)
		b.WriteString(mustJSON(t, record) + "\n")
	}
	keys := map[string]any{}
	for i, word := range strings.Split(text(9), " \n") {
		keys[word] = i
	}
	use := func(id, tool string, input map[string]any) map[string]any {
		return map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}
	}
	line(nil, "user", text(0))
	line(map[string]any{"gitBranch": text(13), "cwd": "/w/" + text(12)}, "user", "<bash-input>"+text(1)+"</bash-input>")
	line(nil, "assistant", []any{
		map[string]any{"type": "thinking", "thinking": text(2)}, map[string]any{"type": "text", "text": text(3)},
		use("c1", "Bash", map[string]any{"command": text(4), "description": text(5)}),
		use("c2", "Read", map[string]any{"file_path": "/w/" + text(6)}),
		use("c3", "WebFetch", map[string]any{"url": text(7), "prompt": text(8)}),
		use("c4", "mcp__x__y", map[string]any{"files": keys}),
		use("c5", "Task", map[string]any{"description": text(16), "prompt": text(10), "subagent_type": "x"}),
		use("c6", "Edit", map[string]any{"file_path": "/w/a", "old_string": text(11), "new_string": text(17)}),
	})
	for i := range 6 {
		line(map[string]any{"toolUseResult": map[string]any{"stdout": text(18)}}, "user", []any{map[string]any{"type": "tool_result", "tool_use_id": fmt.Sprintf("c%d", i+1), "is_error": i%2 == 0,
			"content": mustJSON(t, map[string]any{"path": text(14)}) + "\x1b[31m" + text(15) + "\x1b[0m"}})
	}
	b.WriteString(mustJSON(t, map[string]any{"type": "summary", "summary": text(19), "leafUuid": "u-1"}) + "\n")
	path := filepath.Join(dir, "-home-"+all[0].name+"-src", all[1].name+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantNone reports names that a text contains.
func wantNone(t *testing.T, where, text string, all []plantedName) {
	t.Helper()
	text, left := strings.ToLower(text), 0
	for _, n := range all {
		if i := strings.Index(text, strings.ToLower(n.name)); i >= 0 {
			if left++; left <= 5 {
				t.Errorf("%s: %s (%s) remains: %q", where, n.name, n.shown, text[max(0, i-40):min(len(text), i+len(n.name)+20)])
			}
		}
	}
	if left > 0 {
		t.Errorf("%s: %d of %d names remain", where, left, len(all))
	}
}

// No export contains a name: 200 names, each in 20 places, one of which shows that it is a
// name.
func TestAnonymizedExports(t *testing.T) {
	t.Parallel()
	all := plantedNames()
	if len(all) != 200 {
		t.Fatal(len(all))
	}
	dir := t.TempDir()
	path := namesRun(t, dir, all)
	for _, f := range formats.All() {
		code, out, said := run(t, "", "export", path, "--to", f.Name, "--anonymize", "--max-content-length", "0")
		if code != 0 {
			t.Errorf("%s: exit code %d: %s", f.Name, code, said)
		}
		wantNone(t, f.Name, out, all)
		switch f.Ext {
		case ".json":
			if !json.Valid([]byte(out)) {
				t.Errorf("%s: no JSON", f.Name)
			}
		case ".jsonl":
			for line := range strings.Lines(out) {
				var v any
				if err := json.Unmarshal([]byte(line), &v); err != nil {
					at := 0
					if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
						at = int(syntax.Offset)
					}
					t.Errorf("%s: no JSON: %v: %q", f.Name, err, line[max(0, at-60):min(len(line), at+20)])
				}
			}
		}
		if f.People || f.Name == "raw" || f.Name == "json" {
			code, again, _ := run(t, "", "export", path, "--to", f.Name, "--anonymize", "--max-content-length", "0")
			if now := func(s string) string {
				return strings.Join(slices.DeleteFunc(strings.Split(s, "\n"), func(l string) bool { return strings.Contains(l, "Exported") || strings.Contains(l, "exported") }), "\n")
			}; code != 0 || now(again) != now(out) {
				t.Errorf("%s: a second export has other replacements", f.Name)
			}
		}
	}
	// short cells cut names in the middle
	_, out, _ := run(t, "", "export", path, "--to", "csv", "--anonymize", "--max-content-length", "60")
	wantNone(t, "csv, cut", out, all)

	tables := filepath.Join(t.TempDir(), "tables")
	if code, _, said := run(t, "", "export", dir, "--to", "parquet", "-o", tables, "--anonymize"); code != 0 {
		t.Fatalf("parquet: exit code %d: %s", code, said)
	}
	for _, to := range []string{"jsonl", "text"} {
		_, out, said := run(t, "", "export", tables, "--to", to, "--no-redact")
		if len(out) < 1000 {
			t.Errorf("parquet: %d bytes: %s", len(out), said)
		}
		wantNone(t, "parquet as "+to, out, all)
	}
	_, out, _ = run(t, "", "ls", tables, "--json")
	wantNone(t, "list of parquet", strings.ReplaceAll(out, tables, ""), all)

	into := filepath.Join(t.TempDir(), "out")
	if code, _, said := run(t, "", "export", dir, "--to", "markdown", "-o", into, "--anonymize"); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	wantNone(t, "names of exported files", strings.Join(filesIn(t, into), "\n"), all)
}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// An anonymized archive has no name in its files, their paths and its index, is marked as
// anonymized, and is restored unchanged. Its statistics equal those of the originals.
func TestAnonymizedArchive(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", "")
	all := plantedNames()
	dir, into, back := t.TempDir(), filepath.Join(t.TempDir(), "archive"), filepath.Join(t.TempDir(), "back")
	first := namesRun(t, dir, all)
	second := namesRun(t, filepath.Join(dir, "-home-"+all[8].name+"-x"), all[:150])
	code, out, said := run(t, "", "archive", dir, "--into", into, "--anonymize", "--dry-run", "--json")
	var would replacedAnswer
	if err := json.Unmarshal([]byte(out), &would); code != 0 || err != nil || len(would.Kinds) < 6 {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out, said)
	}
	for _, k := range would.Kinds {
		if k.Names == 0 || k.Count < k.Names || len(k.Examples) == 0 || k.Examples[0].From == "" || k.Examples[0].To == "" {
			t.Errorf("dry run: %+v", k)
		}
	}
	if _, err := os.Stat(into); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the dry run wrote: %v", err)
	}
	archive := func() string {
		code, out, said := run(t, "", "archive", dir, "--into", into, "--anonymize")
		if code != 0 {
			t.Fatalf("exit code %d: %s%s", code, out, said)
		}
		return said
	}
	archive()
	index, err := os.ReadFile(filepath.Join(into, ".turns-keep", "index.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	wantNone(t, "index", string(index), all)
	if n := strings.Count(string(index), `"anonymized":true`); n != 2 {
		t.Errorf("%d entries are marked as anonymized, want 2: %s", n, index)
	}
	wantNone(t, "names of files", strings.Join(filesIn(t, into), "\n"), all)
	if said := archive(); !strings.Contains(said, "2 unchanged") {
		t.Errorf("a second run: %s", said)
	}

	if code, _, said := run(t, "", "archive", "--restore", into, "--into", back); code != 0 || !strings.Contains(said, "restored 2 files") {
		t.Fatalf("exit code %d: %s", code, said)
	}
	if code, _, said := run(t, "", "archive", "--restore", into, "--into", back); code != 0 || !strings.Contains(said, "2 unchanged") {
		t.Errorf("restoring again, exit code %d: %s", code, said)
	}
	restored := filesIn(t, back)
	wantNone(t, "names of restored files", strings.Join(restored, "\n"), all)
	for _, name := range restored {
		text, err := os.ReadFile(filepath.Join(back, name))
		if err != nil {
			t.Fatal(err)
		}
		wantNone(t, "restored", string(text), all)
		for line := range strings.Lines(string(text)) {
			if !json.Valid([]byte(line)) {
				t.Errorf("no JSON: %.200s", line)
			}
		}
		sum := fmt.Sprintf("%x", sha256.Sum256(text))
		if !strings.Contains(string(index), sum) {
			t.Errorf("%s: its hash is not in the index", name)
		}
	}
	sameStats(t, first, filepath.Join(back, restored[slices.IndexFunc(restored, func(s string) bool { return strings.Count(s, "-home-") == 1 })]))
	sameStats(t, second, filepath.Join(back, restored[slices.IndexFunc(restored, func(s string) bool { return strings.Count(s, "-home-") == 2 })]))

	// a transcript that has grown is archived again with the same replacements
	f, err := os.OpenFile(first, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(f, `{"type":"user","uuid":"z","sessionId":"s","timestamp":"2026-01-02T04:04:00Z","message":{"role":"user","content":"/home/zzneu/x and %s"}}`+"\n", all[3].name)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(back, restored[0]))
	if err != nil {
		t.Fatal(err)
	}
	archive()
	if code, _, said := run(t, "", "archive", "--restore", into, "--into", back, "--force"); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	for _, name := range restored {
		text, _ := os.ReadFile(filepath.Join(back, name))
		if name == restored[0] && !strings.HasPrefix(string(text), string(before)) {
			t.Errorf("%s: other replacements than before", name)
		}
	}
}

// sameStats compares the statistics of two files, except lengths of texts (bytes, and counted
// tokens) and the lists of texts.
func sameStats(t *testing.T, before, after string) {
	t.Helper()
	var answers [2]map[string]any
	for i, path := range []string{before, after} {
		code, out, said := run(t, "", "stats", path, "--json")
		if err := json.Unmarshal([]byte(out), &answers[i]); code != 0 || err != nil {
			t.Fatalf("stats of %s: exit code %d, %v: %s", path, code, err, said)
		}
	}
	for _, answer := range answers {
		for key := range answer {
			if strings.HasSuffix(key, "_bytes") || strings.Contains(key, "tokens") && key != "usage_tokens" || key == "largest" || key == "slowest" || key == "why" || strings.Contains(key, "path") || strings.Contains(key, "file") {
				delete(answer, key)
			}
		}
	}
	for key := range answers[0] {
		if a, b := mustJSON(t, answers[0][key]), mustJSON(t, answers[1][key]); a != b {
			t.Errorf("statistics changed: %s was %s, is %s", key, a, b)
		}
	}
}

// The configuration can make it the default, with the user's own patterns; a flag turns it off.
func TestAnonymizeInTheConfiguration(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	if err := os.MkdirAll(filepath.Join(dir, "turns"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "turns", "config.toml"), []byte("anonymize = true\nanonymize_patterns = ['falcon-\\d+']\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, []byte(`{"role":"user","content":"falcon-12 in /home/kmaron/src"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, out, said := run(t, "", "export", path, "--to", "jsonl"); !strings.Contains(out, "name1 in /home/user") || strings.Contains(out, "kmaron") {
		t.Errorf("%s%s", out, said)
	}
	if _, out, said := run(t, "", "export", path, "--to", "jsonl", "--anonymize=false"); !strings.Contains(out, "falcon-12 in /home/kmaron/src") {
		t.Errorf("%s%s", out, said)
	}
}

// A dry run of an export lists the replacements and writes no file.
func TestExportDryRun(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	token := "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xYz"
	if err := os.WriteFile(path, []byte(`{"role":"user","content":"kmaron in /home/kmaron/src, k.maron@kmail.de, `+token+`"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{path, "--to", "markdown", "-o", filepath.Join(dir, "out.md")}, {path, path, "--to", "markdown", "-o", filepath.Join(dir, "out")}} {
		code, out, said := run(t, "", append([]string{"export", "--anonymize", "--dry-run"}, args...)...)
		for _, want := range []string{"home", "kmaron → user", "mail", "k.maron@kmail.de → mail1@example.com", "secret", "github-token"} {
			if code != 0 || !strings.Contains(out, want) {
				t.Errorf("exit code %d, %q is not in %s%s", code, want, out, said)
			}
		}
		if strings.Contains(out, token) {
			t.Error("it shows a secret")
		}
	}
	if names := filesIn(t, dir); len(names) != 1 {
		t.Errorf("it wrote %v", names)
	}
	code, out, _ := run(t, "", "export", path, "--anonymize", "--dry-run", "--json")
	var answer replacedAnswer
	if err := json.Unmarshal([]byte(out), &answer); code != 0 || err != nil || len(answer.Kinds) != 3 {
		t.Errorf("exit code %d, %v: %s", code, err, out)
	}
	if code, _, said := run(t, "", "export", path, "--dry-run", "--to", "raw"); code == 0 || !strings.Contains(said, "--anonymize") {
		t.Errorf("exit code %d: %s", code, said)
	}
}
