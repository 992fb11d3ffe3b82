package described

import (
	"errors"
	"strings"
	"testing"

	"turns/model"
)

func plainKit() Kit {
	return Kit{
		Moment:  func([]byte) model.Moment { return model.Moment{} },
		Usage:   func([]byte) model.Usage { return model.Usage{} },
		Content: func(f *model.Fact, v []byte) { f.AddText(model.Words, model.ValueText(v)) },
		Result: func(f *model.Fact, id, name model.Text, content []byte, o model.Outcome) {
			b := f.Add(model.ToolResult)
			b.ID, b.Name, b.Text, b.Outcome = id, name, model.ValueText(content), o
		},
		Outcome: func([]byte) (model.Outcome, bool) { return model.Unknown, false },
		Counts: func(map[string]string) func([]byte) model.Usage {
			return func([]byte) model.Usage { return model.Usage{} }
		},
		Keep:  func(f *model.Fact, name, v []byte) { f.KeepNamed(name, model.ValueText(v)) },
		Stop:  func(*model.Fact, []byte) {},
		Split: func(*model.Facts) {},
		Speak: func(fs *model.Facts, v []byte, role model.Role) {
			f := fs.Add(model.Say)
			f.Role = role
			f.AddText(model.Words, model.ValueText(v))
		},
		Know: func(*model.Fact, model.Key, int) {},
	}
}

const sample = `name = "acme"
match = ["actor", "body"]
role = "actor"
text = "body"

[roles]
op = "user"

[[rule]]
when = ["kind=tool_start"]
as = "call"
tool = "tool"
arguments = "params"
id = "run"

[[rule]]
at = "parts[]"
when = ["!hidden"]
as = "text"
text = "t|u.v[]"
`

// FuzzFormat reads descriptions and records of all kinds: every record yields a fact or an error,
// and none panics.
func FuzzFormat(f *testing.F) {
	f.Add(sample, `{"actor":"op","body":"hi"}`)
	f.Add(sample, `{"kind":"tool_start","tool":"ls","params":"{\"a\":1}","run":7,"parts":[{"t":"x"},"y",[1]]}`)
	f.Add("name = \"x\"\nrole = \"=user\"\ntext = 'a{}.\"b.c\".d'", `{"a":[{"k":"b.c","v":{"d":"hi"}},{"k":1},[]]}`)
	f.Add("name = \"x\"\nlist = [\"[]\"]\nat = \"a[].b.c[]\"\nrole = \"=user\"\ntext = \"[]\"", `[{"a":[{"b":"{\"c\":[{}]}"}]}]`)
	f.Add("name = \"x\"\nkind = \"k\"\ninner = [\"m\"]\ndrop = [\"d\"]\nkeep = { title = \"t|m.t\" }\n[[mark]]\nwhen = [\"b\"]\nflags = [\"injected\"]\n[[rule]]\nwhen = [\"c\"]\nas = \"exchange\"\n"+
		"request = \"q[]\"\nreply = \"r\"\n[[rule]]\nas = \"compact\"\ntext = \"s\"", `{"k":"a","m":{"t":1,"u":2},"b":true,"c":1,"q":["x","y"],"r":{},"d":0}`)
	f.Fuzz(func(t *testing.T, text, record string) {
		d, err := Read("x.toml", []byte(text))
		if err != nil {
			return
		}
		format, err := Compile(d, plainKit())
		if err != nil {
			t.Fatal(err)
		}
		m := format.Detect(&model.Sample{Shape: model.Lines, Records: [][]byte{[]byte(record)}})
		var fs model.Facts
		if err := format.Parse(model.Record{Data: []byte(record), Variant: m.Variant}, &fs); err == nil && fs.Len() == 0 && strings.TrimSpace(record) != "" && !strings.Contains(text, "skip") {
			t.Errorf("a record gives no fact")
		}
	})
}

// TestErrorsHaveAPlace reads invalid descriptions.
func TestErrorsHaveAPlace(t *testing.T) {
	for text, want := range map[string]string{
		"name = \"x\"\nrole = 3\n":                   "x.toml:2:1: role: incompatible types",
		"name = \"x\"\n\n[[rule]]\n  nmae = \"a\"\n": "x.toml:4:3: there is no field \"rule.nmae\" in a format",
		"name = \"x\"\n[[rule]]\nas = \"shout\"\n":   "x.toml:3:7: a record cannot be read as \"shout\"",
		"name = \"x\"\nrole = \"=boss\"\n":           "x.toml:2:9: there is no role \"boss\"",
		"name = \"x\"\nmatch = [\"=y\"]\n":           "x.toml:2:11: the condition \"=y\" names no field",
		"role = \"r\"\n":                             "x.toml:1:1: the format has no name",
		"name = \"x\"\n[roles]\nboss = \"chief\"\n":  "x.toml:3:9: there is no role \"chief\"",
		"name = \"x\nrole = \"r\"":                   "x.toml:1",
	} {
		_, err := Read("x.toml", []byte(text))
		var at *Error
		if !errors.As(err, &at) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
