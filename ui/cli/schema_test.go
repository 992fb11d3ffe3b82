package cli

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	exportshape "turns/export/shape"
	"turns/model/modeltest"
	"turns/query/changes"
	"turns/query/content"
	"turns/query/human"
	"turns/query/label"
	"turns/query/lanes"
	"turns/query/many"
	"turns/query/reading"
	"turns/query/runs"
	"turns/query/session"
	"turns/query/summary"
	"turns/query/trials"
	"turns/query/window"
	"turns/ui/board"
)

// answerShape is a form of a command's JSON.
type answerShape struct {
	when string
	of   reflect.Type
	how  layout
}

// layout is how a command prints the values of a shape.
type layout int

const (
	document layout = iota // one object
	lines                  // one object per line
	list                   // one array of objects
)

func shape[T any](how layout, when string) answerShape {
	return answerShape{when: when, of: reflect.TypeFor[T](), how: how}
}

// answerShapes lists the forms of each command's --json output.
var answerShapes = map[string][]answerShape{
	"ls":       {shape[session.Row](lines, "a list"), shape[board.ChangeRow](lines, "a live list (-f)")},
	"search":   {shape[pathMatch](lines, "matches")},
	"timeline": {shape[summary.TimelineJSON](document, "one session"), shape[many.TotalsAnswer](document, "many sessions")},
	"log":      {shape[summary.WorkLogAnswer](document, "one session"), shape[aboutOne[summary.WorkLogAnswer]](lines, "many sessions")},

	"stats": {shape[summary.StatsAnswer](document, "one session"), shape[many.TotalsAnswer](document, "many sessions")},
	"tools": {shape[summary.ToolsJSON](document, "one session"), shape[many.ToolsTotals](document, "many sessions"),
		shape[many.TotalsAnswer](document, "many sessions, grouped by something else than tools"), shape[summary.FilesAnswer](document, "files of one session (--files)")},
	"blame":   {shape[changes.BlameAnswer](document, "a file")},
	"changes": {shape[changes.Answer](document, "one session"), shape[changes.TotalsAnswer](document, "many sessions")},
	"cost": {shape[summary.CostAnswer](document, "one session"), shape[summary.CacheAnswer](document, "requests of one session (--cache)"),
		shape[content.Answer](document, "content of the contexts, of one session or many (--content-by)"), shape[many.TotalsAnswer](document, "many sessions")},
	"lanes":   {shape[lanes.Answer](document, "one session")},
	"context": {shape[window.Answer](document, "a message"), shape[aboutOne[window.Answer]](lines, "many sessions")},
	"trim": {shape[repaired](document, "--budget"), shape[window.Tiered](document, "--tiers"),
		shape[aboutOne[repaired]](lines, "--budget, many sessions"), shape[aboutOne[window.Tiered]](lines, "--tiers, many sessions")},
	"diff": {shape[runs.DiffAnswer](document, "two sessions"), shape[runs.ManyDiff](document, "more than two sessions"),
		shape[runs.DirsAnswer](document, "two folders")},
	"trials":   {shape[trials.Answer](document, "a matrix of trials")},
	"failures": {shape[many.FailureGroup](lines, "groups of failures")},
	"loops":    {shape[many.Loop](lines, "loops")},
	"recap":    {shape[runs.ContinuityAnswer](document, "all sessions together")},
	"archive":  {shape[replacedAnswer](document, "--dry-run")},
	"read":     {shape[reading.Conversation](document, "a conversation")},
	"label":    {shape[labelRow](lines, "--list")},
	"check": {shape[checkAnswer](document, "one session"), shape[aboutOne[checkAnswer]](lines, "many sessions"),
		shape[many.Violation](lines, "--rules"), shape[rulesTotal](lines, "--rules, the last line")},
	"fork":    {shape[forkAnswer](document, "a fork")},
	"export":  append(slices.Clone(exportShapes), shape[replacedAnswer](document, "--dry-run")),
	"show":    exportShapes,
	"open":    exportShapes,
	"prices":  {shape[pricesAnswer](document, "the table"), shape[priceUpdateAnswer](document, "--update")},
	"formats": {shape[formatRow](list, "the list"), shape[explained](document, "--explain")},
}

var exportShapes = []answerShape{shape[exportshape.Message](list, "messages"), shape[exportshape.Conversation](document, "a source with fields around its messages")}

// openShapes are types that may have more fields than they declare.
var openShapes = map[reflect.Type]bool{reflect.TypeFor[exportshape.Message](): true, reflect.TypeFor[exportshape.Conversation](): true}

// TestSchemas writes the schemas of all answers with -update, and otherwise compares them.
func TestSchemas(t *testing.T) {
	docs := newDocs(t)
	for name, shapes := range answerShapes {
		text := schemaText(t, docs, name, shapes)
		path := filepath.Join("schemas", name+".json")
		if modeltest.Update() {
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, text) {
			t.Errorf("%s does not describe the answers of turns %s: go test ./ui/cli -run Schemas -update (%v)", path, name, err)
		}
	}
	files, err := filepath.Glob("schemas/*.json")
	if err != nil || len(files) != len(answerShapes) {
		t.Errorf("%d files of schemas for %d commands, %v", len(files), len(answerShapes), err)
	}
	root, _ := newRoot(IO{})
	for _, cmd := range root.Commands() {
		if (cmd.Flags().Lookup("json") != nil) != (answerShapes[cmd.Name()] != nil) {
			t.Errorf("turns %s: it has the flag --json, or a row in answerShapes, and not both", cmd.Name())
		}
	}
}

// schemaText returns the schema of a command's output.
func schemaText(t *testing.T, docs docs, name string, shapes []answerShape) []byte {
	t.Helper()
	g := schemaGen{t: t, docs: docs, defs: map[string]*jsonschema.Schema{}}
	out := &jsonschema.Schema{Schema: "https://json-schema.org/draft/2020-12/schema", Title: "turns " + name + " --json", Defs: g.defs}
	for _, s := range shapes {
		of := g.schema(s.of)
		switch s.how {
		case lines:
			of.Description = s.when + ", one object per line"
		case list:
			of = &jsonschema.Schema{Type: "array", Items: of, Description: s.when}
		default:
			of.Description = s.when
		}
		out.AnyOf = append(out.AnyOf, of)
	}
	raw, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := json.Indent(&text, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	return append(text.Bytes(), '\n')
}

// mayBeAbsent lists the types whose fields may be absent: messages in the shape of a provider and
// lines of the label store; and types of fields that depend on a flag.
var mayBeAbsent = map[reflect.Type]bool{
	reflect.TypeFor[exportshape.Message](): true, reflect.TypeFor[exportshape.Conversation](): true, reflect.TypeFor[exportshape.Extra](): true,
	reflect.TypeFor[exportshape.ExtraUsage](): true, reflect.TypeFor[exportshape.ExtraBlock](): true, reflect.TypeFor[exportshape.ExtraSession](): true,
	reflect.TypeFor[exportshape.ExtraTotal](): true, reflect.TypeFor[exportshape.ExtraEnd](): true, reflect.TypeFor[label.Line](): true, reflect.TypeFor[label.Run](): true, reflect.TypeFor[label.Place](): true, reflect.TypeFor[label.Mark](): true,
	reflect.TypeFor[[]window.TurnGrowth](): true, reflect.TypeFor[*window.WasteAnswer](): true, // context --growth, --waste
	reflect.TypeFor[[]summary.MessageCost](): true, // cost --messages
	reflect.TypeFor[[]summary.Thought]():     true, // log --reasoning
	reflect.TypeFor[[]changes.VersionRow]():  true, // changes --file
	reflect.TypeFor[repaired]():              true, // trim --repair
}

// schemaGen makes schemas of Go types as encoding/json marshals them.
type schemaGen struct {
	t    *testing.T
	docs docs
	defs map[string]*jsonschema.Schema
}

// specialSchemas are the schemas of types with their own marshalling.
var specialSchemas = map[reflect.Type]jsonschema.Schema{
	reflect.TypeFor[human.Stamp]():       {Types: []string{"string", "null"}, Format: "date-time"},
	reflect.TypeFor[time.Time]():         {Type: "string", Format: "date-time"},
	reflect.TypeFor[human.Millis]():      {Type: "number"},
	reflect.TypeFor[human.Index]():       {Types: []string{"integer", "null"}},
	reflect.TypeFor[human.CountOrNull](): {Types: []string{"integer", "null"}},
	reflect.TypeFor[human.TextOrNull]():  {Types: []string{"string", "null"}},
	reflect.TypeFor[json.Number]():       {Type: "number"},
	reflect.TypeFor[json.RawMessage]():   {},
}

func (g *schemaGen) schema(t reflect.Type) *jsonschema.Schema {
	if s, ok := specialSchemas[t]; ok {
		return &s
	}
	if t.Kind() == reflect.Pointer {
		return nullable(g.schema(t.Elem()))
	}
	if t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) && t.Kind() == reflect.Uint8 {
		return enumOf(t)
	}
	if t.Implements(reflect.TypeFor[json.Marshaler]()) {
		g.t.Fatalf("%v writes its JSON by itself: say in specialSchemas how", t)
	}
	switch t.Kind() {
	case reflect.Struct:
		return g.ref(t)
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: g.schema(t.Elem())}
	case reflect.Array:
		n := t.Len()
		return &jsonschema.Schema{Type: "array", Items: g.schema(t.Elem()), MinItems: &n, MaxItems: &n}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: g.schema(t.Elem())}
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	}
	if !t.ConvertibleTo(reflect.TypeFor[int]()) {
		g.t.Fatalf("no schema for %v", t)
	}
	return &jsonschema.Schema{Type: "integer"}
}

// nullable also allows null.
func nullable(s *jsonschema.Schema) *jsonschema.Schema {
	switch {
	case s.Type != "" && s.Ref == "":
		s.Types, s.Type = []string{s.Type, "null"}, ""
		if s.Enum != nil {
			s.Enum = append(s.Enum, nil)
		}
		return s
	case s.Types != nil:
		return s
	}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, {Type: "null"}}}
}

// enumOf returns the words of a small number marshalled as text.
func enumOf(t reflect.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for n := range 256 {
		v := reflect.New(t).Elem()
		v.SetUint(uint64(n))
		word, _ := v.Interface().(encoding.TextMarshaler).MarshalText()
		if w := any(string(word)); !slices.Contains(s.Enum, w) {
			s.Enum = append(s.Enum, w)
		}
	}
	return s
}

// ref adds the definition of a struct, and returns a reference to it.
func (g *schemaGen) ref(t reflect.Type) *jsonschema.Schema {
	name := defName(t)
	if g.defs[name] == nil {
		s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
			Description: g.docs.of(t, "")}
		if openShapes[t] {
			s.AdditionalProperties = nil
		}
		g.defs[name] = s
		g.fields(s, t)
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + name}
}

// defName returns the name of a type with its package; for a generic one with that of its argument.
func defName(t reflect.Type) string {
	name := filepath.Base(t.PkgPath()) + "." + t.Name()
	if head, arg, ok := strings.Cut(name, "["); ok {
		name = head + "." + strings.TrimSuffix(arg[strings.LastIndexByte(arg, '/')+1:], "]")
	}
	return name
}

func (g *schemaGen) fields(s *jsonschema.Schema, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			g.fields(s, inner)
			continue
		case !f.IsExported() || name == "-":
			continue
		case name == "":
			g.t.Errorf("%v.%s has no name in JSON", t, f.Name)
		case (f.Type == reflect.TypeFor[human.Millis]() || f.Type == reflect.TypeFor[*human.Millis]()) != strings.HasSuffix(name, "_seconds") &&
			f.Type != reflect.TypeFor[*trials.Median](): // of durations or other numbers
			g.t.Errorf("%v.%s is %q in JSON: durations, and nothing else, are called _seconds", t, f.Name, name)
		}
		of := g.schema(f.Type)
		of.Description = g.docs.of(t, f.Name)
		s.Properties[name] = of
		s.PropertyOrder = append(s.PropertyOrder, name)
		if !strings.Contains(options, "omit") {
			s.Required = append(s.Required, name)
		} else if !mayBeAbsent[t] && !mayBeAbsent[f.Type] {
			g.t.Errorf("%v.%s may be left out: only what a flag asks for may, unknown is null", t, f.Name)
		}
	}
}

// docs maps "package path.Type.Field" to the comments of types and fields.
type docs map[string]string

// newDocs reads the comments of the packages with types in answers.
func newDocs(t *testing.T) docs {
	t.Helper()
	out := docs{}
	for _, pkg := range []string{"model", "query", "query/changes", "query/describe", "query/filter", "query/human", "query/label", "query/many", "query/provider",
		"query/runs", "query/session", "query/summary", "query/window", "export", "export/shape", "ui/board", "ui/cli"} {
		files, err := filepath.Glob(filepath.Join("../..", pkg, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range tree.Decls {
				if types, ok := d.(*ast.GenDecl); ok && types.Tok == token.TYPE {
					out.add("turns/"+pkg, types)
				}
			}
		}
	}
	return out
}

func (d docs) add(pkg string, types *ast.GenDecl) {
	for _, spec := range types.Specs {
		s := spec.(*ast.TypeSpec)
		doc := s.Doc
		if doc == nil {
			doc = types.Doc
		}
		at := pkg + "." + s.Name.Name
		d[at] = joined(doc.Text())
		fields, ok := s.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range fields.Fields.List {
			for _, name := range f.Names {
				d[at+"."+name.Name] = joined(f.Doc.Text() + " " + f.Comment.Text())
			}
		}
	}
}

// joined joins the lines of a comment.
func joined(comment string) string { return strings.Join(strings.Fields(comment), " ") }

// of returns the comment of a field of a type, or of the type itself.
func (d docs) of(t reflect.Type, field string) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	at := t.PkgPath() + "." + name
	if field != "" {
		return strings.TrimPrefix(d[at+"."+field], field+" is ")
	}
	return d[at]
}

// checkers returns validators for the answers of commands.
func checkers(t *testing.T) map[string]*jsonschema.Resolved {
	t.Helper()
	out := map[string]*jsonschema.Resolved{}
	for name := range answerShapes {
		text, err := schemas.ReadFile("schemas/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		r, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(name, err)
		}
		out[name] = r
	}
	return out
}

// TestAnswersHaveTheirSchemas runs every command over every sample and, with TURNS_CORPUS, over
// some of the corpus: the output matches the schema of turns schema.
func TestAnswersHaveTheirSchemas(t *testing.T) {
	t.Parallel()
	check := checkers(t)
	one := [][]string{
		{"stats"}, {"tools"}, {"tools", "--files"}, {"changes"}, {"timeline"}, {"log", "--reasoning"}, {"cost", "--messages"}, {"cost", "--cache"}, {"cost", "--content-by", "tool"}, {"lanes"}, {"context", "--growth", "--waste"},
		{"trim", "--budget", "300", "--repair"}, {"trim", "--tiers"}, {"check"}, {"ls"}, {"recap"}, {"failures"}, {"loops"}, {"search", "FILE", "e"}, {"formats", "--explain"},
		{"export"}, {"show"}, {"open"}, {"read"},
	}
	seen := map[string]int{}
	validate := func(args ...string) {
		code, out, errs := run(t, "", args...)
		if code == exitError && out == "" {
			return // not readable
		}
		d := json.NewDecoder(strings.NewReader(out))
		for d.More() {
			var v any
			if err := d.Decode(&v); err != nil {
				t.Fatalf("turns %s: %v; %s", strings.Join(args, " "), err, errs)
			}
			seen[args[0]]++
			if err := check[args[0]].Validate(v); err != nil {
				t.Errorf("turns %s: %v", strings.Join(args, " "), err)
				return
			}
		}
	}
	about := func(path string) {
		for _, args := range one {
			args = append(slices.Clone(args), "--json")
			if i := slices.Index(args, "FILE"); i >= 0 {
				args[i] = path
			} else {
				args = append(args, path)
			}
			validate(args...)
		}
	}
	for i, path := range transcriptFiles(t, "../../testdata") {
		if modeltest.Some(i, 6) {
			about(path)
		}
	}
	if corpus := os.Getenv("TURNS_CORPUS"); corpus != "" {
		for i, path := range transcriptFiles(t, corpus) {
			if info, err := os.Stat(path); err == nil && info.Size() < 1<<20 && modeltest.Some(i, 60) {
				about(path)
			}
		}
	} else {
		t.Log("TURNS_CORPUS is not set: only the samples are validated")
	}
	all, made := "../../testdata/formats", t.TempDir()
	dir := all
	if testing.Short() {
		dir += "/claude-code"
	}
	circles := filepath.Join(made, "circles.jsonl")
	call := `{"role":"assistant","tool_calls":[{"id":"c%d","type":"function","function":{"name":"ls","arguments":"{}"}}]}` + "\n" + `{"role":"tool","tool_call_id":"c%[1]d","content":"x"}` + "\n"
	text := ""
	for i := range 4 {
		text += fmt.Sprintf(call, i)
	}
	if err := os.WriteFile(circles, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	rules := filepath.Join(made, "rules.toml")
	if err := os.WriteFile(rules, []byte("[rules.quiet]\nno = 'tool:ls'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(made, "labels.jsonl")
	if code, _, errs := run(t, "", "label", circles, "#odd", "--labels", store); code != exitOK {
		t.Fatal(errs)
	}
	for _, args := range [][]string{
		{"stats", dir}, {"stats", dir, "--by", "agent"}, {"tools", dir}, {"tools", dir, "--by", "model"}, {"changes", dir, "--by", "dir"},
		{"changes", "../../testdata/demo.jsonl", "--file", "watch.go"}, {"blame", "schema_test.go:1,9", "../../testdata/demo.jsonl"}, {"cost", dir}, {"cost", dir, "--by", "cause"}, {"cost", dir, "--content-by", "phase"}, {"timeline", dir}, {"log", dir}, {"check", dir},
		{"context", dir}, {"ls", dir}, {"recap", dir}, {"trials", all + "/tau-bench"}, {"trials", dir, "--by", "agent", "--task", "prompt"}, {"failures", dir}, {"failures", dir, "--diff", dir}, {"loops", circles}, {"formats"}, {"prices"}, {"label", "--list", "--labels", store},
		{"check", circles, "--rules", rules}, {"fork", "../../testdata/demo.jsonl", "--at", "3", "--dry-run"},
		{"archive", dir, "--into", filepath.Join(t.TempDir(), "kept"), "--anonymize", "--dry-run"},
		{"diff", "../../testdata/demo.jsonl", "../../testdata/formats/openai/plain.json"}, {"diff", all + "/openai", all + "/anthropic"},
		{"diff", "../../testdata/demo.jsonl", "../../testdata/demo.jsonl", "../../testdata/demo.jsonl"},
	} {
		validate(append(args, "--json")...)
	}
	for name := range answerShapes {
		if seen[name] == 0 {
			t.Errorf("nothing that turns %s wrote was validated", name)
		}
	}
}

// TestToolsOfAFolderAreTheSum: the answer of tools about a folder is the sum of its answers about
// each session in it, in the same fields.
func TestToolsOfAFolderAreTheSum(t *testing.T) {
	for _, name := range []string{"claude-code", "openai", "codex", "agent-c", "langchain"} {
		dir := "../../testdata/formats/" + name
		var whole many.ToolsTotals
		decode(t, &whole, "tools", dir, "--json")
		type sums map[string]summary.ToolNumbers
		add := func(into sums, n summary.ToolNumbers) {
			have := into[n.Name]
			have.Name, have.Calls, have.Errors, have.Denied = n.Name, have.Calls+n.Calls, have.Errors+n.Errors, have.Denied+n.Denied
			have.Pending, have.Orphans, have.ArgsSize, have.ResSize = have.Pending+n.Pending, have.Orphans+n.Orphans, have.ArgsSize+n.ArgsSize, have.ResSize+n.ResSize
			if d := n.Durations; d != nil {
				if have.Durations == nil {
					have.Durations = &summary.CallDurations{}
				}
				have.Durations.Total, have.Durations.Known, have.Durations.Derived = have.Durations.Total+d.Total, have.Durations.Known+d.Known, have.Durations.Derived+d.Derived
			}
			into[n.Name] = have
		}
		want, got := [2]sums{{}, {}}, [2]sums{{}, {}}
		for i, list := range [...][]summary.ToolNumbers{whole.Tools, whole.InSubagents} {
			for _, n := range list {
				add(got[i], n)
			}
		}
		for path := range sessionsIn(t, dir) {
			var one summary.ToolsJSON
			decode(t, &one, "tools", path, "--json", "--no-tokens")
			for i, list := range [...][]summary.ToolRow{one.Tools, one.InSubagents} {
				for _, row := range list {
					add(want[i], row.ToolNumbers)
				}
			}
		}
		if len(want[0]) == 0 || !reflect.DeepEqual(got, want) {
			g, _ := json.Marshal(got)
			w, _ := json.Marshal(want)
			t.Errorf("tools of %s:\n%s\nand of its sessions:\n%s", dir, g, w)
		}
	}
}

// sessionsIn returns the paths that ls lists in a folder, each once.
func sessionsIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	_, out, _ := run(t, "", "ls", dir, "--json")
	paths := map[string]bool{}
	for line := range strings.Lines(out) {
		var row session.Row
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		paths[row.Path] = true
	}
	return paths
}

func decode(t *testing.T, into any, args ...string) {
	t.Helper()
	_, out, errs := run(t, "", args...)
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("turns %s: %v; %s", strings.Join(args, " "), err, errs)
	}
}
