// Mutants changes one rule of the program at a time and runs the tests: a change that no test
// notices survives. It draws a sample of comparisons, constants and table rows of query, export and
// model, the same for the same seed, and reports the survivors.
//
//	go run .ci/mutants/main.go -n 200 -seed 1         the whole suite stands against each change
//	go run .ci/mutants/main.go -n 50 -near            only the tests of the package that changed
//	go run .ci/mutants/main.go -n 200 -list           show the sample, run nothing
//
// It ends with 1 if more than a tenth survives. No file of the project changes: each change is an
// overlay of one build.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

func main() {
	count := flag.Int("n", 200, "mutants to draw")
	seed := flag.Uint64("seed", 1, "seed of the sample")
	near := flag.Bool("near", false, "run only the tests of the package that changed")
	list := flag.Bool("list", false, "print the sample without running the tests")
	only := flag.String("only", "", "draw only where FILE:LINE: begins so, for example query/ or query/size.go:41:")
	flag.Parse()
	if err := run(*count, *seed, *near, *list, *only); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(count int, seed uint64, near, list bool, only string) error {
	all, err := collect("query", "export", "model")
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(m mutant) bool {
		return !strings.HasPrefix(fmt.Sprintf("%s:%d:", m.file, m.line), only)
	})
	order := draw(all, seed)
	if list {
		for _, m := range order[:min(count, len(order))] {
			fmt.Println(m)
		}
		return nil
	}
	importers, err := importersOf()
	if err != nil {
		return err
	}
	if err := passes(order[:min(count, len(order))], near); err != nil {
		return err
	}
	var tried int
	var alive []mutant
	for _, m := range order {
		if tried == count {
			break
		}
		result, by, err := try(m, importers, near)
		if err != nil {
			return err
		}
		fmt.Printf("%-9s %s %s\n", result, m, by)
		if result == invalid {
			continue
		}
		tried++
		if result == survived {
			alive = append(alive, m)
		}
	}
	fmt.Printf("%d of %d survived\n", len(alive), tried)
	if len(alive)*10 > tried {
		return fmt.Errorf("%d of %d changes went unnoticed; at most a tenth may", len(alive), tried)
	}
	return nil
}

// passes complains about tests that fail without a change: they would kill every mutant. It runs
// the tests that the sample runs.
func passes(sample []mutant, near bool) error {
	packages := []string{"./query/...", "./export/...", "./model/...", "./ui/..."}
	if near {
		packages = nil
		for _, m := range sample {
			packages = append(packages, m.own())
		}
		packages = unique(packages, nil)
	}
	result, by, err := test(packages)
	if err == nil && result != survived {
		err = fmt.Errorf("the tests of %s fail without a change", by)
	}
	return err
}

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

// The results of a mutant.
const (
	killed   = "killed"
	survived = "survived"
	invalid  = "invalid" // does not compile
)

// try runs the tests with the mutant, the nearest first, and returns the result and the package
// whose test noticed it.
func try(m mutant, importers map[string]needs, near bool) (result, by string, err error) {
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(folder)
	overlay, err := overlayOf(m, folder)
	if err != nil {
		return "", "", err
	}
	own := m.own()
	tiers := [][]string{{own}, importers[own].direct, importers[own].indirect, {"./ui/..."}}
	if near {
		tiers = tiers[:1]
	}
	for _, packages := range tiers {
		if len(packages) == 0 {
			continue
		}
		result, by, err := test(packages, "-overlay", overlay)
		if result != survived || err != nil {
			return result, by, err
		}
	}
	return survived, "", nil
}

// overlayOf writes the changed file and the description of the overlay into folder.
func overlayOf(m mutant, folder string) (overlay string, err error) {
	text, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(folder, filepath.Base(m.file))
	if err := os.WriteFile(changed, []byte(string(text[:m.start])+m.with+string(text[m.end:])), 0o644); err != nil {
		return "", err
	}
	from, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {from: changed}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(folder, "overlay.json")
	return overlay, os.WriteFile(overlay, replaced, 0o644)
}

// test runs the tests of the packages until the first failure. A package that does not compile
// makes the mutant invalid: the compiler noticed it, no test did.
func test(packages []string, options ...string) (result, by string, err error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	arguments := append([]string{"test", "-short", "-failfast", "-vet=off", "-timeout=5m"}, options...)
	command := exec.CommandContext(ctx, "go", append(arguments, packages...)...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	out, err := command.StdoutPipe()
	if err != nil {
		return "", "", err
	}
	if err := command.Start(); err != nil {
		return "", "", err
	}
	result = survived
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 || fields[0] != "FAIL" {
			continue
		}
		result, by = killed, fields[1]
		if strings.HasSuffix(lines.Text(), "[build failed]") {
			result = invalid
		}
		stop()
		break
	}
	_, _ = io.Copy(io.Discard, out)
	if err := command.Wait(); err != nil && result == survived {
		return "", "", fmt.Errorf("running the tests of %s: %w", strings.Join(packages, " "), err)
	}
	return result, by, nil
}

// needs is who needs a package: those that import it, and those that import one of these.
type needs struct{ direct, indirect []string }

// importersOf returns, for each package of query, export and model, the others there that need it.
func importersOf() (map[string]needs, error) {
	command := exec.Command("go", "list", "-f", `{{.ImportPath}};{{join .Imports " "}} {{join .TestImports " "}} `+
		`{{join .XTestImports " "}};{{join .Deps " "}}`, "./query/...", "./export/...", "./model/...")
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the packages: %w", err)
	}
	all := map[string]needs{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), ";")
		direct, deps := strings.Fields(fields[1]), strings.Fields(fields[2])
		name := "./" + strings.TrimPrefix(fields[0], "turns/")
		for _, dep := range unique(direct, deps) {
			path, ours := strings.CutPrefix(dep, "turns/")
			if !ours || dep == fields[0] {
				continue
			}
			n := all["./"+path]
			if slices.Contains(direct, dep) {
				n.direct = append(n.direct, name)
			} else {
				n.indirect = append(n.indirect, name)
			}
			all["./"+path] = n
		}
	}
	return all, nil
}

// unique returns the names of both lists, each once.
func unique(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
