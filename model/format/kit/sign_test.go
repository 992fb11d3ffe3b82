package kit

import (
	"slices"
	"testing"

	"turns/model"
)

// TestSigns checks each form of a condition on records.
func TestSigns(t *testing.T) {
	for _, test := range []struct {
		line, record string
		want         int
	}{
		{"type", `{"type":null}`, Certain},
		{"type", `{"kind":"type"}`, Unfit},
		{"!type", `{"kind":"type"}`, Certain},
		{"type=user|tool.*", `{"type":"user"}`, Certain},
		{"type=user|tool.*", `{"type":"tool.call"}`, Certain},
		{"type=user|tool.*", `{"type":"users"}`, Unfit},
		{"role:string", `{"role":{"name":"user"}}`, Unfit},
		{"role:object", `{"role":{"name":"user"}}`, Certain},
		{"parts:list & parts:filled", `{"parts":[ ]}`, Unfit},
		{"message.role=user", `{"message":{"role":"user"}}`, Certain},
		{"message.role=user", `{"role":"user","message":{}}`, Unfit},
		{"content[].type=text", `{"content":[{"type":"image"},{"type":"text"}]}`, Certain},
		{"content[0].type=text", `{"content":[{"type":"image"},{"type":"text"}]}`, Unfit},
		{"content[0].type=text", `{"content":[]}`, Unfit},
		{"mapping[0].message", `{"mapping":{"a":{"message":{}}}}`, Certain},
		{"parts[](id & type=a)", `{"parts":[{"id":1,"type":"b"},{"type":"a"}]}`, Unfit},
		{"parts[](id & type=a)", `{"parts":[{"id":1,"type":"a"}]}`, Certain},
		{"!parts[](!id)", `{"parts":[{"id":1},{"ID":2}]}`, Unfit},
		{"a|b & c", `{"b":1,"c":2}`, Certain},
		{"a|b & c", `{"c":2}`, Unfit},
		{"steps[0](id & text)", `{"steps":[{"id":1,"text":"cut o`, Certain},
		{"~ type", `{"type":1}`, Possible},
		{"- type", `{"type":1}`, Unfit},
		{"x type", `{"type":1}`, Excluded},
	} {
		if got := Judge(test.line)([]byte(test.record)); got != test.want {
			t.Errorf("%q in %s: vote %d, want %d", test.line, test.record, got, test.want)
		}
	}
}

// TestTheFirstSignDecides checks that the first of several signs decides.
func TestTheFirstSignDecides(t *testing.T) {
	judge := Judge("- data", "+ type=user.*", "~ type")
	for record, want := range map[string]int{
		`{"type":"user.message","data":1}`: Unfit,
		`{"type":"user.message"}`:          Certain,
		`{"type":"session"}`:               Possible,
		`{}`:                               Unfit,
	} {
		if got := judge([]byte(record)); got != want {
			t.Errorf("%s: vote %d, want %d", record, got, want)
		}
	}
}

// TestMostLinesFit checks the score by the number of matching records of a sample.
func TestMostLinesFit(t *testing.T) {
	detect := Clues(Clue{Score: 90, Reason: "a", Is: Signs{"x no", "+ sure", "~ maybe"}})
	sure, maybe, other, no := []byte(`{"sure":1}`), []byte(`{"maybe":1}`), []byte(`{"z":1}`), []byte(`{"no":1}`)
	for _, test := range []struct {
		name    string
		records [][]byte
		want    int
	}{
		{"half", [][]byte{sure, other}, 90},
		{"less than half", [][]byte{sure, other, other}, 0},
		{"none certain", [][]byte{maybe, maybe}, 0},
		{"one certain", [][]byte{maybe, other, sure, other}, 90},
		{"one excludes", [][]byte{sure, sure, no}, 0},
		{"no records", nil, 0},
	} {
		s := &model.Sample{Shape: model.Lines, Records: test.records}
		if got := detect(s.Remembering()).Score; got != test.want {
			t.Errorf("%s: score %d, want %d", test.name, got, test.want)
		}
	}
}

// TestNamesOfTablesAndFiles checks clues on the names in databases and folders.
func TestNamesOfTablesAndFiles(t *testing.T) {
	tables := Clues(Clue{In: InTables, Score: 90, Is: Signs{"rows: id, data", "old|new"}})
	for _, test := range []struct {
		tables map[string][]string
		want   int
	}{
		{map[string][]string{"rows": {"data", "id", "more"}, "new": nil}, 90},
		{map[string][]string{"rows": {"id"}, "new": nil}, 0},
		{map[string][]string{"rows": {"id", "data"}}, 0},
	} {
		if got := tables(&model.Sample{Shape: model.Database, Tables: test.tables}).Score; got != test.want {
			t.Errorf("%v: score %d, want %d", test.tables, got, test.want)
		}
	}
	files := Clues(Clue{In: InFiles, Score: 90, Is: Signs{"a.json", "b.jsonl"}})
	for want, names := range map[int][]string{90: {"b.jsonl", "c", "a.json"}, 0: {"a.json"}} {
		if got := files(&model.Sample{Shape: model.Folder, Names: names}).Score; got != want {
			t.Errorf("%v: score %d, want %d", names, got, want)
		}
	}
}

// TestRarerMarks: of two lists of marks, the one whose shortest mark is longer; the first of two
// alike.
func TestRarerMarks(t *testing.T) {
	for _, c := range []struct {
		a, b  []string
		first bool
	}{
		{[]string{"ab"}, []string{"c"}, true}, {[]string{"a"}, []string{"bc"}, false}, {[]string{"a"}, []string{"b"}, true}, {nil, []string{"a"}, false}, {[]string{"a"}, nil, true},
		{[]string{"abc", "a"}, []string{"de"}, false}, {[]string{"ab", "abc"}, []string{"de", "d"}, true},
	} {
		want := c.b
		if c.first {
			want = c.a
		}
		if got := better(c.a, c.b); !slices.Equal(got, want) {
			t.Errorf("of %q and %q the rarer is %q, want %q", c.a, c.b, got, want)
		}
	}
}
