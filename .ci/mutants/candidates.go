package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// mutant is one change of one file: the text from start to end becomes with.
type mutant struct {
	kind, file string
	line       int
	start, end int
	was, with  string
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d: %s: %s -> %s", m.file, m.line, m.kind, brief(m.was), brief(m.with))
}

// own is the package of the mutant.
func (m mutant) own() string { return "./" + filepath.ToSlash(filepath.Dir(m.file)) }

// brief is a text on one short line.
func brief(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 60 {
		s = s[:60] + "…"
	}
	return strconv.Quote(s)
}

// kinds are drawn in turn, so that each has the same share of the sample.
var kinds = []string{"comparison", "constant", "row"}

// compared is the mutation of each comparison: the nearest operator that a person might type by
// mistake.
var compared = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
}

// smallestTable is the fewest elements that make a literal a table.
const smallestTable = 3

// draw returns the candidates in a random order that alternates between the kinds.
func draw(all []mutant, seed uint64) (order []mutant) {
	random := rand.New(rand.NewPCG(seed, 0))
	of := map[string][]mutant{}
	for _, m := range all {
		of[m.kind] = append(of[m.kind], m)
	}
	for _, kind := range kinds {
		random.Shuffle(len(of[kind]), func(i, j int) { of[kind][i], of[kind][j] = of[kind][j], of[kind][i] })
	}
	for len(order) < len(all) {
		for _, kind := range kinds {
			if len(of[kind]) > 0 {
				order = append(order, of[kind][0])
				of[kind] = of[kind][1:]
			}
		}
	}
	return order
}

// collect is every mutant of the folders.
func collect(folders ...string) (all []mutant, err error) {
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name := entry.Name()
			switch {
			case entry.IsDir() && (name == "testdata" || strings.HasSuffix(name, "test")):
				return fs.SkipDir
			case strings.HasSuffix(name, "_test.go"):
				return nil
			case strings.HasSuffix(name, ".go"):
				found, err := ofGo(path)
				all = append(all, found...)
				return err
			case strings.HasSuffix(name, ".tsv"):
				found, err := ofTable(path)
				all = append(all, found...)
				return err
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ofTable is a mutant for each row of a table: it loses the row.
func ofTable(path string) (all []mutant, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	at := 0
	for i, line := range strings.SplitAfter(string(text), "\n") {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			all = append(all, mutant{kind: "row", file: path, line: i + 1, start: at, end: at + len(line), was: line})
		}
		at += len(line)
	}
	return all, nil
}

// ofGo returns the mutants of a Go file. It returns none for generated files and for files of
// other systems.
func ofGo(path string) (all []mutant, err error) {
	if built, err := build.Default.MatchFile(filepath.Split(path)); err != nil || !built {
		return nil, err
	}
	set := token.NewFileSet()
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(set, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return nil, err
	}
	add := func(kind string, from, to token.Pos, with string) {
		p, end := set.Position(from), set.Position(to).Offset
		all = append(all, mutant{kind, path, p.Line, p.Offset, end, string(text[p.Offset:end]), with})
	}
	for _, decl := range file.Decls {
		general, declares := decl.(*ast.GenDecl)
		ast.Inspect(decl, func(n ast.Node) bool {
			if !changesAnswers(n) {
				return false
			}
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if with, ok := compared[n.Op]; ok {
					add("comparison", n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), with)
				}
			case *ast.BasicLit:
				if with, ok := nearby(n); ok && declares && general.Tok != token.IMPORT {
					add("constant", n.Pos(), n.End(), with)
				}
			case *ast.ArrayType:
				return n.Len == nil // an array that is longer holds the same
			case *ast.CompositeLit:
				if declares && len(n.Elts) >= smallestTable && isTable(n) {
					for i := range n.Elts[:len(n.Elts)-1] {
						add("row", n.Elts[i].Pos(), n.Elts[i+1].Pos(), "")
					}
				}
			}
			return true
		})
	}
	return all, nil
}

// changesAnswers reports whether a part of a file may change an answer. Constants whose comment
// says that they are for speed only, such as the size of a buffer, do not, nor do the numbers that
// iota gives.
func changesAnswers(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok != token.CONST || !forSpeed(n.Doc)
	case *ast.ValueSpec:
		return !forSpeed(n.Doc) && !forSpeed(n.Comment)
	case *ast.BinaryExpr:
		return !isIota(n.X) && !isIota(n.Y)
	}
	return true
}

func forSpeed(comment *ast.CommentGroup) bool {
	return strings.Contains(strings.ToLower(comment.Text()), "for speed only")
}

func isIota(n ast.Expr) bool {
	name, ok := n.(*ast.Ident)
	return ok && name.Name == "iota"
}

// isTable reports whether a literal is a list or a map: a struct that loses a field is another
// change.
func isTable(n *ast.CompositeLit) bool {
	switch n.Type.(type) {
	case *ast.ArrayType, *ast.MapType:
		return true
	}
	return false
}

// nearby is a number close to a literal.
func nearby(n *ast.BasicLit) (string, bool) {
	switch n.Kind {
	case token.INT:
		v, err := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 0, 64)
		if err != nil || v == 0 {
			return "", false
		}
		if v == 1 {
			return "2", true
		}
		return strconv.FormatInt(v+max(1, v/10), 10), true
	case token.FLOAT:
		v, err := strconv.ParseFloat(n.Value, 64)
		return strconv.FormatFloat(v*1.1, 'g', -1, 64), err == nil && v != 0
	}
	return "", false
}
