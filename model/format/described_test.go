package format

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
)

// TestDescriptionsOfNamesAndRows reads objects whose keys are names, and rows that are lists.
func TestDescriptionsOfNamesAndRows(t *testing.T) {
	for name, c := range map[string]struct{ description, document, want string }{
		"rows of columns": {
			`columns = ["asked", "told"]
			 [[rule]]
			 as = "exchange"
			 request = "asked"
			 reply = "told"`,
			`[["one?", "1"], ["[2] or two?", ""], ["too", "many", "of them"]]`,
			`user one? | assistant 1 | user [2] or two? | note record`,
		},
		"lists of messages under names": {
			`[[rule]]
			 at = "[]"
			 as = "exchange"
			 request = "."
			 session = "@"
			 keep = {title = "@"}`,
			`{"a": [{"role": "user", "content": "hi"}], "b": [{"role": "assistant", "content": "oh"}]}`,
			`user hi in a | assistant oh in b`,
		},
		"names of tools": {
			`[[rule]]
			 at = "[]"
			 as = "message"
			 role = "=assistant"
			 text = "say"
			 [[rule]]
			 at = "[].do[]"
			 as = "call"
			 tool = "@"
			 arguments = "."`,
			`{"1": {"say": "I look", "do": {"ls": {"path": "/"}}}}`,
			`assistant I look ls({"path": "/"})`,
		},
		"answers that stand twice": {
			`[[rule]]
			 as = "exchange"
			 request = "messages"
			 reply = "completion"`,
			`{"messages": [{"role": "user", "content": "spell it"}, {"role": "assistant", "content": "i-t"}], "completion": "i-t"}`,
			`user spell it | assistant i-t`,
		},
		"speakers by name": {
			`roles = {tom = "user", "*" = "assistant"}
			 [[rule]]
			 role = "who"
			 text = "says"`,
			`[{"who": "tom", "says": "hi"}, {"who": "bot-7", "says": "oh"}]`,
			`user hi by tom | assistant oh by bot-7`,
		},
	} {
		f, err := Own("test.toml", []byte("name = \"test\"\n"+c.description))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var fs model.Facts
		if err := f.Parse(model.Record{Data: []byte(c.document)}, &fs); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := saidBy(&fs); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// saidBy returns facts as one line.
func saidBy(fs *model.Facts) string {
	var list []string
	for i := range fs.Len() {
		f := fs.At(i)
		if f.Op == model.Note {
			list = append(list, "note "+f.Name.String())
			continue
		}
		words := []string{f.Role.String()}
		for j := range f.Blocks {
			b := &f.Blocks[j]
			if b.Kind == model.ToolCall {
				words = append(words, fmt.Sprintf("%s(%s)", b.Name.String(), b.Text.String()))
				continue
			}
			words = append(words, b.Text.String())
		}
		if !f.Name.Empty() {
			words = append(words, "by "+f.Name.String())
		}
		for _, e := range f.Extra {
			if e.Name == "title" {
				words = append(words, "in "+e.Value.String())
			}
		}
		list = append(list, strings.Join(words, " "))
	}
	return strings.Join(list, " | ")
}
