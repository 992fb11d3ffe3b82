package kit

import (
	"fmt"
	"testing"

	"turns/model"
	"turns/model/jsonspan"
)

type row struct {
	raw, word, id, other []byte
	text                 model.Text
	at                   model.Moment
	count                int64
	flag                 bool
	key                  model.Key
}

func (r *row) fields() Fields {
	return Fields{
		Raw("raw", &r.raw), Raw("war", &r.raw), Word("word", &r.word), ID("id", &r.id), Text("text", &r.text),
		Time("at", &r.at), Count("count", &r.count), Flag("flag", &r.flag), Key("key", &r.key),
		Raw("rbw", &r.other), // collides with "raw" in the table
	}
}

func (r *row) String() string {
	return fmt.Sprintf("%s %s %s %s %q %v %d %t %v",
		r.raw, r.word, r.id, r.other, r.text.Raw(), r.at, r.count, r.flag, r.key)
}

// A table of a struct reads the same as a linear search of its fields.
func TestTableIsFields(t *testing.T) {
	table := TableOf((*row).fields)
	tests := []struct{ doc, want string }{
		{`{"raw":{"a":1},"word":"w","id":7,"text":"t","at":0,"flag":true,"rbw":2,"no":[1],"":3}`, `{"a":1} w 7 2`},
		{`{"war":[1],"word":7,"id":"x","count":-5,"flag":null,"key":"k","rbx":1,"wordy":2}`, `[1]  x `},
		{`{}`, `   `},
		{`[1]`, `   `},
		{`{"raw":1,"word":`, `1   `},
	}
	for _, test := range tests {
		doc := test.doc
		var one, other row
		c, d := jsonspan.New([]byte(doc)), jsonspan.New([]byte(doc))
		table.ReadAll(&c, &one)
		ReadFields(&d, other.fields()...)
		if one.String() != other.String() || c.Pos != d.Pos || fmt.Sprint(c.Err) != fmt.Sprint(d.Err) {
			t.Errorf("%s: by table %s at %d, by fields %s at %d", doc, &one, c.Pos, &other, d.Pos)
		}
		if got := fmt.Sprintf("%s %s %s %s", one.raw, one.word, one.id, one.other); got != test.want {
			t.Errorf("%s: %q, want %q", doc, got, test.want)
		}
	}
}

// TableOf must reject a pointer to outside of the struct, because reading would write there.
func TestTableOfOther(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a field outside of its struct was taken")
		}
	}()
	var other [1 << 10]row
	TableOf(func(*row) Fields { return Fields{Raw("raw", &other[1<<9].raw)} })
}

// TestContentThatWrapsBlocks reads the blocks of an object that contains only a list of them.
func TestContentThatWrapsBlocks(t *testing.T) {
	for content, want := range map[string]int{
		`{"value":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}`: 2,
		`{"value":[{"answer":1},{"answer":2}]}`:                                 1, // data
		`{"value":[]}`:                                                          1,
		`{"a":[{"type":"text","text":"one"}],"b":1}`:                            1,
	} {
		var fs model.Facts
		f := fs.Add(model.Say)
		AddContent(f, []byte(content))
		if len(f.Blocks) != want {
			t.Errorf("%s: %d blocks, not %d", content, len(f.Blocks), want)
		}
	}
}

// TestFieldsOfTextBlocks: fields that no format knows belong to their block.
func TestFieldsOfTextBlocks(t *testing.T) {
	var fs model.Facts
	f := fs.Add(model.Say)
	AddContent(f, []byte(`[{"type":"text","text":"x","answer":5,"index":0,"id":"b1"},{"type":"output_text","text":"y","answer":{"a":[]},"note":null},{"type":"text","text":"z"}]`))
	got := ""
	for i := range f.Blocks {
		for _, x := range f.Blocks[i].Extra {
			got += f.Blocks[i].Text.String() + ": " + x.Name + "=" + string(x.Value.Raw()) + ";"
		}
	}
	if want := `x: answer=5;y: answer={"a":[]};`; got != want || len(f.Blocks) != 3 || len(f.Extra) > 0 {
		t.Errorf("%d blocks and %q, not %q", len(f.Blocks), got, want)
	}
}

// TestTextsOfDocuments reads a document with its text, one with a list of texts, and one as a file.
func TestTextsOfDocuments(t *testing.T) {
	var fs model.Facts
	f := fs.Add(model.Say)
	AddContent(f, []byte(`[{"type":"document","title":"One","context":"of two","source":{"type":"text","data":"a\nb"}},`+
		`{"type":"document","title":"Two","source":{"type":"content","content":[{"type":"text","text":"c"}]}},`+
		`{"type":"document","title":"Three","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}},{"type":"text","text":"d"}]`))
	got := ""
	for i := range f.Blocks {
		b := &f.Blocks[i]
		got += b.Kind.String() + " " + b.Name.String()
		for _, x := range b.Extra {
			got += " " + x.Name + "=" + x.Value.String()
		}
		got += ";"
	}
	if want := "text document title=One context=of two;text document title=Two;media application/pdf;text ;"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// TestResultsOfImagesOnly: a result of images only has no text, because the images are blocks.
func TestResultsOfImagesOnly(t *testing.T) {
	var fs model.Facts
	f := fs.Add(model.Say)
	image := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}`
	AddResult(f, model.StringText("c"), model.Text{}, []byte("["+image+"]"), model.Unknown)
	AddResult(f, model.StringText("d"), model.Text{}, []byte("["+image+`,{"type":"other"}]`), model.Unknown)
	if len(f.Blocks) != 4 || f.Blocks[0].Text.Size() != 0 || f.Blocks[1].Kind != model.Media || f.Blocks[2].Text.Size() == 0 {
		t.Errorf("%d blocks: %q and %q", len(f.Blocks), f.Blocks[0].Text, f.Blocks[2].Text)
	}
}

// TestNumberOfHiddenReasoning reads the count of hidden reasoning in exports without a list of
// blocks.
func TestNumberOfHiddenReasoning(t *testing.T) {
	var fs model.Facts
	f := fs.Add(model.Say)
	f.AddText(model.Words, model.StringText("x"))
	b := readBack{reasoning: 2}
	b.order(f)
	if len(f.Blocks) != 3 || f.Blocks[2].Kind != model.Reasoning {
		t.Errorf("%d blocks", len(f.Blocks))
	}
}
