package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// switchName is the environment variable that selects a change by its number.
const switchName = "MUTANT"

// switched holds test binaries in which the environment can make any drawn change of a comparison,
// or of a row in Go. A build takes longer than the tests.
type switched struct {
	numbers  map[mutant]int           // the switches of the changes
	binaries map[string]string        // by package; packages without tests have none
	duration map[string]time.Duration // of the tests without a mutant, by package
}

// buildSwitched compiles the tests of the packages into folder, with a switch for each change that
// can have one.
func buildSwitched(folder string, changes []mutant, packages []string) (*switched, error) {
	s := &switched{numbers: map[mutant]int{}, binaries: map[string]string{}, duration: map[string]time.Duration{}}
	byFile, replaced := map[string][]mutant{}, map[string]string{}
	for i, m := range changes {
		s.numbers[m] = i + 1
		byFile[m.file] = append(byFile[m.file], m)
	}
	for file, mutants := range byFile {
		text, declared, err := s.withSwitches(file, mutants)
		if err != nil {
			return nil, err
		}
		replaced[file] = text
		replaced[filepath.Join(filepath.Dir(file), "switch_of_mutants.go")] = declared
	}
	overlay, err := writeOverlay(folder, replaced)
	if err != nil {
		return nil, err
	}
	for i, p := range packages {
		binary := filepath.Join(folder, strconv.Itoa(i)+".test")
		out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, p).CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("building the tests of %s: %w\n%s", p, err, out)
		}
		if _, err := os.Stat(binary); err == nil {
			s.binaries[p] = binary
		}
	}
	for p := range s.binaries {
		start := time.Now()
		if err := s.run(context.Background(), p, 0); err != nil {
			return nil, fmt.Errorf("the tests of %s fail without a change: %w", p, err)
		}
		s.duration[p] = time.Since(start)
	}
	return s, nil
}

// withSwitches returns the text of a file whose comparisons and rows have switches, and another file
// of its package that declares the variable. Rows of arrays have none, because the length of an
// array is part of its type.
func (s *switched) withSwitches(file string, mutants []mutant) (text, declared string, err error) {
	read, err := os.ReadFile(file)
	if err != nil {
		return "", "", err
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, read, parser.SkipObjectResolution)
	if err != nil {
		return "", "", err
	}
	at := map[int]mutant{}
	for _, m := range mutants {
		at[m.start] = m
	}
	offset := func(p token.Pos) int { return set.Position(p).Offset }
	// written returns the text from an offset to another, which root fills.
	var written func(from, to int, root ast.Node) string
	written = func(from, to int, root ast.Node) string {
		var out strings.Builder
		ast.Inspect(root, func(n ast.Node) bool {
			if n, ok := n.(*ast.CompositeLit); ok {
				cases := s.rowCases(n, read, at, offset)
				if cases == "" {
					return true
				}
				of, all := read[offset(n.Type.Pos()):offset(n.Type.End())], written(offset(n.Pos()), offset(n.End()), n)
				out.Write(read[from:offset(n.Pos())])
				fmt.Fprintf(&out, "func() %s { l := %s; switch switchOfMutants { %s }; return l }()", of, all, cases)
				from = offset(n.End())
				return false
			}
			e, ok := n.(*ast.BinaryExpr)
			if !ok {
				return true
			}
			m, ok := at[offset(e.OpPos)]
			if !ok {
				return true
			}
			delete(at, m.start)
			x, y := written(offset(e.X.Pos()), offset(e.X.End()), e.X), written(offset(e.Y.Pos()), offset(e.Y.End()), e.Y)
			out.Write(read[from:offset(e.Pos())])
			fmt.Fprintf(&out, "func() bool { if switchOfMutants == %q { return bool(%s %s %s) }; return bool(%[2]s %[5]s %[4]s) }()",
				strconv.Itoa(s.numbers[m]), x, m.with, y, m.was)
			from = offset(e.End())
			return false
		})
		out.Write(read[from:to])
		return out.String()
	}
	declared = "package " + tree.Name.Name + "\n\nimport \"os\"\n\nvar switchOfMutants = os.Getenv(\"" + switchName + "\")\n"
	text = written(0, len(read), tree)
	for _, m := range at {
		delete(s.numbers, m)
	}
	return text, declared, nil
}

// rowCases returns the cases of a switch that removes rows of a table l, and deletes these rows from
// the mutants at their offsets.
func (s *switched) rowCases(table *ast.CompositeLit, read []byte, at map[int]mutant, offset func(token.Pos) int) (cases string) {
	list, isList := table.Type.(*ast.ArrayType)
	if isList && list.Len != nil {
		return ""
	}
	for i, row := range table.Elts {
		pair, keyed := row.(*ast.KeyValueExpr)
		m, drawn := at[offset(row.Pos())]
		if !drawn || m.kind != "row" || isList == keyed {
			continue
		}
		delete(at, m.start)
		if keyed {
			cases += fmt.Sprintf("case %q: delete(l, %s);", strconv.Itoa(s.numbers[m]), read[offset(pair.Key.Pos()):offset(pair.Key.End())])
		} else {
			cases += fmt.Sprintf("case %q: return append(l[:%d:%[2]d], l[%d:]...);", strconv.Itoa(s.numbers[m]), i, i+1)
		}
	}
	return cases
}

// try runs the tests of the tiers with a change and returns the result and the package whose
// test noticed it.
func (s *switched) try(m mutant, tiers [][]string) (result, by string) {
	for _, tier := range tiers {
		if by := s.firstFailure(tier, s.numbers[m]); by != "" {
			return killed, by
		}
	}
	return survived, ""
}

// firstFailure returns one of the packages whose tests fail with a change, or "".
func (s *switched) firstFailure(packages []string, number int) (by string) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var all sync.WaitGroup
	var once sync.Once
	slots := make(chan struct{}, runtime.NumCPU())
	for _, p := range packages {
		if s.binaries[p] == "" {
			continue
		}
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		all.Go(func() {
			if s.run(ctx, p, number) != nil && ctx.Err() == nil {
				once.Do(func() { by = p })
				stop()
			}
			<-slots
		})
	}
	all.Wait()
	return by
}

// run runs the tests of a package with a change; 0 is none. A mutant that takes ten times as
// long as the tests without it has an endless loop.
func (s *switched) run(ctx context.Context, of string, number int) error {
	limit := 5 * time.Minute
	if alone, ok := s.duration[of]; ok {
		limit = 10*alone + 30*time.Second
	}
	timed, stop := context.WithTimeout(ctx, limit)
	defer stop()
	binary, err := filepath.Abs(s.binaries[of])
	if err != nil {
		return err
	}
	command := exec.CommandContext(timed, binary, "-test.short", "-test.failfast")
	command.Dir = of
	command.Env = append(os.Environ(), switchName+"="+strconv.Itoa(number))
	out, err := command.CombinedOutput()
	if errors.As(err, new(*exec.ExitError)) && number == 0 {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return err
}
