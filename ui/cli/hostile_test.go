package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"turns/export/formats"
	"turns/model/modeltest"
	"turns/query/human"
)

// unfit describes content that is not allowed in a text for people; "" for none. It implements the
// rule independently of model.Clean.
func unfit(s string) string {
	if !utf8.ValidString(s) {
		return "invalid UTF-8"
	}
	for i, r := range s {
		switch {
		case r < 0x20 && r != '\n' && r != '\t', r >= 0x7f && r <= 0x9f,
			r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c,
			r == 0x200b, r == 0xfeff, r == 0x2028, r == 0x2029, r >= 0xe0000 && r <= 0xe0fff:
			return fmt.Sprintf("%U in %q", r, s[max(0, i-60):min(len(s), i+20)])
		}
	}
	return ""
}

// unfitJSON is unfit for JSON on a terminal, which must also be valid JSON.
func unfitJSON(s string) string {
	for line := range strings.Lines(s) {
		if !json.Valid([]byte(line)) { // not JSON lines
			if s != "" && !json.Valid([]byte(s)) {
				return fmt.Sprintf("no JSON: %.300q", s)
			}
			break
		}
	}
	return unfit(s)
}

// active matches everything that makes a page run code or load resources: scripts other than the
// page's own, handlers, references. Escaped text contains no "<" and no quote.
var active = regexp.MustCompile(`(?i)<[a-z][^>]*\s(on[a-z]+|src|srcset|style|href|action|formaction|xlink:href|data|poster|background)\s*=\s*["']?([^"'>\s]*)|<(iframe|img|object|embed|link|base|meta|form|svg|script)\b[^>]*>|<[a-z][^>]*url\(`)

// link matches the allowed links, to external addresses, and one that lost its address.
var link = regexp.MustCompile(`^<a href="(https?://.*|mailto:.*)?$`)

// unfitHTML compares with the page of a harmless session, which has none of the tags of an attack.
func unfitHTML(page string, harmless map[string]bool) string {
	if why := unfit(page); why != "" {
		return why
	}
	for _, m := range active.FindAllStringSubmatch(page, -1) {
		if strings.HasPrefix(m[2], "#") || harmless[m[0]] || link.MatchString(m[0]) {
			continue
		}
		return fmt.Sprintf("%q", m[0])
	}
	return ""
}

func activeIn(page string) map[string]bool {
	found := make(map[string]bool)
	for _, m := range active.FindAllString(page, -1) {
		found[m] = true
	}
	return found
}

// unfitCSV looks for a cell that a spreadsheet would execute. Carriage returns in cells are
// allowed.
func unfitCSV(table string) string {
	if why := unfit(strings.ReplaceAll(table, "\r", "")); why != "" {
		return why
	}
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		return err.Error()
	}
	for _, row := range rows {
		for _, cell := range row {
			if t := strings.TrimLeft(cell, " \t\r\n"); t != "" && strings.ContainsRune("=@＝＠", []rune(t)[0]) || human.CSVCell(cell) != cell {
				return fmt.Sprintf("cell %q", cell)
			}
		}
	}
	return ""
}

// unfitMarkdown looks for parts of an attack outside of all fences.
func unfitMarkdown(doc string) string {
	if why := unfit(doc); why != "" {
		return why
	}
	fence := ""
	for line := range strings.Lines(doc) {
		line = strings.TrimRight(line, "\n")
		mark := strings.TrimLeft(line, " ")
		run := mark[:len(mark)-len(strings.TrimLeft(mark, "`~"))]
		switch {
		case fence == "" && len(run) >= 3 && (run[0] == '~' || !strings.Contains(mark[len(run):], "`")):
			fence = run
		case fence != "" && strings.HasPrefix(run, fence) && mark == run:
			fence = ""
		}
	}
	if fence != "" {
		return fmt.Sprintf("a fence %q stays open", fence)
	}
	return ""
}

// hostileRun runs the program on a file and checks both of its outputs.
func hostileRun(t *testing.T, check func(string) string, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := Run(context.Background(), args, IO{
		In: strings.NewReader(""), Out: &stdout, Err: &stderr, Terminal: true,
		Env: func(name string) string { return map[string]string{"NO_COLOR": "1"}[name] },
	})
	out, errs := stdout.String(), stderr.String()
	if why := check(out); why != "" {
		t.Errorf("turns %q: %s", args, why)
	}
	if why := unfit(errs); why != "" {
		t.Errorf("turns %q: stderr: %s", args, why)
	}
	if code < exitOK || code > exitError {
		t.Errorf("turns %q: exit code %d", args, code)
	}
	if strings.Contains(errs, "panic") || strings.Contains(errs, "goroutine ") {
		t.Errorf("turns %q: %s", args, errs)
	}
}

// outputs runs every command that prints texts of a transcript, and some of the exports.
func outputs(t *testing.T, path string, harmless map[string]bool, exports func(i int) bool) {
	t.Helper()
	with := func(command string, more ...string) []string {
		return append([]string{command, path}, more...)
	}
	hostileRun(t, unfit, with("show", "--utc")...)
	hostileRun(t, unfit, with("stats", "--no-tokens")...)
	hostileRun(t, unfit, with("tools", "--no-tokens")...)
	hostileRun(t, unfit, with("timeline")...)
	hostileRun(t, unfit, with("check")...)
	hostileRun(t, unfit, "search", path, "seen")
	hostileRun(t, unfit, "ls", path)
	hostileRun(t, unfit, "formats", "--explain", path)
	hostileRun(t, unfitJSON, with("stats", "--json", "--no-tokens")...)
	hostileRun(t, unfitJSON, with("tools", "--json", "--no-tokens")...)
	hostileRun(t, unfitJSON, with("timeline", "--json")...)
	for i, f := range formats.All() {
		if !exports(i) {
			continue
		}
		check := unfitJSON
		switch f.Name {
		case "html":
			check = func(page string) string { return unfitHTML(page, harmless) }
		case "csv":
			check = unfitCSV
		case "markdown":
			check = unfitMarkdown
		case "text":
			check = unfit
		case "raw":
			check = unfit
		}
		hostileRun(t, check, with("export", "--to", f.Name)...)
	}
}

// harmlessPage returns the tags of the page itself: the search, and an image in a tool result.
func harmlessPage(t *testing.T) map[string]bool {
	t.Helper()
	carrier := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(carrier, modeltest.Carrier(), 0o600); err != nil {
		t.Fatal(err)
	}
	var pages strings.Builder
	for _, path := range []string{"../../testdata/demo.jsonl", carrier} {
		code, page, errs := run(t, "", "export", path, "--to", "html")
		if code != exitOK {
			t.Fatal(errs)
		}
		pages.WriteString(page)
	}
	return activeIn(pages.String())
}

// TestHostileTextReachesNobody puts every attack at every place of a session and checks all output
// of the program about it.
func TestHostileTextReachesNobody(t *testing.T) {
	t.Parallel()
	harmless := harmlessPage(t)
	for n, raw := range []bool{true, false} {
		if testing.Short() && !raw {
			break
		}
		var all []byte
		for i, a := range modeltest.Attacks() {
			if !modeltest.Some(i, 1) {
				continue
			}
			all = append(all, modeltest.Attacked(modeltest.Carrier(), a.Text, raw)...)
		}
		path := filepath.Join(t.TempDir(), "run.jsonl")
		if err := os.WriteFile(path, all, 0o600); err != nil {
			t.Fatal(err)
		}
		// each form (raw or escaped) gets half of the exports, which do not depend on it
		outputs(t, path, harmless, func(i int) bool { return modeltest.Some(i+n, 2) })
	}
}

// everything is an attack that concatenates all attacks.
func everything() string {
	var b strings.Builder
	for _, a := range modeltest.Attacks() {
		if len(a.Text) < 400 {
			b.WriteString(a.Text)
			b.WriteString(" ")
		}
	}
	return b.String()
}

// TestHostileTextInEachFormat inserts attacks into the samples of all formats.
func TestHostileTextInEachFormat(t *testing.T) {
	t.Parallel()
	harmless := harmlessPage(t)
	paths, err := filepath.Glob("../../testdata/formats/*/*")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	attack := everything()
	for i, path := range paths {
		if strings.HasSuffix(path, ".golden") || strings.Contains(path, ".rows.") {
			continue
		}
		if !modeltest.Some(i, 1) {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		format := filepath.Base(filepath.Dir(path))
		t.Run(format+"/"+filepath.Base(path), func(t *testing.T) {
			name := filepath.Join(t.TempDir(), filepath.Base(path))
			if err := os.WriteFile(name, modeltest.Attacked(data, attack, true), 0o600); err != nil {
				t.Fatal(err)
			}
			for k, o := range []struct {
				check func(string) string
				args  []string
			}{
				{unfit, []string{"show"}}, {unfit, []string{"stats", "--no-tokens"}}, {unfit, []string{"check"}},
				{unfit, []string{"search"}}, {unfitMarkdown, []string{"export", "--to", "markdown"}},
				{unfitCSV, []string{"export", "--to", "csv"}}, {unfitJSON, []string{"export", "--to", "openai"}},
				{func(page string) string { return unfitHTML(page, harmless) }, []string{"export", "--to", "html"}},
			} {
				if k > 0 && !modeltest.Some(i+k, 13) {
					continue // show is checked by outputs
				}
				args := append([]string{o.args[0], name}, o.args[1:]...)
				if args[0] == "search" {
					args = append(args, "seen")
				}
				hostileRun(t, o.check, append(args, "--format", format)...)
			}
		})
	}
}

// TestHostileNames uses attacks as file names, flags and queries, which error messages repeat on
// the terminal.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	modeltest.Long(t, "hostile texts are tried in a file")
	dir := t.TempDir()
	harmless := harmlessPage(t)
	for i, a := range modeltest.Attacks() {
		if len(a.Text) < 12 || strings.HasPrefix(a.Name, "esc ") {
			continue // single controls, which others contain as well
		}
		for k, args := range [][]string{
			{"show", dir + "/" + a.Text}, {"stats", "demo", "--format", a.Text}, {"export", dir, "--to", a.Text},
			{"show", "../../testdata/demo.jsonl", "-q", a.Text}, {"show", "../../testdata/demo.jsonl", "-q", "role:" + a.Text},
			{"show", "../../testdata/demo.jsonl", "-q", "/" + a.Text + "(/"}, {"show", "../../testdata/demo.jsonl", "--session", a.Text},
			{"show", "../../testdata/demo.jsonl", "--slice", a.Text}, {a.Text, "--plain"}, {"ls", dir + "/" + a.Text}, {"show", "--" + a.Text},
			{"show", "http://127.0.0.1:1/" + a.Text}, {"show", "http://127.0.0.1:1/", "-H", a.Text}, {"--theme", a.Text, "--plain", "../../testdata/demo.jsonl"},
		} {
			// each attack at half of the places, the next one at the others
			if modeltest.Some(i+k, 2) {
				hostileRun(t, unfit, args...)
			}
		}
		name := strings.NewReplacer("/", "_", "\x00", "_").Replace(a.Text)
		if len(name) > 200 || strings.HasPrefix(name, "-") {
			continue
		}
		sub := filepath.Join(dir, "names")
		if err := os.MkdirAll(sub, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(sub, name)
		if err := os.WriteFile(path, modeltest.Carrier(), 0o600); err != nil {
			continue // the file system rejects the name
		}
		hostileRun(t, unfit, "ls", sub)
		hostileRun(t, unfit, "search", sub, "answer")
		for k, o := range []struct {
			check func(string) string
			args  []string
		}{
			{unfit, []string{"stats", path, "--no-tokens"}}, {func(s string) string { return unfitHTML(s, harmless) }, []string{"export", path, "--to", "html"}},
			{unfitMarkdown, []string{"export", path, "--to", "markdown"}},
		} {
			if modeltest.Some(i+k, 3) {
				hostileRun(t, o.check, o.args...)
			}
		}
		os.Remove(path)
	}
}

// TestExplodingInput reads input that once needed hours instead of seconds: many keys in one
// object, missing parents, a call id without a result.
func TestExplodingInput(t *testing.T) {
	modeltest.Long(t, "it reads what is much work")
	var keys, parents, ids strings.Builder
	keys.WriteString(`{"role":"user","content":"x"`)
	for i := range modeltest.Fewer(200_000, 30_000) {
		fmt.Fprintf(&keys, `,"k%d":%d`, i, i)
	}
	keys.WriteString("}\n")
	for i := range modeltest.Fewer(20_000, 5_000) {
		fmt.Fprintf(&parents, `{"type":"user","uuid":"u%d","parentUuid":"p%d","sessionId":"s","message":{"role":"user","content":"x"}}`+"\n", i, i)
		ids.WriteString(`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}` + "\n")
	}
	for name, text := range map[string]string{"keys": keys.String(), "parents": parents.String(), "ids": ids.String()} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run.jsonl")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, command := range []string{"show", "check"} {
				var out, errs bytes.Buffer
				stdio := IO{In: strings.NewReader(""), Out: &out, Err: &errs, Env: func(string) string { return "" }}
				if code := Run(t.Context(), []string{command, path}, stdio); code > exitNoMatch {
					t.Errorf("%s: exit code %d: %s", command, code, errs.String())
				}
			}
		})
	}
}

// FuzzHostileText puts a text everywhere and checks the outputs for people.
func FuzzHostileText(f *testing.F) {
	for i, a := range modeltest.Attacks() {
		if !strings.HasPrefix(a.Name, "esc ") && modeltest.Some(i, 1) {
			f.Add(a.Text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "run.jsonl")
		if err := os.WriteFile(path, modeltest.Attacked(modeltest.Carrier(), text, true), 0o600); err != nil {
			t.Fatal(err)
		}
		hostileRun(t, unfit, "show", path)
		hostileRun(t, unfitMarkdown, "export", path, "--to", "markdown")
		hostileRun(t, unfitCSV, "export", path, "--to", "csv")
	})
}
