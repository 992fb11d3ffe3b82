package prose

import (
	"strings"
	"testing"

	"turns/model"
)

// jsonOf returns a printed Python object as JSON, or "" if the text is not one.
func jsonOf(text string) string {
	p := literal{text: []byte(text), most: 1 << 16}
	if p.value(0); p.failed {
		return ""
	}
	return string(p.out)
}

// TestPythonValues reads the escapes of strings and the names of values.
func TestPythonValues(t *testing.T) {
	for text, want := range map[string]string{
		`'a\nb'`: `"a\nb"`, `'a\tb'`: `"a\tb"`, `'a\rb'`: `"a\rb"`, `'a\\b'`: `"a\\b"`, `'a\'b'`: `"a'b"`, `'a\"b'`: `"a\"b"`, "'a\\\nb'": `"ab"`,
		`'a\0b'`: `"a\u0000b"`, `'a\ab'`: `"a\u0007b"`, `'a\bb'`: `"a\u0008b"`, `'a\fb'`: `"a\u000cb"`, `'a\vb'`: `"a\u000bb"`,
		`'\x41b'`: `"Ab"`, `'\u00e9'`: `"é"`, `'\U0010ffffb'`: "\"\U0010ffffb\"", `'\U00110000'`: `"\\U00110000"`, `'\xg'`: `"\\xg"`, `'\x4`: "",
		`r'a\n'`: `"a\\n"`, `Rb'a\n'`: `"a\\n"`, `u'a' "b"`: `"ab"`, `rbu'a'`: "", "rb": "",
		"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null", "nan": "null", "inf": "null",
	} {
		if got := jsonOf(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	for depth, want := range map[int]bool{61: true, 62: false} {
		if got := jsonOf(strings.Repeat("[", depth) + strings.Repeat("]", depth)); (got != "") != want {
			t.Errorf("%d lists in each other are %q", depth, got)
		}
	}
}

// TestDelimiters reads tables with each delimiter.
func TestDelimiters(t *testing.T) {
	for _, d := range []string{",", "\t", ";", "|"} {
		text := strings.ReplaceAll("role,content\nuser,Is it so?\nbot,It is.\n", ",", d)
		if l := find(text); l == nil || len(l.sample([]byte(text))) != 2 {
			t.Errorf("%q is not a table", text)
		}
	}
}

// TestTemplates reads the input of a model in the chat template of each family.
func TestTemplates(t *testing.T) {
	for family, text := range map[string]string{
		"ChatML":    "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nYes.<|im_end|>\n",
		"Llama 3":   "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nYes.<|eot_id|>",
		"Gemma":     "<start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\nYes.<end_of_turn>\n",
		"Harmony":   "<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>",
		"Command R": "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>Hi<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>Yes.<|END_OF_TURN_TOKEN|>",
		"Phi":       "<|user|>Hi<|end|><|assistant|>Yes.<|end|>",
		"Llama 2":   "<s>[INST] Hi [/INST] Yes. </s>",
	} {
		l := lookForTemplates([]byte(text))
		if l == nil {
			t.Errorf("%s is not a template", family)
			continue
		}
		var got []string
		for _, v := range l.sample([]byte(text)) {
			got = append(got, string(v))
		}
		if said := strings.Join(got, " "); said != `{"role":"user","content":"Hi"} {"role":"assistant","content":"Yes."}` {
			t.Errorf("%s: %s", family, said)
		}
	}
}

// TestScreens lists the marks of lines of the user and the agent.
func TestScreens(t *testing.T) {
	for mark, want := range map[string]model.Role{"❯ ": model.User, "> ": model.User, "› ": model.User, "⏺ ": model.Assistant, "● ": model.Assistant, "• ": model.Assistant, "- ": model.NoRole} {
		if got := screenMark([]byte(mark + "hi\n")); got != want {
			t.Errorf("%q is of the %s, want %s", mark, got, want)
		}
		if got := screenMark([]byte(mark + "\n")); got != model.NoRole {
			t.Errorf("%q without words is of the %s", mark, got)
		}
	}
}

// TestTextOfPages: elements of a page separate its text, and those without visible text add none.
func TestTextOfPages(t *testing.T) {
	page := func(inner string) string {
		text := `<html><div data-role="user">Hi</div><div data-role="assistant">` + inner + `</div></html>`
		l := lookForPages([]byte(text))
		if l == nil {
			return "no page"
		}
		all := l.sample([]byte(text))
		return string(all[len(all)-1])
	}
	for inner, want := range map[string]string{
		"a<p>b": `a\n\nb`, "a<div>b</div>": `a\nb`, "a<br>b": `a\nb`, "a<li>b": `a\n- b`, "a<pre>b</pre>": `a\n\nb`, "a<h1>b</h1>": `a\n\nb`, "a<h2>b</h2>": `a\n\nb`, "a<h3>b</h3>": `a\n\nb`,
		"a<h4>b</h4>": `a\n\nb`, "a<tr>b": `a\nb`, "a<td>b": `a b`, "a<th>b": `a b`, "a<ul>b</ul>": `a\nb`, "a<ol>b</ol>": `a\nb`, "a<blockquote>b</blockquote>": `a\n\nb`, "a<b>b</b>": `ab`,
		"a<script>x</script>b": "ab", "a<style>x</style>b": "ab", "a<svg>x</svg>b": "ab", "a<button>x</button>b": "ab", "a<head>x</head>b": "ab", "a<title>x</title>b": "ab",
	} {
		if got := page(inner); !strings.HasSuffix(got, `"content":"`+want+`"}`) {
			t.Errorf("%s is read as %s, want %s", inner, got, want)
		}
	}
}

// TestSampledPieces: detection uses at most sixty pieces of a text.
func TestSampledPieces(t *testing.T) {
	for rows, want := range map[int]int{59: 59, 60: 60, 70: 60} {
		text := []byte("role,content\n" + strings.Repeat("user,Is it so?\n", rows))
		if got := len(find(string(text)).sample(text)); got != want {
			t.Errorf("%d of %d rows are sampled, want %d", got, rows, want)
		}
	}
}
