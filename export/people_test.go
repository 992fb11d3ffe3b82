package export

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
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

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/human"
	"turns/query/lang"
)

func say(s string) string {
	b, _ := json.Marshal(s)
	return `{"role":"assistant","content":` + string(b) + "}\n"
}

// hostileTexts try to get out of where they stand.
var hostileTexts = []string{
	"```\nunclosed", "~~~~\nunclosed\n~~~", "- ```\nout", "1. a\n   ```\nout\n   ```\n", "> ```\nout", "    ```\ncode", "- a\n\n      ```\n  x",
	"<!-- unclosed", "<script>alert(1)</script>", "<pre>", "</script><script>alert(1)", "a ` b\n` <script> `", "`<b>`", "`` ` <pre>", "\\`<pre>`", "\\<pre>",
	"<details><summary>", "<?php", "<![CDATA[", "<https://example.org/a>", "<https://x\"onclick=1>", "# heading\n### User", "a\n===", "---\n", "| a | b |\n|---|---|",
	"````\n```\n", "```a`b\n<pre>", "\t```\n<pre>", "-\t```\nx", "```\n    ```\nx", "  ```\n x\n  ```\n", "* * *\n- - ```\nx", "[x]: <\n", "\x1b[31mred\x1b]52;c;aGk=\x07",
	"\u202eevil\u2066", "a\rb", "\x00\x01", "=1+1", "-cmd|' /C calc'!A0", "@SUM(1)", "+1", "\t=1", " =1", "＝1", `"quoted", and, commas` + "\nlines",
	"10) ```\nx", "1234567890. ```\nx", "- > ```\nx", "```\r\nx\r\n```", "&lt;script&gt;", "~~~ a`b\n<pre>", "``` \n```", "![](javascript:alert(1))",
}

var hostile = func() []string {
	out := []string{
		`{"role":"user","content":"\ud800"}`, `{"role":"user","content":NaN}`, `{"role":"user","content":"a` + "\x01\xff" + `b"}`, `{"role":"user","content":"\x"}`,
		`{"role":"assistant","content":null,"tool_calls":null}`, `{"role":"assistant","tool_calls":[{"id":"","function":{"name":"","arguments":null}}]}`,
		`{"role":"tool","content":[{"type":"text","text":"x"}]}`, `{"role":"user","content":"x","a":01}`, `{"role":"user","content":"x",}`, `{}`, `[]`, `nope`,
		`{"role":"user","content":"x"}{"role":"user","content":"y"}`, `{"role":"user","content":"x","_metadata":1,"index":2}`, "\xef\xbb\xbf" + `{"role":"user","content":"bom"}`,
		"[{\"role\":\"user\",\n\"content\":\"doc\"}]", `{"role":1,"content":{"a":1}}`, `{"role":"user","content":"x","deep":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
	}
	for _, s := range hostileTexts {
		out = append(out, say(s))
	}
	return out
}()

var markdownParser = goldmark.New(goldmark.WithExtensions(extension.GFM))

// topHeadings are the headings of a document that are in no container.
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

// checkMarkdown writes a message between two others, and looks at whether the
// last one is where it belongs.
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
		doc, _ := export(t, "markdown", everything(snap), Options{})
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
	for _, s := range hostileTexts {
		checkMarkdown(t, s)
	}
}

func TestMarkdownContain(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"plain *text*", "plain *text*"},
		{"Vec<T> and `Vec<T>`", "Vec&lt;T> and `Vec<T>`"},
		{"a\n```go\nx <b>\n```\nb", "a\n```go\nx <b>\n```\nb"},
		{"1. Do\n   ```sh\n   ls\n   ```\n2. x", "1. Do\n   ```sh\n   ls\n   ```\n2. x"},
		{"see <https://example.org>", "see <https://example.org>"},
		{"```\nopen", "```\nopen\n```"},
		{"1 < 2", "1 < 2"},
		{"# A\n### Assistant\n- ## b\n#c", "#### A\n###### Assistant\n- ##### b\n#c"},
		{"A\n===\nb\n\n---\n", "A\n\\===\nb\n\n---\n"},
		{"**Tool Call: Bash** `c1`\n*#1*\n> **Reasoning**", "\\*\\*Tool Call: Bash** `c1`\n\\*#1*\n> \\*\\*Reasoning**"},
		{"![x](https://t/p.png) `![x]`", "!\\[x](https://t/p.png) `![x]`"},
		{"[a]: javascript:x\n\nd[`x`]: 1", "[a]\\: javascript:x\n\nd[`x`]\\: 1"},
		{"[`]: javascript:x `\n[a](b)", "[`]\\: javascript:x `\n[a](b)"},
		{"[a](https://x) [b](mailto:x) [c](#d) [e](./f.go#L1) [g](javascript:alert(1))", "[a](https://x) [b](mailto:x) [c](#d) [e](./f.go#L1) [g]\\(javascript:alert(1))"},
		{"[a]( \njavascript:x) [b](&#106;s:x) [c](<data:x>) [d](java\\script:x)", "[a]\\( \njavascript:x) [b]\\(&#106;s:x) [c]\\(&lt;data:x>) [d]\\(java\\script:x)"},
		{"| `x | <img src=x> ` |", "| `x | &lt;img src=x> ` |"},
		{"<https://x/\\<img src=x>>", "&lt;https://x/\\&lt;img src=x>>"},
	} {
		if got := mdContain(test.in); got != test.want {
			t.Errorf("%q became %q", test.in, got)
		}
	}
}

func FuzzPeople(f *testing.F) {
	for _, s := range hostileTexts {
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
	out, _ := export(t, "csv", everything(snap), Options{MaxContent: 40})
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 2 || len(rows[1]) != len(csvColumns) {
		t.Fatalf("%q: %v in %q", s, err, out)
	}
	for _, cell := range rows[1] {
		if cell != "" && strings.ContainsRune("=@", rune(cell[0])) || human.CSVCell(cell) != cell {
			t.Errorf("%q is a formula", cell)
		}
		if utf8.RuneCountInString(cell) > 44 && cell == rows[1][2] {
			t.Errorf("%q is too long", cell)
		}
		checkClean(t, cell)
	}
}

func TestCSV(t *testing.T) {
	for _, s := range hostileTexts {
		checkCSV(t, s)
	}
	snap := snapshot(t, "openai.jsonl", "openai")
	out, _ := export(t, "csv", everything(snap), Options{CSVRaw: true})
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 11 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if rows[3][3] != "ls" || rows[4][3] != "run" || rows[4][4] != "c2" || rows[5][3] != "ls" {
		t.Errorf("got %q", rows[3:6])
	}
}

// checkHTML scans a page strictly: every tag is one that the page is made of,
// every attribute is quoted, all that is opened is closed.
func checkHTML(t testing.TB, text string) {
	t.Helper()
	snap := model.FromMessages([]model.Message{
		{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: text}}},
		{Role: model.Other, Name: text, Model: text, Blocks: []model.Content{{Kind: model.Reasoning, Text: text}, {Kind: model.OtherBlock, Name: text, Text: text}}},
		{Role: model.Assistant, Model: text, Blocks: []model.Content{{Kind: model.ToolCall, Name: text, ID: text, Text: text}, {Kind: model.Media, Name: text, Text: text}}},
		{Role: model.Tool, Blocks: []model.Content{{Kind: model.ToolResult, ID: text, Text: text}}},
	})
	out, _ := export(t, "html", everything(snap), Options{Title: text, Source: text})
	checkPage(t, out)
}

var (
	pageTag   = regexp.MustCompile(`^<(/?)([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*)>`)
	pageValue = regexp.MustCompile(`="[^"<>]*"`)
	pageTags  = "html head meta title style body header h1 h2 h3 p code div input button output main details summary table thead tbody tr th td article b small a span strong pre footer script ul ol li blockquote hr br em ins del img h4 h5 h6"
	voidTags  = "meta input hr br img"
)

func checkPage(t testing.TB, out string) {
	t.Helper()
	checkClean(t, out)
	rest := strings.TrimPrefix(out, "<!doctype html>\n")
	rest = strings.Replace(strings.Replace(rest, pageStyle, "", 1), pageScript, "", 1)
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
		names := pageValue.ReplaceAllString(m[3], "") // a title may say how to go on
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
		if strings.Contains(pageStyle+pageScript, net) {
			t.Errorf("the page reaches for %s", net)
		}
	}
}

// TestHTMLSays has prose whose links lead elsewhere than to pages, and control characters that only Markdown makes.
func TestHTMLSays(t *testing.T) {
	for in, want := range map[string]string{
		"[a](https://x) [b](mailto:x) [c](#d) [e](./f.go)":                              `<a href="https://x">a</a> <a href="mailto:x">b</a> <a href="#d">c</a> <a href="./f.go">e</a>`,
		"[a](ssh://x) [b](x-man-page:ls) [c](&#106;avascript:x) [d][e]\n\n[e]: smb://x": `<a href="">a</a> <a href="">b</a> <a href="">c</a> `,
		"x&#27;[2Jy&#x9b;8mz&#8238;":                                                    "<p>x",
		"see https://x.org/y":                                                           `<a href="https://x.org/y">`,
	} {
		snap := model.FromMessages([]model.Message{{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: in}}}})
		out, _ := export(t, "html", everything(snap), Options{})
		checkPage(t, out)
		if !strings.Contains(out, want) || strings.Contains(out, `"smb:`) {
			_, says, _ := strings.Cut(out, `<div class="says">`)
			t.Errorf("%q became %.300q", in, says)
		}
	}
}

func TestHTML(t *testing.T) {
	for _, s := range hostileTexts {
		checkHTML(t, s)
	}
	for _, in := range inputs {
		out, _ := export(t, "html", everything(snapshot(t, in.name, in.format)), Options{Redact: true})
		checkPage(t, out)
		if n := strings.Count(out, "<script"); n != 1 {
			t.Errorf("%d scripts", n)
		}
	}
}

func TestPaths(t *testing.T) {
	at := place{cwd: "/home/anna/proj", home: "/home/anna"}
	for _, test := range []struct{ in, want string }{
		{"/home/anna/proj/main.go", "main.go"},
		{"cd /home/anna/proj && ls", "cd . && ls"},
		{"/home/anna/proj/", "."},
		{"/home/anna/project/x", "~/project/x"},
		{"/home/anna/notes.txt:3", "~/notes.txt:3"},
		{"/home/annabelle/x", "/home/annabelle/x"},
		{"in /home/anna.", "in ~."},
		{"/mnt/home/anna/x", "/mnt/home/anna/x"},
		{`"a\n/home/anna/proj/b"`, `"a\nb"`},
		{"file:///home/anna/x", "file:///home/anna/x"},
	} {
		if got := at.shorten(test.in); got != test.want {
			t.Errorf("%q became %q, not %q", test.in, got, test.want)
		}
	}
}

func TestNothingOfTheUserIsLeft(t *testing.T) {
	view := everything(snapshot(t, "claude.jsonl", "claude-code"))
	for _, f := range plainFormats() {
		if !f.People {
			continue
		}
		out, report := export(t, f.Name, view, Options{Redact: true, MaxContent: 500})
		if strings.Contains(out, "sk-proj-abc") || report.Secrets != 1 || strings.Contains(out, "/home/anna") {
			t.Errorf("%s: %d secrets\n%s", f.Name, report.Secrets, out)
		}
		out, _ = export(t, f.Name, view, Options{Absolute: true, NoResults: true, NoReasoning: true})
		if strings.Contains(out, "sk-proj-abc") || strings.Contains(out, "Read first.") || !strings.Contains(out, "/home/anna/proj") {
			t.Errorf("%s without results:\n%s", f.Name, out)
		}
	}
	out, report, err := Clip(context.Background(), view, Options{Redact: true})
	if err != nil || report.Secrets != 1 || !strings.HasPrefix(out, "### User") {
		t.Errorf("clip: %v, %d secrets\n%s", err, report.Secrets, out)
	}
}

// TestOnlyWhatMatched: of a message with two calls the one that matched is shown.
func TestOnlyWhatMatched(t *testing.T) {
	snap := snapshot(t, "openai.jsonl", "openai")
	f, err := lang.Parse("tool:ls")
	if err != nil {
		t.Fatal(err)
	}
	sel := query.Everything(snap)
	res, err := filter.Apply(context.Background(), sel, f, filter.Env{})
	if err != nil {
		t.Fatal(err)
	}
	view := describe.NewView(query.Selection{Snap: snap, IDs: res.IDs}, &res)
	for _, name := range []string{"markdown", "text", "html"} {
		out, _ := export(t, name, view, Options{})
		if !strings.Contains(out, "a.go") || strings.Contains(out, "no rule") {
			t.Errorf("%s shows other calls:\n%s", name, out)
		}
	}
	out, _ := export(t, "json", view, Options{})
	if !strings.Contains(out, "make") {
		t.Errorf("json lacks the whole message:\n%s", out)
	}
}

// FuzzExport exports whatever can be opened in every format.
// TestLeftOut: what is to be left out is in no format, and formats that keep the
// records refuse.
func TestLeftOut(t *testing.T) {
	const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	view := everything(fromBytes(t, `{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"read it"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s","message":{"id":"m1","role":"assistant","content":[{"type":"thinking","thinking":"what I thought","signature":"c2lnbmVk"},{"type":"text","text":"reading"},{"type":"tool_use","id":"toolu_1","name":"Read","input":{"file_path":"a.png"}}]}}
{"type":"user","uuid":"t1","parentUuid":"a1","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"what it answered"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`+pixel+`"}}]}]}}
{"type":"assistant","uuid":"a2","parentUuid":"t1","sessionId":"s","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"done"}]}}
`, "claude-code"))
	for _, f := range Formats() {
		var whole, part strings.Builder
		if _, err := f.Write(context.Background(), &whole, view, Options{}); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if f.People && strings.Contains(whole.String(), "iVBOR") && f.Name != "html" {
			t.Errorf("%s has base64", f.Name)
		}
		_, err := f.Write(context.Background(), &part, view, Options{NoReasoning: true, NoResults: true})
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

func FuzzExport(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, "openai")
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
		snap, err := tryBytes(t, in, format)
		if err != nil {
			return
		}
		for _, f := range plainFormats() {
			opts := goldenOptions(f)
			opts.Workers = 1
			out, _ := export(t, f.Name, everything(snap), opts)
			switch f.Name {
			case "json", "dict":
				decodeArray(t, out)
			case "jsonl":
				decodeLines(t, out)
			case "html":
				checkPage(t, out)
			case "csv":
				if _, err := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil {
					t.Error(err)
				}
				checkClean(t, out)
			case "markdown", "text":
				checkClean(t, out)
			}
		}
		checkTwins(t, snap)
	})
}

// TestPeopleAreToldWhatBecameOfAMessage: a document must not show what was taken back
// as if it still held.
func TestPeopleAreToldWhatBecameOfAMessage(t *testing.T) {
	snap := fromBytes(t, `[{"id":"m1","role":"user","content":[{"type":"text","text":"Update"}],"interaction_id":"i","validity_state":"archived"},
{"id":"m2","role":"assistant","content":[{"type":"text","text":"First."}],"interaction_id":"i","validity_state":"superseded","superseded_by":"m3<b>"},
{"id":"m3","role":"assistant","content":[{"type":"text","text":"Second."}],"interaction_id":"i","validity_state":"active"}]`, "agent-c")
	for _, name := range []string{"markdown", "html", "text"} {
		out, _ := export(t, name, everything(snap), Options{})
		if !strings.Contains(out, "archived") || strings.Count(out, "superseded by m3") != 1 || strings.Contains(out, "m3<b>") && name != "text" {
			t.Errorf("%s:\n%s", name, out)
		}
	}
}

// TestEveryCallAndResultHasARow also where a result stands in the message of its call.
func TestEveryCallAndResultHasARow(t *testing.T) {
	snap := fromBytes(t, `[{"id":"a","role":"assistant","parts":[{"type":"text","text":"I look"},{"type":"tool-f","toolCallId":"c1","state":"output-available","input":{"x":1},"output":"one"},`+
		`{"type":"tool-g","toolCallId":"c2","state":"output-error","input":{},"errorText":"boom"},{"type":"text","text":"done"}]}]`, "vercel-ui")
	out, _ := export(t, "csv", everything(snap), Options{Columns: []string{"arguments", "outcome"}})
	want := "index,role,content,tool_name,tool_call_id,token_count,arguments,outcome\n" +
		"0,assistant,\"I look\ndone\",f,c1,,\"{\"\"x\"\":1}\",success\n0,tool,one,f,c1,,,success\n0,assistant,,g,c2,,{},failure\n0,tool,boom,g,c2,,,failure\n"
	if out != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	if _, err := writeCSV(context.Background(), io.Discard, everything(snap), Options{Columns: []string{"shoe"}}); err == nil {
		t.Error("a column that nobody knows")
	}
}
