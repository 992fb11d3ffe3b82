package formats

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/query/describe"
)

var (
	anyTag  = regexp.MustCompile(`<[^>]*>`)
	notWord = regexp.MustCompile(`[^\pL\pN<+$]+`)
)

// squeezed returns a text without the spaces and marks that formats add between its words.
func squeezed(s string) string { return notWord.ReplaceAllString(s, "") }

// TestOpenedAlikeEverywhere: text and HTML contain the pieces of a call that the screen draws.
// Markdown shows the arguments as JSON instead.
func TestOpenedAlikeEverywhere(t *testing.T) {
	calls := []struct{ tool, args, result string }{
		{"shell", `{"command":["bash","-lc","apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.go\n@@ func main() {\n-old\n+new <T>\n*** End Patch\nEOF"]}`, `{"output":"Success\nM a.go\n","metadata":{"exit_code":0}}`},
		{"Bash", `{"command":"git commit -m \"Fix it\n\nBecause.\"","description":"commits"}`, "done"},
		{"Task", `{"subagent_type":"Explore","prompt":"Look\n\nfor Vec<String> and more"}`, `[{"type":"text","text":"found\nit"}]`},
		{"TodoWrite", `{"todos":[{"content":"Do A","status":"completed"},{"content":"Do B","status":"pending"}]}`, "ok"},
		{"AskUserQuestion", `{"questions":[{"question":"Which?","options":[{"label":"JWT"},{"label":"OAuth"}]}]}`, `"Which?"="OAuth".`},
	}
	for _, c := range calls {
		call := model.Content{Kind: model.ToolCall, ID: "c1", Name: c.tool, Text: c.args, JSON: true}
		result := model.Content{Kind: model.ToolResult, ID: "c1", Text: c.result}
		snap := model.FromMessages([]model.Message{
			{Role: model.Assistant, Blocks: []model.Content{call}}, {Role: model.Tool, Blocks: []model.Content{result}},
		})
		f, _, _ := describe.FamilyOf(c.tool)
		pieces := append(describe.Arguments(&call, &result, nil), describe.Result(&result, f)...)
		for _, format := range []string{"text", "html"} {
			out, _ := written(t, format, exporttest.Everything(snap), export.Options{})
			if format == "html" {
				out = anyTag.ReplaceAllString(out, "")
			}
			got := squeezed(html.UnescapeString(out))
			for i := range pieces {
				want := pieces[i].Text
				if format == "html" { // the marks of a list become boxes
					want = strings.NewReplacer("[x]", "", "[ ]", "").Replace(want)
				}
				for line := range strings.Lines(want) {
					if !strings.Contains(got, squeezed(line)) {
						t.Errorf("%s of %s lacks %q:\n%s", format, c.tool, line, out)
					}
				}
			}
		}
	}
}

func TestPageShowsImages(t *testing.T) {
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	for _, c := range []struct {
		text  string
		shown bool
	}{{png, true}, {"data:image/png;base64," + png, true}, {png + `" onload="x`, false}, {"https://example.org/a.png", false}, {"JVBERi0xLjQ=", false}} {
		snap := model.FromMessages([]model.Message{{Role: model.User, Blocks: []model.Content{{Kind: model.Media, Name: "image/png", Text: c.text}}}})
		out, _ := written(t, "html", exporttest.Everything(snap), export.Options{})
		checkPage(t, out)
		if got := strings.Contains(out, `<img src="data:image/png;base64,`+png+`"`); got != c.shown {
			t.Errorf("%.30q is shown: %v", c.text, got)
		}
		out, report := written(t, "html", exporttest.Everything(snap), export.Options{Redact: true})
		if strings.Contains(out, "<img src") || c.shown != (len(report.Notes) == 1) {
			t.Errorf("%.30q is shown where credentials are taken out, or nothing says that it is not: %v", c.text, report.Notes)
		}
	}
}
