package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// tryRebuilt builds and runs the tests of the tiers with a mutant, and returns the result and the
// package whose test noticed it.
func tryRebuilt(m mutant, tiers [][]string) (result, by string, err error) {
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(folder)
	text, err := os.ReadFile(m.file)
	if err != nil {
		return "", "", err
	}
	overlay, err := writeOverlay(folder, map[string]string{m.file: string(text[:m.start]) + m.with + string(text[m.end:])})
	if err != nil {
		return "", "", err
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

// writeOverlay writes the texts of the files into folder, and the description of the overlay, whose
// path it returns.
func writeOverlay(folder string, files map[string]string) (path string, err error) {
	replaced := map[string]string{}
	for file, text := range files {
		from, err := filepath.Abs(file)
		if err != nil {
			return "", err
		}
		to := filepath.Join(folder, fmt.Sprint(len(replaced))+filepath.Ext(file))
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			return "", err
		}
		replaced[from] = to
	}
	description, err := json.Marshal(map[string]map[string]string{"Replace": replaced})
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, description, 0o644)
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

// listed returns the packages that the patterns match.
func listed(patterns ...string) (packages []string, err error) {
	out, err := exec.Command("go", append([]string{"list"}, patterns...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("listing the packages: %w", err)
	}
	for _, name := range strings.Fields(string(out)) {
		packages = append(packages, "./"+strings.TrimPrefix(name, "turns/"))
	}
	return packages, nil
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
