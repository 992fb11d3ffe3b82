package amend

import (
	"bytes"
	"testing"

	"turns/model"
	"turns/model/jsonspan"
)

func TestApply(t *testing.T) {
	c := &Change{Names: newSpelling(map[string]string{"toolCalls": "tool_calls"}), Inner: map[string]string{"content": "value"}, IDs: true}
	for _, test := range []struct{ in, want string }{
		{`{"toolCalls":[{"id":7}],"n":7}`, `{"tool_calls":[{"id":"7"}],"n":7}`},
		{`{"content":{"value":"x"},"a\"b":null}`, `{"content":"x","a\"b":null}`},
		{`{"content":{"value":"x","more":1}}`, `{"content":{"value":"x","more":1}}`},
		{`{"content":{"other":{"content":{"value":[1, 2]}}}}`, `{"content":{"other":{"content":[1,2]}}}`},
		{`[{"toolCalls":"as \"it\" is"}]`, `[{"tool_calls":"as \"it\" is"}]`},
		{`{"toolCalls":[{"name":"cut o`, `{"toolCalls":[{"name":"cut o`},
		{`"alone"`, `"alone"`},
	} {
		if got := string(c.Apply([]byte(test.in))); got != test.want {
			t.Errorf("%s: %s for %s", test.in, got, test.want)
		}
	}
}

func TestList(t *testing.T) {
	c := &Change{Names: newSpelling(map[string]string{"chatHistory": "chat_history"}), Inner: map[string]string{"messages": "value"}}
	for in, want := range map[string]string{"[]": "[]", "chat_history": "chatHistory", "data.messages": "data.messages.value"} {
		if got := c.list(in); got != want {
			t.Errorf("%s: %s for %s", in, got, want)
		}
	}
}

func TestLook(t *testing.T) {
	for _, test := range []struct {
		doc  string
		want []string
	}{
		{`{"role":"user","content":"x"}`, nil},
		{`{"role":"user","parent_uuid":"x"}`, []string{"1 names are spelled another way"}},
		{`{"toolCalls":[],"parent_uuid":"x"}`, []string{"1 names are spelled another way", "1 names are spelled another way"}},
		{`{"role":{"value":"user"},"content":"x"}`, []string{"what role says stands in its value"}},
		{`{"usage":{"cached_tokens":1},"caller":{"type":"x"},"models":{"m/1":2}}`, nil},
		{`[{"id":1},{"id":2}]`, []string{"ids are numbers"}},
	} {
		changes := Look(&model.Sample{Shape: model.Document, Doc: []byte(test.doc)}).Changes()
		var got []string
		for _, c := range changes {
			got = append(got, c.Why)
		}
		if len(got) != len(test.want) {
			t.Fatalf("%s: %q for %q", test.doc, got, test.want)
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%s: %q for %q", test.doc, got[i], test.want[i])
			}
		}
	}
}

// TestRenames lists the first tries for a field with another name.
func TestRenames(t *testing.T) {
	for _, test := range []struct{ doc, want string }{
		{`[{"zub":"user","content":"a b"}]`, "zub is read as role"},
		{`[{"zub":"user","role":"x"}]`, "zub is read as content"},             // both in one object
		{`[{"speaker":"user","content":"a b"}]`, "speaker is read as role"},   // a known name
		{`[{"speaker":"user"},{"speaker":"ada"}]`, "speaker is read as type"}, // not all speakers
		{`[{"type":"user","text":"a b"}]`, ""},                                // a usual name has its usual meaning
		{`[{"kind":"text","role":"user","text":"a"}]`, "kind is read as type"},
		{`[{"role":"user","body":"one"}]`, "body is read as type"},
		{`[{"role":"user","body":"one two"}]`, "body is read as content"},
		{`[{"role":"user","zub":"one"}]`, "zub is read as content"},
		{`[{"role":"user","zub":"91de955f-bd32-4115-a29b-6b868ff945f4"}]`, "zub is read as tool_call_id"}, // an id is not a text
		{`[{"role":"user","zubId":"one"}]`, "zubId is read as tool_call_id"},                              // named as an id
		{`[{"role":"user","zub":["bash"]}]`, ""},                                                          // nor are names
		{`[{"role":"user","zub":[{"a":1}]}]`, "zub is read as content"},
		{`[{"role":"user","content":"","type":"x","text":"x","zub":"[{\"id\":1}]"}]`, "zub is read as tool_calls"},
	} {
		got := ""
		for c := range Look(&model.Sample{Shape: model.Document, Doc: []byte(test.doc)}).Renames(true) {
			got = c.Why
			break
		}
		if got != test.want {
			t.Errorf("%s: %q for %q", test.doc, got, test.want)
		}
	}
}

// FuzzApply corrects any bytes: JSON stays JSON, and without a change it stays identical.
func FuzzApply(f *testing.F) {
	f.Add([]byte(`{"toolCalls":[{"id":7}],"content":{"value":{"content":{"value":"x"}}}}`))
	f.Add([]byte(`{"a":[1,{"role":{"value":"user"}},"\u0041"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, _, err := jsonspan.Cut(data)
		if err != nil {
			return
		}
		c := &Change{Names: all(), Inner: map[string]string{"content": "value", "role": "value"}, IDs: true}
		got := c.Apply(v)
		if one, rest, err := jsonspan.Cut(got); err != nil || len(one)+len(rest) != len(got) || len(bytes.TrimSpace(rest)) > 0 {
			t.Fatalf("%q became %q: %v", v, got, err)
		}
		same := (&Change{}).Apply(v)
		if again := (&Change{}).Apply(same); string(again) != string(same) {
			t.Fatalf("%q is not the same twice: %q, %q", v, same, again)
		}
		Look(&model.Sample{Shape: model.Document, Doc: v})
	})
}
