package infer

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/described"
)

// plainKit returns a kit without knowledge of formats.
func plainKit() described.Kit {
	return described.Kit{
		Moment:  func([]byte) model.Moment { return model.Moment{} },
		Usage:   func([]byte) model.Usage { return model.Usage{} },
		Content: func(f *model.Fact, v []byte) { f.AddText(model.Words, model.ValueText(v)) },
		Result: func(f *model.Fact, id, name model.Text, content []byte, o model.Outcome) {
			b := f.Add(model.ToolResult)
			b.ID, b.Name, b.Text, b.Outcome = id, name, model.ValueText(content), o
		},
		Outcome: func([]byte) (model.Outcome, bool) { return model.Unknown, false },
		Keep:    func(*model.Fact, []byte, []byte) {},
		Stop:    func(*model.Fact, []byte) {},
		Split:   func(*model.Facts) {},
		Speak: func(fs *model.Facts, v []byte, role model.Role) {
			f := fs.Add(model.Say)
			f.Role = role
			f.AddText(model.Words, model.ValueText(v))
		},
		Know: func(*model.Fact, model.Key, int) {},
	}
}

func sampleOf(data []byte) *model.Sample {
	s := &model.Sample{}
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] == '{' && len(s.Records) < 60 {
			s.Records = append(s.Records, line)
		}
	}
	if len(s.Records) == 0 || bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		return &model.Sample{Shape: model.Document, Doc: bytes.TrimSpace(data)}
	}
	return s
}

// FuzzFind infers from any input: Find terminates, and its descriptions can be written and read.
func FuzzFind(f *testing.F) {
	f.Add([]byte(`{"who":"user","what":"Hi there you"}` + "\n" + `{"who":"assistant","what":"Hello to you, too"}`))
	f.Add([]byte(`[{"r":"user","c":[{"t":"text","x":"go on"}]},{"r":"assistant","c":[{"t":"tool_use","i":"c1","n":"ls","a":{"p":"."}}]},` +
		`{"r":"user","c":[{"t":"tool_result","i":"c1","o":"a.txt"}]}]`))
	f.Add([]byte(`{"messages":[{"role":"user","content":"x y z"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}]}`))
	f.Add([]byte(`{"s":[{"a":[{"k":"x.in","v":{"str":"[{\"role\":\"user\",\"content\":\"hi\"}]"}},{"k":"x.out","v":{"str":"It is so"}}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		found := Find(sampleOf(data), plainKit())
		if found == nil {
			return
		}
		text, err := found.Format.Write()
		if err != nil {
			t.Fatalf("writing what was inferred: %v", err)
		}
		if _, err := described.Read("x.toml", text); err != nil {
			t.Fatalf("reading what was inferred: %v\n%s", err, text)
		}
	})
}

// TestFindIsLinear measures the work by allocations: twice the messages need at most twice as many.
func TestFindIsLinear(t *testing.T) {
	for _, turn := range []string{
		`{"who":"user","what":"Go on with %d"},{"who":"assistant","what":"So it goes %d"}`,
		`{"r":"assistant","c":[{"t":"tool_use","i":"c%d","n":"ls","a":{"p":"."}}]},{"r":"user","c":[{"t":"tool_result","i":"c%d","o":"a.txt"}]}`,
		`{"a":{"b":{"c":{"id":"x%d","kind":"tool_call","d":[[[1]]]}}}},{"a":[{"id":"x%d","role":"user"}]}`,
		`{"is":"item.started","item":{"uid":"item_%d","sort":"command_execution","command":"make"}},{"is":"item.completed","item":{"uid":"item_%d","sort":"command_execution","command":"make"}}`,
		`{"id":["lib","HumanMessage"],"a":[[{"body":"So it goes %d"}]],"delta":true},{"id":["lib","AIMessage"],"a":[[{"body":" and on %d"}]],"delta":true}`,
	} {
		steps := func(turns int) float64 {
			var doc []byte
			for i := range turns {
				doc = append(append(doc, ','), strings.ReplaceAll(turn, "%d", strconv.Itoa(1000+i))...)
			}
			doc[0] = '['
			s := &model.Sample{Shape: model.Document, Doc: append(doc, ']'), Whole: true}
			return testing.AllocsPerRun(1, func() { Find(s, plainKit()) })
		}
		if once, twice := steps(60), steps(120); twice > 2.2*once {
			t.Errorf("%s: %v steps for twice what takes %v", turn, twice, once)
		}
	}
}
