// Command types checks the types of the program and its tests for other systems.
//
//	go run .ci/types/main.go windows/amd64 linux/386
//
// It finds names that a system lacks and constants that do not fit its integers. `go vet` finds
// them too, but first compiles every library for each system, which takes minutes.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// listed is what `go list` says of a package, or of a package compiled for a test.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string // imports of the source that are other packages here
	Standard        bool
	Module          *struct {
		Main      bool
		GoVersion string
	}
}

func main() {
	failed := false
	for _, system := range os.Args[1:] {
		n, err := check(system)
		if err != nil {
			failed = true
			fmt.Fprintf(os.Stderr, "%s: %v\n", system, err)
			continue
		}
		fmt.Printf("%s: %d packages\n", system, n)
	}
	if failed {
		os.Exit(1)
	}
}

// check checks all packages for a system, named GOOS/GOARCH, and returns how many it checked.
func check(system string) (n int, err error) {
	goos, arch, _ := strings.Cut(system, "/")
	cmd := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap,Standard,Module", "./...")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("listing the packages: %w", err)
	}
	c := checker{files: token.NewFileSet(), sizes: types.SizesFor("gc", arch), done: map[string]*types.Package{"unsafe": types.Unsafe}}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; n++ {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return n, errors.Join(c.wrong...)
		} else if err != nil {
			return n, fmt.Errorf("reading what go list wrote: %w", err)
		}
		c.add(&p)
	}
}

// checker has the packages that were checked. `go list` names a package after its imports.
type checker struct {
	files *token.FileSet
	sizes types.Sizes
	done  map[string]*types.Package
	wrong []error
}

func (c *checker) add(p *listed) {
	if p.ImportPath == "unsafe" || len(p.GoFiles) == 0 {
		return
	}
	ours := p.Module != nil && p.Module.Main
	var files []*ast.File
	for _, name := range p.GoFiles {
		if !filepath.IsAbs(name) { // the main function of a test is in the build cache
			name = filepath.Join(p.Dir, name)
		}
		f, err := parser.ParseFile(c.files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			c.wrong = append(c.wrong, err)
			continue
		}
		files = append(files, f)
	}
	config := types.Config{
		Sizes: c.sizes, IgnoreFuncBodies: !ours, FakeImportC: true,
		Importer: importer(func(path string) (*types.Package, error) {
			if other, ok := p.ImportMap[path]; ok {
				path = other
			}
			if found := c.done[path]; found != nil {
				return found, nil
			}
			return nil, fmt.Errorf("package %q is not listed before %q", path, p.ImportPath)
		}),
		Error: func(err error) {
			if ours {
				c.wrong = append(c.wrong, err)
			}
		},
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	path, _, _ := strings.Cut(p.ImportPath, " ") // without the test that it is compiled for
	c.done[p.ImportPath], _ = config.Check(path, c.files, files, nil)
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
