package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"turns/model/modeltest"
)

// Longer pages are not read to their end.
const (
	readmeLines = 250
	pageLines   = 120
)

// pagePaths returns the README and the pages of turns help.
func pagePaths(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("help/*.md")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d pages: %v", len(paths), err)
	}
	return append(paths, "../../README.md")
}

// codeBlock is a fenced block: its language, and its lines in the page.
type codeBlock struct {
	language string
	from, to int // lines[from:to] are between the fences
}

// codeBlocks finds the fenced blocks of a page.
func codeBlocks(lines []string) (blocks []codeBlock) {
	open := -1
	for i, line := range lines {
		language, fence := strings.CutPrefix(line, "```")
		switch {
		case !fence:
		case open < 0:
			open = i
			blocks = append(blocks, codeBlock{language: language, from: i + 1})
		default:
			blocks[len(blocks)-1].to = i
			open = -1
		}
	}
	return blocks
}

// tableParts matches generated tables, which grow with the program.
var tableParts = regexp.MustCompile(`(?s)<!-- [a-z ]+ -->.*<!-- /[a-z ]+ -->`)

// TestPagesAreShort limits the lengths of the README and the help pages.
func TestPagesAreShort(t *testing.T) {
	for _, path := range pagePaths(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		most := pageLines
		if strings.HasSuffix(path, "README.md") {
			most = readmeLines
		}
		data = tableParts.ReplaceAll(data, nil)
		if n := bytes.Count(data, []byte("\n")); n > most {
			t.Errorf("%s has %d lines, more than %d", path, n, most)
		}
	}
}

// TestPagesExamples runs each "$ turns …" in the console blocks of the README and the help pages
// and compares its output. A line "…" at the end of an output replaces the rest. go test ./ui/cli
// -run Pages -update writes the outputs again.
func TestPagesExamples(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pagePaths(t) {
		path := filepath.Join(here, page)
		t.Run(strings.TrimSuffix(filepath.Base(page), ".md"), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			dir := exampleFolder(t, here)
			for _, name := range scriptEnv() {
				t.Setenv(name, dir)
			}
			t.Chdir(dir)
			got := withOutputs(t, dir, strings.Split(string(data), "\n"))
			if got == string(data) {
				return
			}
			if !modeltest.Update() {
				t.Fatalf("%s: an example prints something else; -update writes it again:\n%s", page, modeltest.FirstDifference(got, string(data)))
			}
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// exampleFolder has the sample and the files of testdata/pages, all with one modification time.
func exampleFolder(t *testing.T, here string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(here, "testdata/pages"))); err != nil {
		t.Fatal(err)
	}
	demo, err := os.ReadFile(filepath.Join(here, "../../testdata/demo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "demo.jsonl"), demo, 0o600); err != nil {
		t.Fatal(err)
	}
	written := time.Date(2026, 3, 6, 0, 0, 0, 0, time.UTC)
	for _, pattern := range []string{"*.jsonl", "*/*.jsonl"} {
		paths, _ := filepath.Glob(filepath.Join(dir, pattern)) // the patterns are valid
		for _, path := range paths {
			if err := os.Chtimes(path, written, written); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// withOutputs returns a page with the current outputs of its commands. The path of the example
// folder is replaced by that of a user.
func withOutputs(t *testing.T, dir string, lines []string) string {
	t.Helper()
	var out []string
	next := 0
	for _, b := range codeBlocks(lines) {
		if b.language != "console" {
			continue
		}
		out = append(out, lines[next:b.from]...)
		for i := b.from; i < b.to; {
			command := lines[i]
			args, ok := strings.CutPrefix(command, "$ turns ")
			if !ok {
				t.Fatalf("line %d: %q is not a command of turns", i+1, command)
			}
			end := i + 1
			for end < b.to && !strings.HasPrefix(lines[end], "$ ") {
				end++
			}
			out = append(append(out, command), output(dir, args, lines[i+1:end])...)
			i = end
		}
		next = b.to
	}
	return strings.Join(append(out, lines[next:]...), "\n")
}

// pageDay is the clock of the pages: their examples print the age of prices.
func pageDay() time.Time { return time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC) }

// output runs a command and returns its lines, shortened like those in the page.
func output(dir, command string, page []string) []string {
	var stdout, stderr bytes.Buffer
	Run(context.Background(), shellWords(command), IO{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Env: os.Getenv, Now: pageDay})
	var lines []string
	for line := range strings.Lines(stdout.String() + stderr.String()) {
		lines = append(lines, strings.TrimRight(strings.ReplaceAll(line, dir, "/home/ada/work"), " \n"))
	}
	if n := len(page) - 1; n >= 0 && page[n] == "…" && n < len(lines) {
		lines = append(lines[:n:n], "…")
	}
	return lines
}

// shellWords splits a command at spaces outside of quotes.
func shellWords(s string) (words []string) {
	var word strings.Builder
	quote, open := rune(0), false
	for _, r := range s {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote, open = r, true
		case r == quote:
			quote = 0
		case quote == 0 && r == ' ':
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words
}

var (
	inlineCode = regexp.MustCompile("`([^`\n]+)`")
	longFlag   = regexp.MustCompile(`(^|\s)(--[a-z][-a-z]*)`)
	pageLink   = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)
)

// TestPagesNameWhatExists parses the commands in the README and the help pages, looks up their
// flags, and follows links to files.
func TestPagesNameWhatExists(t *testing.T) {
	root, _ := newRoot(IO{Env: func(string) string { return "" }})
	known := map[string]bool{}
	allFlags(root, known)
	for _, path := range pagePaths(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		lines := strings.Split(text, "\n")
		for _, b := range codeBlocks(lines) {
			for i := b.from; i < b.to && (b.language == "sh" || b.language == "console"); i++ {
				command, shown := strings.CutPrefix(lines[i], "$ ")
				if b.language == "console" && !shown {
					continue // a line of output
				}
				command, _, _ = strings.Cut(command, " #")
				if args, ok := strings.CutPrefix(strings.TrimSpace(command), "turns"); ok {
					lookUpCommand(t, fmt.Sprintf("%s:%d", path, i+1), args)
				}
			}
		}
		for _, code := range inlineCode.FindAllStringSubmatch(text, -1) {
			for _, flag := range longFlag.FindAllStringSubmatch(code[1], -1) {
				if !known[flag[2]] && flag[2] != "--help" {
					t.Errorf("%s names %s, which no command has", path, flag[2])
				}
			}
			if args, ok := strings.CutPrefix(code[1], "turns "); ok && !strings.Contains(args, "…") {
				lookUpCommand(t, path, args)
			}
		}
		for _, link := range pageLink.FindAllStringSubmatch(text, -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), link[1])); err != nil {
				t.Errorf("%s links to %s: %v", path, link[1], err)
			}
		}
	}
}

func allFlags(cmd *cobra.Command, known map[string]bool) {
	for line := range strings.Lines(cmd.Flags().FlagUsages() + cmd.PersistentFlags().FlagUsages()) {
		for _, flag := range longFlag.FindAllStringSubmatch(line, 1) {
			known[flag[2]] = true
		}
	}
	for _, sub := range cmd.Commands() {
		allFlags(sub, known)
	}
}

// lookUpCommand looks up the command of some arguments and each flag among them.
func lookUpCommand(t *testing.T, place, args string) {
	t.Helper()
	if args, _, _ = strings.Cut(args, " | "); strings.Contains(args, " > ") {
		args, _, _ = strings.Cut(args, " > ")
	}
	root, _ := newRoot(IO{Env: func(string) string { return "" }})
	words := shellWords(args)
	cmd, rest, err := root.Find(words)
	if err != nil {
		t.Errorf("%s: turns%s: %v", place, args, err)
		return
	}
	for _, word := range rest {
		name, _, _ := strings.Cut(word, "=")
		switch {
		case strings.HasPrefix(name, "--") && len(name) > 2:
			if cmd.Flag(name[2:]) == nil && name != "--help" && name != "--version" {
				t.Errorf("%s: turns %s has no flag %s", place, cmd.Name(), name)
			} else if f := cmd.Flag(name[2:]); f != nil && f.Hidden {
				t.Errorf("%s: turns %s has %s only for old scripts", place, cmd.Name(), name)
			}
		case strings.HasPrefix(name, "-") && len(name) == 2 && name != "--" && name != "-h" && name != "-v":
			if cmd.Flags().ShorthandLookup(name[1:]) == nil {
				t.Errorf("%s: turns %s has no flag %s", place, cmd.Name(), name)
			}
		}
	}
}
