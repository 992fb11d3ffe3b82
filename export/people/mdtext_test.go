package people

import (
	"io"
	"strings"
	"testing"
)

// HTML shows a text of more than 256 KiB as it is, and one that begins a line with more than 60
// signs of lists and quotes.
func TestLongTextsAreNotMarkdown(t *testing.T) {
	for text, want := range map[string]bool{
		strings.Repeat("x", 256<<10): true, strings.Repeat("x", 256<<10+1): false,
		"a\n" + strings.Repeat("-", 60) + "b": true, "a\n" + strings.Repeat("-", 61) + "b": false,
	} {
		if err := writeProse(io.Discard, text); (err == nil) != want {
			t.Errorf("%d bytes, %.8q: %v", len(text), text, err)
		}
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
		{"<a <z <A <Z </ <! <? <@ <[ <` <{", "&lt;a &lt;z &lt;A &lt;Z &lt;/ &lt;! &lt;? <@ <[ <` <{"},
		{"0. ```\n   a\n   ```\n", "0. ```\n   a\n   ```\n"},
		{"9) ```\n   a\n   ```\n", "9) ```\n   a\n   ```\n"},
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

// TestMarksOfALine: the text of a line follows its indentation and the signs of lists and
// quotes. A tab ends the search.
func TestMarksOfALine(t *testing.T) {
	for line, want := range map[string]struct {
		text           string
		quoted, marked bool
	}{
		"a": {"a", false, false}, "  a": {"a", false, false}, "> a": {"a", true, false}, "- a": {"a", false, true}, "* a": {"a", false, true}, "+ a": {"a", false, true},
		"-\ta": {"\ta", true, true}, "-a": {"-a", false, false}, "-": {"-", false, false}, "1. a": {"a", false, true}, "12) a": {"a", false, true}, "1.\ta": {"\ta", true, true},
		"1.a": {"1.a", false, false}, "1 a": {"1 a", false, false}, "1.": {"1.", false, false}, "1": {"1", false, false}, "09. a": {"a", false, true},
		"> - 1. a": {"a", true, true}, "": {"", false, false},
	} {
		at, quoted, marked := skipMarks(line)
		if line[at:] != want.text || quoted != want.quoted || marked != want.marked {
			t.Errorf("%q: %q, quoted %v, marked %v", line, line[at:], quoted, marked)
		}
	}
}
