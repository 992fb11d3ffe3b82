package query

import (
	"encoding/base64"
	"slices"
	"testing"

	"turns/model"
)

func TestMediaOfResult(t *testing.T) {
	result := func(id string) model.Content { return model.Content{Kind: model.ToolResult, ID: id} }
	image := func(id string) model.Content { return model.Content{Kind: model.Media, ID: id, Name: "image/png"} }
	for _, c := range []struct {
		what   string
		role   model.Role
		blocks []model.Content
		call   string
		want   []int
	}{
		{"its own", model.User, []model.Content{result("a"), image("a"), result("b"), image("b"), image("b")}, "b", []int{3, 4}},
		{"of a message for one call", model.Tool, []model.Content{result("a"), image("")}, "a", []int{1}},
		{"nobody knows whose", model.Tool, []model.Content{result("a"), result("b"), image("")}, "a", nil},
		{"what the user sent", model.User, []model.Content{result("a"), image("")}, "a", nil},
		{"two results without media", model.Tool, []model.Content{result("a"), result("b")}, "a", nil},
		{"no id", model.User, []model.Content{result(""), image("")}, "", nil},
		{"none", model.Tool, []model.Content{result("a")}, "a", nil},
	} {
		if got := MediaOfResult(&model.Message{Role: c.role, Blocks: c.blocks}, c.call); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

func TestMediaBytes(t *testing.T) {
	const data = "\xff\xfe\x00 some bytes"
	std := base64.StdEncoding.EncodeToString([]byte(data))
	for _, c := range []struct {
		text string
		ok   bool
	}{{std, true}, {"data:image/png;base64," + std, true}, {std[:4] + "\n" + std[4:], true}, {base64.RawURLEncoding.EncodeToString([]byte(data)), true},
		{"https://example.org/a.png", false}, {"", false}} {
		s := model.FromMessages([]model.Message{{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "see"}, {Kind: model.Media, Text: c.text}}}})
		got, err := MediaBytes(t.Context(), s, s.At(0), 1)
		if c.ok != (err == nil) || c.ok && string(got) != data {
			t.Errorf("%q: %q, %v", c.text, got, err)
		}
		for block, name := range map[int]string{0: "words", 2: "a missing block"} {
			if _, err := MediaBytes(t.Context(), s, s.At(0), block); err == nil {
				t.Errorf("%s is media", name)
			}
		}
	}
}
