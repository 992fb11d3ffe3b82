package library

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
)

// hostile are characters that steer a terminal or reorder text.
const hostile = "a\x1b]0;pwn\a\u202eb\rc"

// Every String method is safe to print: its result steers no terminal.
func TestStringsAreClean(t *testing.T) {
	for name, text := range map[string]string{
		"all": hostile, "a colour": "a\x1b[31mb", "a title": "\x1b]0;x\a", "the clipboard": "\x1b]52;c;eA==\a", "a bell": "a\ab", "a return": "safe\rrm", "C1": "a\u009b31mb", "bidi": "a\u202eb",
		"isolates": "a\u2066b\u2069", "a backspace": "ab\bc", "an escape alone": "\x1b", "a device string": "\x1bP1$r\x1b\\", "delete": "a\x7fb", "a form feed": "a\fb",
	} {
		t.Run(name, func(t *testing.T) { stringsAreClean(t, text) })
	}
}

func stringsAreClean(t *testing.T, hostile string) {
	t.Helper()
	s := FromMessages(
		model.Message{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: hostile}}},
		model.Message{Role: model.Assistant, Blocks: []model.Content{
			{Kind: model.Words, Text: hostile}, {Kind: model.ToolCall, ID: hostile, Name: hostile, Text: hostile}}},
		model.Message{Role: model.Tool, Blocks: []model.Content{{Kind: model.ToolResult, ID: hostile, Text: hostile}}},
		model.Message{Role: model.Tool, Blocks: []model.Content{{Kind: model.ToolResult, ID: "ghost", Text: hostile}}})
	turns, err := s.Turns()
	if err != nil {
		t.Fatal(err)
	}
	tools, err := s.Tools()
	if err != nil {
		t.Fatal(err)
	}
	stats, err := s.Stats()
	if err != nil {
		t.Fatal(err)
	}
	texts := []fmt.Stringer{s, turns, turns[0], turns[0].Calls[0], stats, Entry{State: hostile, Agent: hostile, Title: hostile}}
	for _, tool := range tools {
		texts = append(texts, tool)
	}
	for _, x := range texts {
		if text := x.String(); strings.ContainsAny(text, "\x1b\a\r\b\f\x7f\u009b\u202e\u2066") {
			t.Errorf("%T prints control characters: %q", x, text)
		}
	}
}

func TestOrphansAreMarked(t *testing.T) {
	s := FromMessages(
		model.Message{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "go"}}},
		model.Message{Role: model.Tool, Blocks: []model.Content{{Kind: model.ToolResult, ID: "ghost", Text: "boo"}}})
	turns, err := s.Turns()
	if err != nil || len(turns) != 1 || len(turns[0].Calls) != 1 {
		t.Fatalf("%v, %v", turns, err)
	}
	if c := turns[0].Calls[0]; !c.Orphan || !strings.Contains(turns.String(), "result without a call") {
		t.Errorf("%+v prints %q", c, turns)
	}
	tools, err := s.Tools()
	if err != nil || len(tools) != 1 || tools[0].Count != 0 || !tools[0].Calls[0].Orphan {
		t.Errorf("%+v, %v", tools, err)
	}
}

// A turn of a filtered session has the calls that pass the filter.
func TestTurnsOfAFilteredSession(t *testing.T) {
	call := func(id, tool string) model.Content {
		return model.Content{Kind: model.ToolCall, ID: id, Name: tool, Text: "{}"}
	}
	s := FromMessages(
		model.Message{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "go"}}},
		model.Message{Role: model.Assistant, Blocks: []model.Content{call("1", "read")}},
		model.Message{Role: model.Assistant, Blocks: []model.Content{call("2", "grep")}})
	only, err := s.Where(Tool("grep"))
	if err != nil {
		t.Fatal(err)
	}
	turns, err := only.Turns()
	if err != nil || len(turns) != 1 || len(turns[0].Calls) != 1 || turns[0].Calls[0].Tool != "grep" {
		t.Errorf("%+v, %v", turns, err)
	}
}

// A zero export uses the documented defaults: JSON indented by 2, CSV cells of 500 characters.
func TestExportDefaults(t *testing.T) {
	s := FromMessages(model.Message{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: strings.Repeat("x", 600)}}})
	for _, c := range []struct {
		format string
		o      []ExportOptions
		want   string
	}{
		{"json", nil, "[\n  {\n    \"role\""},
		{"json", []ExportOptions{{Indent: -1}}, "[\n{\"role\""},
		{"json", []ExportOptions{{Indent: 4}}, "[\n    {"},
		{"csv", nil, "," + strings.Repeat("x", 500) + "..."},
		{"csv", []ExportOptions{{MaxContent: -1}}, "," + strings.Repeat("x", 600) + ","},
		{"csv", []ExportOptions{{MaxContent: 7}}, ",xxxxxxx..."},
	} {
		text, err := s.ExportString(c.format, c.o...)
		if err != nil || !strings.Contains(text, c.want) {
			t.Errorf("%s %+v: %v, %.80q", c.format, c.o, err, text)
		}
	}
	if _, err := s.ExportString("nosuch"); err == nil {
		t.Error("an unknown format is not an error")
	}
}

func TestOptions(t *testing.T) {
	text := `{"role":"user","content":"Hello there, general"}` + "\n"
	for _, c := range []struct {
		o   Options
		err string
	}{
		{Options{}, ""},
		{Options{Encoding: "r50k", Format: "chat-messages"}, "format"},
		{Options{Encoding: "nosuch"}, "nosuch"},
		{Options{Format: "nosuch"}, "nosuch"},
	} {
		s, err := Read(strings.NewReader(text), c.o)
		if err == nil {
			s.Close()
		}
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	path := filepath.Join(t.TempDir(), "labels.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Read(strings.NewReader(text), Options{Labels: path})
	if err != nil {
		t.Fatal(err)
	}
	if none, err := s.Filter("label:loop"); err != nil || none.Len() != 0 {
		t.Errorf("%v, %v", none, err)
	}
}

// The package stays small: it exports about 30 names, and its signatures only use types of the
// package itself, of model and of query.
func TestThePackageIsSmall(t *testing.T) {
	names := 0
	for _, f := range sources(t) {
		packages := map[string]string{}
		for _, i := range f.Imports {
			path := strings.Trim(i.Path.Value, `"`)
			packages[path[strings.LastIndexByte(path, '/')+1:]] = path
		}
		for _, d := range f.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				names += types(d)
				continue
			}
			if !f.Name.IsExported() {
				continue
			}
			if names++; f.Doc == nil {
				t.Errorf("%s has no doc comment", f.Name)
			}
			ast.Inspect(f.Type, func(n ast.Node) bool {
				if x, ok := n.(*ast.SelectorExpr); ok {
					path := packages[fmt.Sprint(x.X)]
					if strings.HasPrefix(path, "turns/") && path != "turns/model" && !strings.HasPrefix(path, "turns/query") {
						t.Errorf("%s needs %s.%s", f.Name, path, x.Sel)
					}
				}
				return true
			})
		}
	}
	if names > 40 {
		t.Errorf("%d exported names", names)
	}
}

func types(d ast.Decl) (n int) {
	if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE {
		for _, s := range d.Specs {
			if s.(*ast.TypeSpec).Name.IsExported() {
				n++
			}
		}
	}
	return n
}

func sources(t *testing.T) (files []*ast.File) {
	t.Helper()
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Tokens returns a number for each message, and their sum is that of Stats, in the requested
// encoding; the text of a timeline contains every turn.
func TestTokensAndTimeline(t *testing.T) {
	const text = `{"role":"user","content":"Überraschung, die erste"}` + "\n" + `{"role":"assistant","content":"internationalisation"}` + "\n" + `{"role":"user","content":"the second"}` + "\n"
	totals := map[string]int{}
	for _, encoding := range []string{"o200k", "r50k"} {
		s, err := Read(strings.NewReader(text), Options{Encoding: encoding})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		counts, err := s.Tokens()
		if err != nil {
			t.Fatal(err)
		}
		stats, err := s.Stats()
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range counts {
			totals[encoding] += n
		}
		if len(counts) != s.Len() || stats.TotalTokens == nil || int(*stats.TotalTokens) != totals[encoding] {
			t.Errorf("%s: %v, %v", encoding, counts, stats.TotalTokens)
		}
		turns, err := s.Turns()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Überraschung", "internationalisation", "the second"} {
			if !strings.Contains(turns.String(), want) {
				t.Errorf("%q is not in %s", want, turns)
			}
		}
	}
	if totals["o200k"] >= totals["r50k"] {
		t.Errorf("the encoding changes nothing: %v", totals)
	}
}

// TestStatsPrint: printed statistics are the text of the command, with the subjects of large items.
func TestStatsPrint(t *testing.T) {
	s := FromMessages(
		model.Message{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "a long prompt"}}},
		model.Message{Role: model.Assistant, Blocks: []model.Content{{Kind: model.Words, Text: "an answer"}}})
	stats, err := s.Stats()
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(stats)
	for _, want := range []string{"messages", "2", "per message", "a long prompt"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
