package described

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
)

// TestDepths: if a record is a list, turns reads objects below at most four lists. Dotted names
// make trees of at most 12 levels below the first.
func TestDepths(t *testing.T) {
	f, err := Compile(&Format{Name: "own", Title: "Own", Match: []string{"role"}, Rules: []Rule{{As: "message", Role: "=user", Text: "t"}}}, plainKit())
	if err != nil {
		t.Fatal(err)
	}
	for lists, want := range map[int]int{1: 1, 4: 1, 5: 0} {
		var fs model.Facts
		data := strings.Repeat("[", lists) + `{"role":"user","t":"Hi"}` + strings.Repeat("]", lists)
		_ = f.Parse(model.Record{Data: []byte(data)}, &fs)
		said := 0
		for i := range fs.Len() {
			if fs.At(i).Op == model.Say {
				said++
			}
		}
		if said != want {
			t.Errorf("below %d lists: %d messages, not %d", lists, said, want)
		}
	}
	for names, want := range map[int]string{13: `"n13":1`, 14: `"n13.n14":1`} {
		var name []string
		for i := range names {
			name = append(name, fmt.Sprint("n", i+1))
		}
		if got := string(Gather(fmt.Appendf(nil, `{"p.%s":1}`, strings.Join(name, ".")), "p.", 0)); !strings.Contains(got, want) {
			t.Errorf("%d names make %s, without %s", names, got, want)
		}
	}
	for n, want := range map[int]string{60: "60 of 60 records", 61: "60 of 60 records"} {
		d := &Format{Name: "own", Title: "Own", List: []string{"[]"}, Match: []string{"role"}, Rules: []Rule{{As: "message", Role: "=user", Text: "t"}}}
		f, err := Compile(d, plainKit())
		if err != nil {
			t.Fatal(err)
		}
		doc := "[" + strings.TrimSuffix(strings.Repeat(`{"role":"user","t":"Hi"},`, n), ",") + "]"
		if m := f.Detect(&model.Sample{Shape: model.Document, Doc: []byte(doc), Whole: true}); !strings.HasPrefix(m.Reason, want) {
			t.Errorf("%d records: %q", n, m.Reason)
		}
	}
}
