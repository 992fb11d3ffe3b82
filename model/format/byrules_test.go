package format

import (
	"bytes"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/dump"
)

// TestRulesAreRead compiles every description in rules. Each is the description of a format.
func TestRulesAreRead(t *testing.T) {
	files, err := rules.ReadDir("rules")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		f, err := Find(strings.TrimSuffix(file.Name(), ".toml"))
		if err != nil {
			t.Errorf("%s: %v", file.Name(), err)
			continue
		}
		var fs model.Facts
		if err := f.Parse(model.Record{Data: []byte(`{}`)}, &fs); err != nil || fs.Len() != 1 {
			t.Errorf("%s: %d facts of an empty object, %v", file.Name(), fs.Len(), err)
		}
	}
}

// TestLanguageOfDescriptions reads a record with each property of the language that some format
// needs.
func TestLanguageOfDescriptions(t *testing.T) {
	for name, c := range map[string]struct{ description, record, want string }{
		"fields keep the order of the record": {
			`keep = {title = "info.name", cwd = "trees[].uri", info = "info"}
			 as = "about"
			 role = "who"`,
			`{"z": 1, "info": {"name": "n"}, "a": 2, "trees": [{"uri": "file:///p"}, {"uri": "file:///q"}]}`,
			`about | .z 1 | .title "n" | .info {"name": "n"} | .a 2 | .cwd "/p"`,
		},
		"a meter without numbers is none": {
			`counts = {all = "in", read = "cached"}
			 [[rule]]
			 as = "about"
			 time = "at"
			 [[rule]]
			 at = "sum|none"
			 as = "meter"
			 usage = "."
			 time = "="`,
			`{"at": "2026-05-01T10:00:00Z", "sum": {"in": 10, "cached": 4}, "none": {}}`,
			`about time=2026-05-01T10:00:00.000Z | meter | usage total input=6 read=4`,
		},
		"several results of a user's message": {
			`role = "role"
			 text = "content"
			 [[rule]]
			 at = "content[]"
			 when = ["of", "state=refused"]
			 as = "block"
			 id = "of"
			 result = "out"
			 error = "=denied"
			 [[rule]]
			 at = "content[]"
			 when = ["of"]
			 as = "block"
			 id = "of"
			 result = "out"
			 [[rule]]
			 at = "content[]"
			 as = "block"`,
			`{"role": "user", "content": [{"of": "a", "out": "1"}, {"of": "b", "out": "2", "state": "refused"}]}`,
			`say tool | result id="a" "1" | result id="b" outcome=denied "2"`,
		},
		"blocks of any provider": {
			`role = "role"
			 text = "content"
			 [[rule]]
			 at = "content[]"
			 as = "block"`,
			`{"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "yes"}]}`,
			`say assistant | reasoning "hm" | text "yes"`,
		},
		"empty reasoning is none": {
			`role = "role"
			 text = "content"
			 reasoning = "thoughts"`,
			`{"role": "assistant", "content": "yes", "thoughts": ""}`,
			`say assistant | text "yes"`,
		},
	} {
		f, err := Own("test.toml", []byte("name = \"test\"\n"+c.description))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var fs model.Facts
		if err := f.Parse(model.Record{Data: []byte(c.record)}, &fs); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var out bytes.Buffer
		dump.New(&out).Facts(&fs)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		for i := range lines {
			lines[i] = strings.TrimSpace(lines[i])
		}
		if got := strings.Join(lines, " | "); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}
