// Mutants changes one rule of the program at a time and runs the tests: a change that no test
// notices survives. It draws a sample of comparisons, constants and table rows of query, export and
// model, the same for the same seed, and reports the survivors.
//
//	go run ./.ci/mutants -n 200 -seed 1         run the whole suite with each change
//	go run ./.ci/mutants -n 50 -near            run only the tests of the package that changed
//	go run ./.ci/mutants -n 200 -list           show the sample, run nothing
//	go run ./.ci/mutants -kind row              draw only table rows
//
// It exits with 1 if more than a tenth survives. It changes no file of the project. Comparisons
// and rows of lists and maps in Go are compiled once, each with a switch (switched.go); constants
// and other rows need a build each (rebuilt.go).
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

func main() {
	count := flag.Int("n", 200, "mutants to draw")
	seed := flag.Uint64("seed", 1, "seed of the sample")
	near := flag.Bool("near", false, "run only the tests of the package that changed")
	list := flag.Bool("list", false, "print the sample without running the tests")
	only := flag.String("only", "", "draw only where FILE:LINE: begins so, for example query/ or query/size.go:41:")
	kind := flag.String("kind", "", "draw only this kind: "+strings.Join(kinds, ", "))
	flag.Parse()
	if err := run(*count, *seed, *near, *list, *only, *kind); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(count int, seed uint64, near, list bool, only, kind string) error {
	all, err := collect("query", "export", "model")
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(m mutant) bool {
		return !strings.HasPrefix(fmt.Sprintf("%s:%d:", m.file, m.line), only) || kind != "" && m.kind != kind
	})
	order := draw(all, seed)
	if list {
		for _, m := range order[:min(count, len(order))] {
			fmt.Println(m)
		}
		return nil
	}
	tests, err := testsOf(order[:min(count, len(order))], near)
	if err != nil {
		return err
	}
	defer tests.close()
	var tried int
	var alive []mutant
	for _, m := range order {
		if tried == count {
			break
		}
		result, by, err := tests.try(m)
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

// The results of a mutant.
const (
	killed   = "killed"
	survived = "survived"
	invalid  = "invalid" // does not compile
)

// tests are the tests that a sample runs.
type tests struct {
	near      bool
	folder    string // of temporary files
	importers map[string]needs
	ui        []string
	switched  *switched
}

// testsOf compiles the tests of a sample. It returns an error for tests that fail without a change:
// they would kill every mutant.
func testsOf(sample []mutant, near bool) (t *tests, err error) {
	t = &tests{near: near}
	if t.folder, err = os.MkdirTemp("", "mutants"); err != nil {
		return nil, err
	}
	if t.importers, err = importersOf(); err != nil {
		return nil, err
	}
	if t.ui, err = listed("./ui/..."); err != nil {
		return nil, err
	}
	var changes []mutant
	var packages []string
	for _, m := range sample {
		packages = append(packages, m.own())
		if m.kind != "constant" && strings.HasSuffix(m.file, ".go") {
			changes = append(changes, m)
		}
	}
	packages = unique(packages, nil)
	if !near {
		if packages, err = listed("./query/...", "./export/...", "./model/...", "./ui/..."); err != nil {
			return nil, err
		}
	}
	t.switched, err = buildSwitched(t.folder, changes, packages)
	return t, err
}

func (t *tests) close() { os.RemoveAll(t.folder) }

// try runs the tests with the mutant, the nearest first, and returns the result and the package
// whose test noticed it.
func (t *tests) try(m mutant) (result, by string, err error) {
	own := m.own()
	tiers := [][]string{{own}, t.importers[own].direct, t.importers[own].indirect, t.ui}
	if t.near {
		tiers = tiers[:1]
	}
	if t.switched.numbers[m] > 0 {
		result, by = t.switched.try(m, tiers)
		return result, by, nil
	}
	return tryRebuilt(m, tiers)
}
