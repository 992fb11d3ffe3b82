package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"turns/query/human"
	"turns/query/lang"
	"turns/ui/board"
)

// TestOneListOfStates compares the words of end:, of --on and of the list with the glossary.
func TestOneListOfStates(t *testing.T) {
	var words, end []string
	for _, w := range human.Endings() {
		words = append(words, w.Name)
	}
	for _, v := range lang.LangLookup("end").Values {
		end = append(end, v.Name)
	}
	if !slices.Equal(end, words) {
		t.Errorf("end: accepts %q, the glossary has %q", end, words)
	}
	for _, w := range human.States() {
		if w.Name == human.Unknown.String() || w.Name == human.Running.String() {
			continue // turns never waits for these
		}
		if _, err := board.ParseTriggers(w.Name); err != nil {
			t.Errorf("--on does not accept the state %q: %v", w.Name, err)
		}
	}
}

// TestOneListOfNouns compares each counted noun of the program with the words that the glossary
// replaced.
func TestOneListOfNouns(t *testing.T) {
	replaced := map[string]string{}
	for _, n := range human.Nouns() {
		for _, old := range n.Not {
			replaced[old] = n.One
		}
	}
	for name, noun := range counted(t) {
		if use := replaced[noun]; use != "" {
			t.Errorf("%s counts %q: the glossary has %q", name, noun, use)
		}
	}
}

// counted yields the place and the singular of each noun passed to human.Plural.
func counted(t *testing.T) func(yield func(string, string) bool) {
	return func(yield func(string, string) bool) {
		for _, dir := range []string{".", filepath.Join("..", "query"), filepath.Join("..", "export")} {
			err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
					return err
				}
				files := token.NewFileSet()
				file, err := parser.ParseFile(files, path, nil, 0)
				if err != nil {
					return err
				}
				ast.Inspect(file, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					if !ok || len(call.Args) < 2 {
						return true
					}
					if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Plural" {
						return true
					}
					if lit, ok := call.Args[1].(*ast.BasicLit); ok {
						noun, _ := strconv.Unquote(lit.Value)
						return yield(files.Position(call.Pos()).String(), noun)
					}
					return true
				})
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
