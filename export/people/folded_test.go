package people

import (
	"fmt"
	"strings"
	"testing"

	"turns/export"
	"turns/model"
	"turns/query"
	"turns/query/describe"
)

// answered returns a call whose result has this number of lines.
func answered(lines int) describe.View {
	text := strings.TrimSuffix(strings.Repeat("a line of the log that is as long as most lines are\n", lines), "\n")
	return describe.NewView(query.Everything(model.FromMessages([]model.Message{
		{Role: model.Assistant, Blocks: []model.Content{{Kind: model.ToolCall, ID: "a", Name: "Bash", Text: `{"command":"cat log"}`, JSON: true}}},
		{Role: model.Tool, Blocks: []model.Content{{Kind: model.ToolResult, ID: "a", Text: text, Outcome: model.Success}}},
	})), nil)
}

// Markdown folds results of more than 50 lines, with blank lines around their fence, which Markdown
// requires within HTML.
func TestLongResultsAreFolded(t *testing.T) {
	for _, lines := range []int{1, 50, 51, 900} {
		var b strings.Builder
		if _, err := WriteMarkdown(t.Context(), &b, answered(lines), export.Options{}); err != nil {
			t.Fatal(err)
		}
		head := fmt.Sprintf("\n<details><summary>%d lines</summary>\n\n```\na line", lines)
		text := b.String()
		if folded := strings.Contains(text, head) && strings.HasSuffix(text, "\n```\n\n</details>\n"); folded != (lines > 50) {
			t.Errorf("%d lines: folded is %v:\n%.400s", lines, folded, text)
		}
	}
}

// A text over the limit of an issue causes a note, in files and in the clipboard.
func TestLimitOfAnIssue(t *testing.T) {
	for lines, over := range map[int]bool{900: false, 1300: true} {
		view, want := answered(lines), "more than a GitHub issue holds (65 kB)"
		report, err := WriteMarkdown(t.Context(), &strings.Builder{}, view, export.Options{})
		if err != nil || strings.Contains(strings.Join(report.Notes, ""), want) != over {
			t.Errorf("%d lines: %q, %v", lines, report.Notes, err)
		}
		_, report, err = Clip(t.Context(), view, export.Options{})
		if err != nil || strings.Contains(strings.Join(report.Notes, ""), want) != over {
			t.Errorf("clipboard, %d lines: %q, %v", lines, report.Notes, err)
		}
	}
	var n letters
	_, _ = n.Write([]byte("é € 世界"))
	if n != 6 {
		t.Errorf("%d letters, want 6", n)
	}
}

// TestTurnsHaveNoSeparators expects the number of a turn in the form of filters: turn:1000.
func TestTurnsHaveNoSeparators(t *testing.T) {
	messages := make([]model.Message, 1001)
	for i := range messages {
		messages[i] = model.Message{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "do"}}}
	}
	var b strings.Builder
	if _, err := WriteHTML(t.Context(), &b, describe.NewView(query.Everything(model.FromMessages(messages)), nil), export.Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), ">Turn 1000<") {
		t.Error("the page has no heading Turn 1000")
	}
}
