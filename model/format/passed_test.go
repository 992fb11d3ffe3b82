package format

import (
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/envelope"
)

// TestListsThatArePassedOver checks the number of messages in lists that a format does not read.
func TestListsThatArePassedOver(t *testing.T) {
	message := `{"role": "user", "content": "hi"}, {"role": "assistant", "content": "oh"}`
	for doc, want := range map[string]string{
		`{"messages": [` + message + `], "tools": [{"name": "ls"}]}`:                                        "",
		`{"messages": [` + message + `], "before": {"archived": [` + message + `, ` + message + `]}}`:       "before.archived holds 4 more messages",
		`{"a-1": [` + message + `], "b-2": {"title": "x", "messages": [` + message + `, ` + message + `]}}`: "read 4 of 6 messages, which are in a-1 (2 messages), b-2.messages (4 messages)",
	} {
		f, m := Detect(sampleOf("x.json", []byte(strings.ReplaceAll(doc, "{\"messages", "{\n\"messages"))))
		var notes []string
		for _, p := range envelope.Cut([]byte(doc), listsOf(f, m)) {
			var fs model.Facts
			if err := f.Parse(model.Record{Data: p.Data, List: p.List, Variant: m.Variant}, &fs); err != nil {
				t.Fatal(err)
			}
			for i := range fs.Len() {
				if n := fs.At(i); n.Op == model.Note && n.Name.String() == "not read" {
					notes = append(notes, n.Blocks[0].Text.String())
				}
			}
		}
		if got := strings.Join(notes, "; "); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s as %s (%s) says %q, want %q", doc, f.Name, m.Reason, got, want)
		}
	}
}

// TestDepthOfPassedLists: lists are found below three objects.
func TestDepthOfPassedLists(t *testing.T) {
	list := `[{"role":"user","content":"Hi"}]`
	for rest, want := range map[string]int{`{"a":` + list + `}`: 1, `{"a":{"b":{"c":{"d":` + list + `}}}}`: 1, `{"a":{"b":{"c":{"d":{"e":` + list + `}}}}}`: 0} {
		if got := passedOver([]byte(rest)); len(got) != want {
			t.Errorf("%s: %v", rest, got)
		}
	}
}
