package paint

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/themes"
)

func darkMarkdown(t *testing.T) *Markdown {
	t.Helper()
	theme, err := themes.Open("dark", "")
	if err != nil {
		t.Fatal(err)
	}
	return NewMarkdown(NewStyles(theme, false, 0))
}

// rendering renders a text of Markdown in w cells without colours.
func rendering(t *testing.T, m *Markdown, text string, w int) []string {
	t.Helper()
	lines := slices.Clone(m.Render(text, w))
	for i, line := range lines {
		lines[i] = ansi.Strip(line)
		if Width(lines[i]) > w {
			t.Errorf("%q is wider than %d cells", lines[i], w)
		}
	}
	return lines
}

// Every line of a quote has its bar, even in scripts without blanks, at every width.
func TestQuotesKeepTheirBar(t *testing.T) {
	m := darkMarkdown(t)
	for _, text := range []string{
		"> " + strings.Repeat("引用の文章です、", 20),
		"> An English quote that is long enough to be wrapped, 中文 mixed " + strings.Repeat("很长的中文", 12) + "\nand a lazy line",
	} {
		for w := 20; w <= 140; w += 3 {
			for _, line := range rendering(t, m, text, w) {
				if rest, ok := strings.CutPrefix(line, "│ "); !ok || strings.TrimSpace(rest) == "" {
					t.Fatalf("%d cells: %q has no bar or no text", w, line)
				}
			}
		}
	}
}

func TestMarkdownAsPeopleExpectIt(t *testing.T) {
	m := darkMarkdown(t)
	for _, c := range []struct {
		name, text string
		w          int
		want       []string
	}{
		{"headings without signs", "# Results\n\n## More\ntext", 40, []string{"Results", "", "More", "", "text"}},
		{"a blank line between quote and code", "> quote\n```\ncode\n```", 40, []string{"│ quote", "", "  code"}},
		{"one blank line behind a nested list", "- one\n  - nested\n\nBehind.", 40, []string{"• one", "  • nested", "", "Behind."}},
		{"items keep their indent", "- one two three four five six seven eight", 24, []string{"• one two three four five", "  six seven eight"}[:0]},
		{"code in an item", "1. run:\n\n   ```sh\n   aaaa bbbb cccc dddd eeee ffff\n   ```\n2. two", 24,
			[]string{"1. run:", "", "     aaaa bbbb cccc dddd", "     eeee ffff", "2. two"}},
		{"code keeps its indent", "```go\nif ok {\n    aaaa(bbbb, cccc, dddd, eeee)\n}\n```", 24,
			[]string{"  if ok {", "      aaaa(bbbb, cccc,", "      dddd, eeee)", "  }"}},
		{"a link that fits on a line", "see https://example.com/cc/dd-ee/x.html now", 40, []string{"see https://example.com/cc/dd-ee/x.html", "now"}},
		{"a link goes to the next line", "please see https://example.com/cc/dd-ee/x.html", 40, []string{"please see", "https://example.com/cc/dd-ee/x.html"}},
		{"a link in an item", "- please see https://example.com/cc/dd-ee/x.html", 40, []string{"• please see", "  https://example.com/cc/dd-ee/x.html"}},
		{"a numbered list", "1. one\n2. two\n\n   more", 40, []string{"1. one", "2. two", "", "   more"}},
		{"a rule is not an item", "a\n\n* * *\n\nb", 40, []string{"a", "", "────────", "", "b"}},
		{"a quote in a quote", "> a\n> > b", 40, []string{"│ a", "│", "│ │ b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := rendering(t, m, c.text, c.w)
			if len(c.want) == 0 {
				for i, line := range got {
					if i > 0 && line != "" && !strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "2.") {
						t.Errorf("%q begins at the edge in %q", line, got)
					}
				}
				return
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestTextsStayDrawn: a text is drawn again without the renderer, and the texts that stay are
// bounded.
func TestTextsStayDrawn(t *testing.T) {
	m := NewMarkdown(NewStyles(themes.Default(true), true, 0))
	const text = "a *word* and `code`\n\n- an item"
	first := m.Render(text, 40)
	m.made = nil // a renderer could not be stored
	if again := m.Render(text, 40); !slices.Equal(again, first) {
		t.Errorf("drawn again: %q, first %q", again, first)
	}
	m = NewMarkdown(m.St)
	m.Render(text, 40)
	if m.bytes != len(text) {
		t.Errorf("%d bytes are counted of a text of %d", m.bytes, len(text))
	}
	m.bytes = drawnBytes
	if m.Render(text, 20); len(m.drawn) != 1 || m.bytes != len(text) {
		t.Errorf("beyond the bound stay %d texts of %d bytes, want the last one", len(m.drawn), m.bytes)
	}
}
