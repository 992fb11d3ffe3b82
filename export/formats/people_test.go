package formats

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	gmtext "github.com/yuin/goldmark/text"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
)

var markdownParser = goldmark.New(goldmark.WithExtensions(extension.GFM))

// topHeadings returns the headings at the top level of a document, and its number of raw HTML
// nodes.
func topHeadings(t testing.TB, doc string) (out []string, html int) {
	t.Helper()
	src := []byte(doc)
	root := markdownParser.Parser().Parse(gmtext.NewReader(src))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindHeading {
			var b strings.Builder
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				b.Write(line.Value(src))
			}
			out = append(out, strings.TrimSpace(b.String()))
		}
	}
	_ = ast.Walk(root, func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		if enter && (n.Kind() == ast.KindHTMLBlock || n.Kind() == ast.KindRawHTML) {
			html++
		}
		return ast.WalkContinue, nil
	})
	return out, html
}

// checkMarkdown writes text in a message before another one, and checks that the text does not
// swallow the heading of that message.
func checkMarkdown(t testing.TB, text string) {
	t.Helper()
	if strings.Contains(text, "Zzsentinel") {
		return
	}
	for _, block := range []model.Content{
		{Kind: model.Words, Text: text}, {Kind: model.Reasoning, Text: text}, {Kind: model.ToolCall, Name: text, ID: text, Text: text},
		{Kind: model.ToolResult, Text: text, ID: "orphan"}, {Kind: model.OtherBlock, Name: "x", Text: text},
	} {
		snap := model.FromMessages([]model.Message{
			{Role: model.Assistant, Blocks: []model.Content{block}},
			{Role: model.Other, Name: "zzsentinel", Blocks: []model.Content{{Kind: model.Words, Text: "after"}}},
		})
		doc, _ := written(t, "markdown", exporttest.Everything(snap), export.Options{})
		headings, html := topHeadings(t, doc)
		if html > 0 {
			t.Errorf("%q as %v has raw HTML:\n%s", text, block.Kind, doc)
		}
		if len(headings) == 0 || headings[len(headings)-1] != "Zzsentinel" {
			t.Errorf("%q as %v swallows what follows; headings %q in\n%s", text, block.Kind, headings, doc)
		}
		checkClean(t, doc)
	}
}

func checkClean(t testing.TB, s string) {
	t.Helper()
	if s != model.Clean(s) {
		t.Errorf("not clean: %q", s)
	}
	if !utf8.ValidString(s) {
		t.Errorf("no UTF-8: %q", s)
	}
}

func TestMarkdownStaysInside(t *testing.T) {
	for _, s := range exporttest.HostileTexts() {
		checkMarkdown(t, s)
	}
}

func FuzzPeople(f *testing.F) {
	for _, s := range exporttest.HostileTexts() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkMarkdown(t, s)
		checkHTML(t, s)
		checkCSV(t, s)
	})
}

func checkCSV(t testing.TB, s string) {
	t.Helper()
	snap := model.FromMessages([]model.Message{{Role: model.Assistant, Blocks: []model.Content{
		{Kind: model.Words, Text: s}, {Kind: model.ToolCall, Name: s, ID: s, Text: "{}", JSON: true},
	}}})
	out, _ := written(t, "csv", exporttest.Everything(snap), export.Options{MaxContent: 40})
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("%q: %v in %q", s, err, out)
	}
	for _, cell := range rows[1] {
		if cell != "" && strings.ContainsRune("=@", rune(cell[0])) || human.CSVCell(cell) != cell {
			t.Errorf("%q is a formula", cell)
		}
		if utf8.RuneCountInString(cell) > 44 && cell == rows[1][2] {
			t.Errorf("%q is too long", cell)
		}
		checkClean(t, strings.ReplaceAll(cell, "\r", ""))
	}
}

func TestCSV(t *testing.T) {
	for _, s := range exporttest.HostileTexts() {
		checkCSV(t, s)
	}
	snap := snapshot(t, "openai.jsonl", "openai")
	out, _ := written(t, "csv", exporttest.Everything(snap), export.Options{CSVRaw: true})
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 11 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if rows[3][3] != "ls" || rows[4][3] != "run" || rows[4][4] != "c2" || rows[5][3] != "ls" {
		t.Errorf("got %q", rows[3:6])
	}
}

// checkHTML scans a page with hostile text strictly: it accepts only the known tags of the page,
// with quoted attributes, and all of them closed.
func checkHTML(t testing.TB, text string) {
	t.Helper()
	snap := model.FromMessages([]model.Message{
		{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: text}}},
		{Role: model.Other, Name: text, Model: text, Blocks: []model.Content{{Kind: model.Reasoning, Text: text}, {Kind: model.OtherBlock, Name: text, Text: text}}},
		{Role: model.Assistant, Model: text, Blocks: []model.Content{{Kind: model.ToolCall, Name: text, ID: text, Text: text}, {Kind: model.Media, Name: text, Text: text}}},
		{Role: model.Tool, Blocks: []model.Content{{Kind: model.ToolResult, ID: text, Text: text}}},
	})
	out, _ := written(t, "html", exporttest.Everything(snap), export.Options{Title: text, Source: text})
	checkPage(t, out)
}

var (
	pageTag   = regexp.MustCompile(`^<(/?)([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*)>`)
	pageValue = regexp.MustCompile(`="[^"<>]*"`)
	pageTags  = "html head meta title style body header h1 h2 h3 p code div input button output main details summary table thead tbody tr th td article b small a span strong pre footer script ul ol li blockquote hr br em ins del img h4 h5 h6"
	voidTags  = "meta input hr br img"
)

// within cuts the part between two tags out of a page.
func within(page, from, to string) (rest, part string) {
	before, after, _ := strings.Cut(page, from)
	part, after, _ = strings.Cut(after, to)
	return before + from + to + after, part
}

func checkPage(t testing.TB, out string) {
	t.Helper()
	checkClean(t, out)
	rest := strings.TrimPrefix(out, "<!doctype html>\n")
	rest, style := within(rest, "<style>", "</style>")
	rest, script := within(rest, "<script>", "</script>")
	var stack []string
	for {
		i := strings.IndexByte(rest, '<')
		if i < 0 {
			break
		}
		if strings.Contains(rest[:i], ">") {
			t.Fatalf("a stray > in %q", rest[:i])
		}
		rest = rest[i:]
		m := pageTag.FindStringSubmatch(rest)
		if m == nil || !strings.Contains(" "+pageTags+" ", " "+m[2]+" ") {
			t.Fatalf("unexpected %.80q", rest)
		}
		names := pageValue.ReplaceAllString(m[3], "") // a value such as a title may contain " on"
		if strings.Contains(names, " on") || strings.Contains(names, "style") || strings.Contains(m[3], "javascript:") {
			t.Fatalf("unexpected attributes %q", m[3])
		}
		switch {
		case strings.Contains(voidTags, m[2]):
		case m[1] == "":
			stack = append(stack, m[2])
		case len(stack) == 0 || stack[len(stack)-1] != m[2]:
			t.Fatalf("</%s> closes %q", m[2], stack)
		default:
			stack = stack[:len(stack)-1]
		}
		rest = rest[len(m[0]):]
	}
	if len(stack) > 0 {
		t.Fatalf("%q are left open", stack)
	}
	for _, net := range []string{"http://", "https://", "src=", "@import", "url("} {
		if strings.Contains(style+script, net) {
			t.Errorf("the page reaches for %s", net)
		}
	}
}

// TestHTMLSays covers prose with links to other targets than web pages, and control characters that
// appear only after Markdown decodes entities.
func TestHTMLSays(t *testing.T) {
	for in, want := range map[string]string{
		"[a](https://x) [b](mailto:x) [c](#d) [e](./f.go)":                              `<a href="https://x">a</a> <a href="mailto:x">b</a> <a href="#d">c</a> <a href="./f.go">e</a>`,
		"[a](ssh://x) [b](x-man-page:ls) [c](&#106;avascript:x) [d][e]\n\n[e]: smb://x": `<a href="">a (ssh://x)</a> <a href="">b (x-man-page:ls)</a> <a href="">c (&amp;#106;avascript:x)</a> `,
		"x&#27;[2Jy&#x9b;8mz&#8238;":                                                    "<p>x",
		"see https://x.org/y":                                                           `<a href="https://x.org/y">`,
	} {
		snap := model.FromMessages([]model.Message{{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: in}}}})
		out, _ := written(t, "html", exporttest.Everything(snap), export.Options{})
		checkPage(t, out)
		if !strings.Contains(out, want) || strings.Contains(out, `"smb:`) {
			_, says, _ := strings.Cut(out, `<div class="says">`)
			t.Errorf("%q became %.300q", in, says)
		}
	}
}

func TestHTML(t *testing.T) {
	for _, s := range exporttest.HostileTexts() {
		checkHTML(t, s)
	}
	for _, in := range inputs {
		out, _ := written(t, "html", exporttest.Everything(snapshot(t, in.name, in.format)), export.Options{Redact: true})
		checkPage(t, out)
		if n := strings.Count(out, "<script"); n != 1 {
			t.Errorf("%d scripts", n)
		}
	}
}

// TestLeftOut: no format contains the parts that the options leave out, and the formats of original
// records refuse these options.
func TestLeftOut(t *testing.T) {
	const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	view := exporttest.Everything(exporttest.FromBytes(t, `{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"read it"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s","message":{"id":"m1","role":"assistant","content":[{"type":"thinking","thinking":"what I thought","signature":"c2lnbmVk"},{"type":"text","text":"reading"},{"type":"tool_use","id":"toolu_1","name":"Read","input":{"file_path":"a.png"}}]}}
{"type":"user","uuid":"t1","parentUuid":"a1","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"what it answered"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`+pixel+`"}}]}]}}
{"type":"assistant","uuid":"a2","parentUuid":"t1","sessionId":"s","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"done"}]}}
`, "claude-code"))
	for _, f := range All() {
		var whole, part strings.Builder
		if _, err := f.Write(context.Background(), &whole, view, export.Options{}); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if f.People && strings.Contains(whole.String(), "iVBOR") && f.Name != "html" {
			t.Errorf("%s has base64", f.Name)
		}
		_, err := f.Write(context.Background(), &part, view, export.Options{NoReasoning: true, NoResults: true})
		if f.Name == "raw" || f.Name == "dict" {
			if err == nil || part.Len() > 0 {
				t.Errorf("%s left something out: %v", f.Name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		for _, gone := range []string{"what I thought", "c2lnbmVk", "what it answered", "iVBOR"} {
			if strings.Contains(part.String(), gone) {
				t.Errorf("%s still has %q", f.Name, gone)
			}
		}
	}
}

// FuzzExport exports every readable input in every format.
func FuzzExport(f *testing.F) {
	for i, s := range exporttest.Hostile() {
		if modeltest.Some(i, 1) {
			f.Add(s, "openai")
		}
	}
	for _, in := range inputs {
		data, err := os.ReadFile(filepath.Join("testdata", "in", in.name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data), in.format)
	}
	f.Fuzz(func(t *testing.T, in, format string) {
		if format != "claude-code" && format != "codex" && format != "generic" {
			format = "openai"
		}
		snap, err := exporttest.TryBytes(t, in, format)
		if err != nil {
			return
		}
		for _, f := range plainFormats() {
			opts := goldenOptions(f)
			opts.Workers = 1
			out, _ := written(t, f.Name, exporttest.Everything(snap), opts)
			switch f.Name {
			case "json", "dict":
				exporttest.Array(t, out)
			case "jsonl":
				exporttest.Lines(t, out)
			case "html":
				checkPage(t, out)
			case "csv":
				if _, err := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil {
					t.Error(err)
				}
				checkClean(t, strings.ReplaceAll(out, "\r", "")) // a CSV field keeps its \r
			case "markdown", "text":
				checkClean(t, out)
			}
		}
	})
}

// TestTableNamesMedia: a table has the same placeholder for an image of a message or a result as
// the exports for people.
func TestTableNamesMedia(t *testing.T) {
	const image = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6B"}}`
	snap := exporttest.FromBytes(t, `[{"role":"user","content":[{"type":"text","text":"look"},`+image+`]},`+
		`{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"g","input":{}}]},`+
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"none"},{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"shot"},`+image+`]}]}]`, "")
	want := "0,user,\"look\n[image/png, 2×3, 33 bytes]\",,,"
	out, _ := written(t, "csv", exporttest.Everything(snap), export.Options{})
	if !strings.Contains(out, want) || !strings.Contains(out, "shot\n[image/png, 2×3, 33 bytes]\",g,b") || strings.Count(out, "[image/png") != 2 {
		t.Errorf("%s", out)
	}
	if out, _ := written(t, "csv", exporttest.Everything(snap), export.Options{NoResults: true}); strings.Count(out, "[image/png") != 1 {
		t.Errorf("without results: %s", out)
	}
}

// TestInteractionContextIsShown: exports show the context that Agent C records with a text.
func TestInteractionContextIsShown(t *testing.T) {
	snap := exporttest.FromBytes(t, `[{"id":"m1","role":"user","interaction_id":"i","validity_state":"active","content":[{"type":"text","text":"Update","interaction_context":"asked\nby mail"}]}]`, "agent-c")
	for _, format := range []string{"text", "markdown", "html"} {
		if out, _ := written(t, format, exporttest.Everything(snap), export.Options{}); !strings.Contains(out, "context: asked by mail") {
			t.Errorf("%s: %s", format, out)
		}
	}
	m, err := snap.Body(t.Context(), snap.At(0))
	if err != nil {
		t.Fatal(err)
	}
	if lines, err := (describe.Describer{}).Message(t.Context(), query.NewPairs(snap), m.ID); err != nil || lines[0].Outcome != "context: asked by mail" {
		t.Errorf("%+v, %v", lines, err)
	}
}
