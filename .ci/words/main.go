// Words counts, in the texts of the project, the patterns of patterns.tsv: turns of
// phrase that make a reader read a sentence twice. It fails if a text has more of
// them than limits.tsv allows.
//
//	go run .ci/words/main.go                 check the limits
//	go run .ci/words/main.go -list README    show each hit of a scope (a name in limits.tsv)
//	go run .ci/words/main.go -dir DIR -count count another checkout
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed patterns.tsv
var patternTable string

//go:embed allowed.txt
var allowedLines string

//go:embed limits.tsv
var limitTable string

// pattern is a row of patterns.tsv. Table has the five counts of its last columns.
type pattern struct {
	name, instead string
	expr          *regexp.Regexp
	table         [5]int
}

// text is a piece of prose and the place it comes from.
type text struct{ place, words string }

// hit is one match of a pattern.
type hit struct {
	place, match string
	pattern      pattern
}

func main() {
	dir := flag.String("dir", ".", "the checkout to count")
	list := flag.String("list", "", "show each hit of this scope")
	count := flag.Bool("count", false, "print the counts and check no limit")
	flag.Parse()
	if err := run(*dir, *list, *count); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir, list string, countOnly bool) error {
	patterns, err := parsePatterns(patternTable)
	if err != nil {
		return err
	}
	allowed, err := parseAllowed(allowedLines)
	if err != nil {
		return err
	}
	limits, err := parseLimits(limitTable)
	if err != nil {
		return err
	}
	over := 0
	for _, l := range limits {
		texts, err := scopes[l.scope](dir)
		if err != nil {
			return err
		}
		hits := find(patterns, allowed, texts)
		if list == l.scope {
			for _, h := range hits {
				fmt.Printf("%s: %s: …%s… (%s)\n", h.place, h.pattern.name, h.match, h.pattern.instead)
			}
		}
		fmt.Printf("%-18s %5d found, %5d allowed, %5d before\n", l.scope, len(hits), l.most, l.before)
		if len(hits) > l.most {
			over++
		}
	}
	if over > 0 && !countOnly {
		return fmt.Errorf("words: %d texts have more hard phrases than .ci/words/limits.tsv allows; -list SCOPE shows them", over)
	}
	return nil
}

// limit is a row of limits.tsv: the most hits that a scope may have, and how many it had
// at the commit that TestTable names.
type limit struct {
	scope        string
	most, before int
}

func parseLimits(table string) ([]limit, error) {
	var limits []limit
	for row := range rows(table) {
		f := strings.Split(row, "\t")
		if len(f) != 3 || scopes[f[0]] == nil {
			return nil, fmt.Errorf("limits.tsv: %q is not a scope and two numbers", row)
		}
		most, err1 := strconv.Atoi(f[1])
		before, err2 := strconv.Atoi(f[2])
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("limits.tsv: %q is not a scope and two numbers", row)
		}
		limits = append(limits, limit{f[0], most, before})
	}
	return limits, nil
}

func parsePatterns(table string) ([]pattern, error) {
	var patterns []pattern
	for row := range rows(table) {
		f := strings.Split(row, "\t")
		if len(f) != 8 {
			return nil, fmt.Errorf("patterns.tsv: %q has %d columns, not 8", row, len(f))
		}
		expr, err := regexp.Compile("(?i)" + f[2])
		if err != nil {
			return nil, fmt.Errorf("patterns.tsv: %q: %w", f[0], err)
		}
		p := pattern{name: f[0], instead: f[1], expr: expr}
		for i, n := range f[3:] {
			if p.table[i], err = strconv.Atoi(n); err != nil {
				return nil, fmt.Errorf("patterns.tsv: %q: %w", f[0], err)
			}
		}
		patterns = append(patterns, p)
	}
	return patterns, nil
}

func parseAllowed(lines string) ([]*regexp.Regexp, error) {
	var allowed []*regexp.Regexp
	for line := range rows(lines) {
		expr, err := regexp.Compile("(?i)" + line)
		if err != nil {
			return nil, fmt.Errorf("allowed.txt: %w", err)
		}
		allowed = append(allowed, expr)
	}
	return allowed, nil
}

// rows yields the lines that are neither empty nor comments.
func rows(table string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(table) {
			line = strings.TrimRight(line, "\n")
			if line != "" && !strings.HasPrefix(line, "#") && !yield(line) {
				return
			}
		}
	}
}

// find returns the hits in texts, without the allowed phrases, in the order of the texts.
func find(patterns []pattern, allowed []*regexp.Regexp, texts []text) []hit {
	var hits []hit
	for _, t := range texts {
		words := t.words
		for _, a := range allowed {
			words = a.ReplaceAllString(words, "·")
		}
		for _, p := range patterns {
			for _, at := range p.expr.FindAllStringIndex(words, -1) {
				from, to := max(0, at[0]-24), min(len(words), at[1]+24)
				match := strings.ReplaceAll(strings.ToValidUTF8(words[from:to], ""), "\n", " ")
				hits = append(hits, hit{t.place, match, p})
			}
		}
	}
	return hits
}

// scopes are the texts that limits.tsv can name, each as the prose a person reads:
// without code, names of commands and flags, and quoted output.
var scopes = map[string]func(dir string) ([]text, error){
	"README": func(dir string) ([]text, error) { return markdown(dir, "README.md", "ui/cli/help/*.md") },
	"pages":  func(dir string) ([]text, error) { return markdown(dir, ".github/*.md") },
	"strings": func(dir string) ([]text, error) {
		texts, err := goTexts(dir, literals, "ui")
		return prose(texts), err
	},
	"docs": func(dir string) ([]text, error) {
		texts, err := goTexts(dir, docComments, "model/*.go", "query", "export", "ui/library")
		if err != nil {
			return nil, err
		}
		more, err := goTexts(dir, packageComments, "model/*/", "ui", "themes")
		return prose(append(texts, more...)), err
	},
	"docs of model/...": func(dir string) ([]text, error) {
		texts, err := goTexts(dir, docComments, "model/*/")
		return prose(texts), err
	},
	"comments": func(dir string) ([]text, error) {
		texts, err := goTexts(dir, comments, "*.go", "model", "query", "export", "themes", "ui")
		return prose(texts), err
	},
	"tests": func(dir string) ([]text, error) {
		texts, err := goFiles(dir, true, comments, "*.go", "model", "query", "export", "themes", "ui")
		return prose(texts), err
	},
	"scripts": func(dir string) ([]text, error) { return scripts(dir, "ui/cli/testdata/script/*.txt") },
}

var (
	fence       = regexp.MustCompile("(?ms)^```.*?^```$")
	quoted      = regexp.MustCompile("``.*?``|`[^`\n]*`|\"[^\"\n]*\"|“[^”]*”")
	codeLine    = regexp.MustCompile(`(?m)^(\t|    ).*$`)
	commandName = regexp.MustCompile(`\bturns [a-z]+\b|(^|\s)--?[a-zA-Z][-a-z]*`)
	link        = regexp.MustCompile(`\]\([^)]*\)|\[[A-Z][\w.]*\]`)
)

// markdown returns the prose of the files that match the patterns.
func markdown(dir string, patterns ...string) ([]text, error) {
	var texts []text
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			texts = append(texts, text{path, fence.ReplaceAllString(string(data), "·")})
		}
	}
	return prose(texts), nil
}

// scripts returns the comments of scripts, which readers use as a manual.
func scripts(dir, pattern string) ([]text, error) {
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return nil, err
	}
	var texts []text
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(data)) {
			if words, ok := strings.CutPrefix(line, "# "); ok {
				texts = append(texts, text{path, words})
			}
		}
	}
	return prose(texts), nil
}

// prose takes code, command names, flags and quoted words out of texts, and drops texts of
// one word: they are names.
func prose(texts []text) []text {
	var out []text
	for _, t := range texts {
		w := codeLine.ReplaceAllString(t.words, "·")
		w = quoted.ReplaceAllString(w, "·")
		w = link.ReplaceAllString(w, "·")
		w = commandName.ReplaceAllString(w, " ·")
		if len(strings.Fields(w)) > 1 {
			out = append(out, text{t.place, w})
		}
	}
	return out
}

// goTexts returns the texts that get finds in the Go files that patterns match, and in
// those below the folders that they match, tests excluded.
func goTexts(dir string, get func(*token.FileSet, *ast.File) []text, patterns ...string) ([]text, error) {
	return goFiles(dir, false, get, patterns...)
}

// goFiles is goTexts for files of tests, or for all others.
func goFiles(dir string, tests bool, get func(*token.FileSet, *ast.File) []text, patterns ...string) ([]text, error) {
	var texts []text
	var roots []string
	for _, pattern := range patterns {
		matches, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(pattern, "/") { // folders only
			matches = slices.DeleteFunc(matches, func(path string) bool { return strings.HasSuffix(path, ".go") })
		}
		roots = append(roots, matches...)
	}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
				return filepath.SkipDir
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") != tests:
				return nil
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			texts = append(texts, get(set, file)...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// place is where something is in a file, as file:line.
func place(set *token.FileSet, pos token.Pos) string {
	p := set.Position(pos)
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// literals returns the string literals of a file without imports and struct tags.
func literals(set *token.FileSet, file *ast.File) []text {
	var texts []text
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				if s, err := strconv.Unquote(n.Value); err == nil {
					texts = append(texts, text{place(set, n.Pos()), s})
				}
			}
		}
		return true
	})
	return texts
}

// comments returns all comments of a file.
func comments(set *token.FileSet, file *ast.File) []text {
	var texts []text
	for _, g := range file.Comments {
		texts = append(texts, text{place(set, g.Pos()), g.Text()})
	}
	return texts
}

// packageComments returns the comment of the package.
func packageComments(set *token.FileSet, file *ast.File) []text {
	if file.Doc == nil {
		return nil
	}
	return []text{{place(set, file.Doc.Pos()), file.Doc.Text()}}
}

// docComments returns what go doc shows of a file: the comments of the package and of
// exported declarations, with their exported fields and methods.
func docComments(set *token.FileSet, file *ast.File) []text {
	texts := packageComments(set, file)
	add := func(groups ...*ast.CommentGroup) {
		for _, g := range groups {
			if g != nil {
				texts = append(texts, text{place(set, g.Pos()), g.Text()})
			}
		}
	}
	fields := func(typ ast.Expr) {
		var list *ast.FieldList
		switch t := typ.(type) {
		case *ast.StructType:
			list = t.Fields
		case *ast.InterfaceType:
			list = t.Methods
		default:
			return
		}
		for _, f := range list.List {
			if len(f.Names) == 0 || slices.ContainsFunc(f.Names, (*ast.Ident).IsExported) {
				add(f.Doc, f.Comment)
			}
		}
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && exportedReceiver(d) {
				add(d.Doc)
			}
		case *ast.GenDecl:
			shown := false
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						shown = true
						add(s.Doc, s.Comment)
						fields(s.Type)
					}
				case *ast.ValueSpec:
					if slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
						shown = true
						add(s.Doc, s.Comment)
					}
				}
			}
			if shown {
				add(d.Doc)
			}
		}
	}
	return texts
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return false
		}
	}
}
