package envelope

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
)

// known returns a Finder for one format, whose lines begin with a role. It matches with the score.
func known(score int) Finder {
	f := &model.Format{Name: "roles", Parse: func(rec model.Record, fs *model.Facts) error {
		fs.Add(model.Say).AddText(model.Words, model.ValueText(rec.Data))
		return nil
	}}
	return Finder{
		Detect: func(s *model.Sample) (*model.Format, model.Match) {
			if s.Shape == model.Lines && strings.HasPrefix(string(s.Records[0]), `{"role"`) {
				return f, model.Match{Score: score, Reason: "roles"}
			}
			return nil, model.Match{}
		},
		Moment: func(v []byte) model.Moment {
			if string(v) == `"noon"` {
				return model.Moment{Ms: 12}
			}
			return model.Moment{}
		},
	}
}

// lines returns a sample of two equal lines.
func lines(line string) *model.Sample {
	return &model.Sample{Shape: model.Lines, Records: [][]byte{[]byte(line), []byte(line)}}
}

// facts finds the format of two equal lines and returns the facts that it reads from one of them.
func facts(t *testing.T, f Finder, line string) *model.Facts {
	t.Helper()
	format, m := f.Find(lines(line))
	if format == nil {
		t.Fatalf("nothing is inside of %s", line)
	}
	fs := new(model.Facts)
	if err := format.Parse(model.Record{Data: []byte(line), Variant: m.Variant}, fs); err != nil {
		t.Fatal(err)
	}
	return fs
}

// TestTimesOfEnvelopes: the time of a record is in a field next to it with one of these names, of
// which the first has precedence.
func TestTimesOfEnvelopes(t *testing.T) {
	names := []string{"timestamp", "time", "ts", "date", "created", "at"}
	for i, name := range names {
		for _, field := range []string{name, "x_" + name} {
			fs := facts(t, known(80), `{"`+field+`":"noon","event":{"role":"user"}}`)
			if fs.At(0).Time.Ms != 12 {
				t.Errorf("%s has no time", field)
			}
		}
		if i > 0 {
			f := known(80)
			if got := f.timeName([][]byte{[]byte(`{"` + name + `":"noon","` + names[i-1] + `":"noon"}`)}); got != names[i-1] {
				t.Errorf("%s goes before %s", got, names[i-1])
			}
		}
	}
	if fs := facts(t, known(80), `{"that":"noon","event":{"role":"user"}}`); fs.At(0).Time.Ms != 0 {
		t.Error("a field that ends with the letters of at has a time")
	}
}

// TestScoresOfRows: the result of a run is next to its conversation, under one of these names.
func TestScoresOfRows(t *testing.T) {
	for _, name := range []string{"score", "reward", "passed", "resolved", "success", "correct", "is_correct"} {
		for value, want := range map[string]model.Outcome{"true": model.Success, "1": model.Success, "false": model.Failure, "0.5": model.Half, "7": model.Unknown} {
			fs := facts(t, known(80), `{"`+name+`":`+value+`,"messages":[{"role":"user"},{"role":"assistant"}]}`)
			end := (*model.Fact)(nil)
			for i := range fs.Len() {
				if fs.At(i).Op == model.End {
					end = fs.At(i)
				}
			}
			if end == nil || !end.HasScore || end.Outcome != want {
				t.Errorf("%s %s has the end %v, want %v", name, value, end, want)
			}
		}
	}
}

// TestLargestFields: the two fields with most bytes, each of at least half of the records, are
// looked into.
func TestLargestFields(t *testing.T) {
	small, large := `{"t":1}`, `{"t":"`+strings.Repeat("x", 20)+`"}`
	many := ""
	for i := range 64 {
		many += fmt.Sprintf(`"f%d":%s,`, i, small)
	}
	for want, records := range map[string][]string{
		"a b":    {`{"a":` + large + `,"b":` + small + `}`, `{"a":` + large + `,"b":` + small + `}`},
		"b a":    {`{"a":` + small + `,"n":1,"b":` + large + `}`, `{"b":` + small + `,"a":` + small + `}`},
		"a":      {`{"a":` + small + `}`, `{"a":` + small + `}`, `{"b":` + large + `}`},
		"":       {`{"a":` + small + `}`, `{}`, `{}`},
		"f63 f0": {`{` + strings.Replace(many, `"f63":`+small, `"f63":`+large, 1) + `"z":` + large + `}`},
	} {
		var values [][]byte
		for _, r := range records {
			values = append(values, []byte(r))
		}
		if got := strings.Join(largest(values), " "); got != want {
			t.Errorf("of %s: %s, want %s", records, got, want)
		}
	}
}

// TestHowDeep: a record may be inside up to three nested fields, and its format needs a score of at
// least 30, or Finder.Weak.
func TestHowDeep(t *testing.T) {
	for line, want := range map[string]bool{
		`{"a":{"role":"user"}}`:                   true,
		`{"a":{"b":{"c":{"role":"user"}}}}`:       true,
		`{"a":{"b":{"c":{"d":{"role":"user"}}}}}`: false,
		`{"a":"{\"role\":\"user\"}"}`:             true,
		`{"a":[{"role":"user"},{"role":"user"}]}`: true,
	} {
		if f, _ := known(80).Find(lines(line)); (f != nil) != want {
			t.Errorf("%s is an envelope: %v", line, f != nil)
		}
	}
	for score, want := range map[int]bool{30: true, 29: false} {
		if f, _ := known(score).Find(lines(`{"a":{"role":"user"}}`)); (f != nil) != want {
			t.Errorf("with a score of %d: %v", score, f != nil)
		}
	}
	weak := known(29)
	for least, want := range map[int]bool{29: true, 30: false} {
		weak.Weak = least
		if f, _ := weak.Find(lines(`{"a":{"role":"user"}}`)); (f != nil) != want {
			t.Errorf("with a score of 29 and at least %d: %v", least, f != nil)
		}
	}
	long := strings.Repeat("x", 50)
	if f, _ := known(80).Find(lines(`{"a":{"t":"` + long + `"},"b":{"t":"` + long + `"},"c":{"role":"user"}}`)); f != nil {
		t.Error("the third largest field is looked into")
	}
	if f, _ := known(80).Find(lines(`{"a":{"t":"` + long + `"},"c":{"role":"user"}}`)); f == nil {
		t.Error("the second largest field is not looked into")
	}
}

// TestLongLists: of a list, turns looks into the first 60 values that may be records.
func TestLongLists(t *testing.T) {
	for objects, want := range map[int]int{59: 59, 60: 60, 61: 60} {
		list := "[" + strings.Repeat(`0,{"role":"user"},`, objects) + "0]"
		if got := inside([][]byte{[]byte(list)}, step{}); len(got) != want {
			t.Errorf("of %d objects it looks into %d, not %d", objects, len(got), want)
		}
	}
}
