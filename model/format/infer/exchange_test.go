package infer

import (
	"testing"

	"turns/model"
)

// TestExchange infers what was asked and answered in one record, whatever they are called.
func TestExchange(t *testing.T) {
	kit := plainKit()
	kit.Said = func(fs *model.Facts, v []byte, role model.Role) {
		f := fs.Add(model.Say)
		f.Role = role
		f.AddText(model.Words, model.ValueText(v))
	}
	kit.Know = func(*model.Fact, model.Key, int) {}
	kit.Keep = func(*model.Fact, []byte, []byte) {}
	asked, answered := `"[{\"role\":\"user\",\"content\":\"List the files\"}]"`, `"[{\"role\":\"assistant\",\"content\":\"There are two\"}]"`
	for name, c := range map[string]struct{ data, at, request, reply string }{
		"dots":  {`[{"n":1,"a":{"x.in":` + asked + `,"x.out":` + answered + `}}]`, "", `a."x.in"`, `a."x.out"`},
		"pairs": {`{"s":[{"a":[{"k":"x.in","v":{"str":` + asked + `}},{"k":"x.out","v":{"str":` + answered + `}}]}]}`, "s[]", `a{}."x.in".str`, `a{}."x.out".str`},
		"texts": {`{"task":"Find facts of Oslo","agent":"Researcher","output":"It is the capital."}`, "", "task", "output"},
	} {
		found := Find(sampleOf([]byte(c.data)), kit)
		if found == nil {
			t.Errorf("%s: nothing was inferred", name)
			continue
		}
		r := found.Format.Rules[0]
		if r.As != "exchange" || r.At != c.at || r.Request != c.request || r.Reply != c.reply {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if found := Find(sampleOf([]byte(`{"question":"How many legs has it?","answer":"It has eight of them."}`)), kit); found != nil {
		t.Errorf("a data set is read as a conversation: %+v", found.Format.Rules)
	}
}
