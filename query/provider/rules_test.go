package provider

import (
	"regexp"
	"strings"
	"testing"

	"turns/model"
)

// TestCharactersOfIDs compares the characters of ids and names with regular expressions.
func TestCharactersOfIDs(t *testing.T) {
	plain, dotted := regexp.MustCompile(`^[A-Za-z0-9_-]$`), regexp.MustCompile(`^[A-Za-z0-9_.-]$`)
	var p Provider
	for r := rune(1); r < 0x100; r++ {
		s := string(r)
		if want := plain.MatchString(s); isWord("a"+s) != want || (p.fix(s, false) == s) != want {
			t.Errorf("%q is part of an id: %v and %v, want %v", s, isWord("a"+s), p.fix(s, false) == s, want)
		}
		if want := dotted.MatchString(s); (p.fix(s, true) == s) != want {
			t.Errorf("%q is part of a name with dots: %v, want %v", s, !want, want)
		}
	}
	if isWord("") {
		t.Error("an empty text is an id")
	}
}

// TestTextsAmongFiles: a text has only printed characters and white space. Its last character may
// be cut.
func TestTextsAmongFiles(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "a b": true, "a\nb\r\n\tc": true, "a\x00": false, "a\x1f": false, "a\x0b": false, "äö": true, "a\xc3": true, "a\xe2\x82": true, "a\xf0\x9f\x98": true,
		"a\xf0\x9f\x98\x98b": true, "\xff\xfe\xfd\xfc": false, "\xffabc": false, "\xff": true,
	} {
		if isText([]byte(text)) != want {
			t.Errorf("%q is text: %v, want %v", text, !want, want)
		}
	}
}

// TestAcceptedReasoning: who accepts reasoning, with and without a signature.
func TestAcceptedReasoning(t *testing.T) {
	words, signed := WireBlock{}, WireBlock{}
	words.Text, signed.Signed = "hm", true
	for _, c := range []struct {
		name  string
		rule  ReasoningRule
		block WireBlock
		role  model.Role
		want  bool
	}{
		{"none", ReasoningNone, signed, model.Assistant, false}, {"of the user", ReasoningSigned, signed, model.User, false},
		{"signed", ReasoningSigned, signed, model.Assistant, true}, {"not signed", ReasoningSigned, words, model.Assistant, false},
	} {
		p := Provider{Reasoning: c.rule}
		if got := p.takesReasoning(&c.block, c.role); got != c.want {
			t.Errorf("%s: accepted %v, want %v", c.name, got, c.want)
		}
	}
}

// TestPlaceholders: the name of the attachment, or a short text in its place.
func TestPlaceholders(t *testing.T) {
	block := func(text string, file *Attachment) *WireBlock {
		b := &WireBlock{File: file}
		b.Name, b.Text = "image", text
		return b
	}
	short, long := strings.Repeat("x", 199), strings.Repeat("x", 200)
	for _, c := range []struct {
		b    *WireBlock
		want string
	}{
		{&WireBlock{}, "(file was here; it is not included)"}, {block("cat.png", nil), "(image cat.png was here; it is not included)"},
		{block(short, nil), "(image " + short + " was here; it is not included)"}, {block(long, nil), "(image was here; it is not included)"},
		{block("data:x", nil), "(image was here; it is not included)"}, {block("t", &Attachment{Name: "n", URL: "u"}), "(image n was here; it is not included)"},
		{block("t", &Attachment{URL: "u"}), "(image u was here; it is not included)"},
	} {
		if got := Placeholder(c.b); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for in, want := range map[string]string{"data:x": "x", "DATA:x": "x", "data:": "", "data": "data", "": ""} {
		if got, ok := cutPrefixFold(in, "data:"); got != want || ok != (len(in) >= 5) {
			t.Errorf("%q without its prefix is %q, %v; want %q", in, got, ok, want)
		}
	}
}

// TestPromptsOfUsers: a message of the user with words, or without results, is a prompt.
func TestPromptsOfUsers(t *testing.T) {
	wire := func(role model.Role, kinds ...model.BlockKind) Wire {
		w := Wire{}
		w.Role = role
		for _, k := range kinds {
			b := WireBlock{}
			b.Kind = k
			w.Blocks = append(w.Blocks, b)
		}
		return w
	}
	for _, c := range []struct {
		w    Wire
		want bool
	}{
		{wire(model.User, model.Words), true}, {wire(model.User, model.ToolResult), false}, {wire(model.User, model.Words, model.ToolResult), true}, {wire(model.User, model.Media), true},
		{wire(model.User), true}, {wire(model.Assistant, model.Words), false}, {wire(model.Tool, model.Words), false},
	} {
		if got := c.w.prompts(); got != c.want {
			t.Errorf("%+v is a prompt: %v, want %v", c.w, got, c.want)
		}
	}
}
