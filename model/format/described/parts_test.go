package described

import (
	"fmt"
	"strings"
	"testing"

	"turns/model"
)

// TestPartNames: the key of each part of a rule sets only that part.
func TestPartNames(t *testing.T) {
	for i, name := range PartNames {
		d, err := Read("own.toml", fmt.Appendf(nil, "name = \"own\"\n[[rule]]\n%s = \"x\"\n", name))
		if err != nil {
			t.Errorf("part %d, %q: %v", i, name, err)
			continue
		}
		for n, value := range d.Rules[0].Paths() {
			if (*value != "") != (n == i) {
				t.Errorf("%s = \"x\" sets %s to %q", name, PartNames[n], *value)
			}
		}
	}
}

// TestFlagsOfMarks: each flag of a mark sets a different flag of a message.
func TestFlagsOfMarks(t *testing.T) {
	seen := map[model.Flags]string{}
	for name := range strings.FieldsSeq("injected synthetic partial sidechain interrupted api-error queued hidden refused compacted invalidated superseded archived summary") {
		d, err := Read("own.toml", fmt.Appendf(nil, "name = \"own\"\nrole = \"=user\"\ntext = \"t\"\n[[mark]]\nwhen = [\"m\"]\nflags = [%q]\n", name))
		if err != nil {
			t.Fatal(err)
		}
		f, err := Compile(d, plainKit())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		flags := func(record string) model.Flags {
			var fs model.Facts
			if err := f.Parse(model.Record{Data: []byte(record)}, &fs); err != nil || fs.Len() != 1 {
				t.Fatalf("%s has %d facts, %v", record, fs.Len(), err)
			}
			return fs.At(0).Flags
		}
		set := flags(`{"t":"hi","m":true}`) &^ flags(`{"t":"hi"}`)
		if other := seen[set]; set == 0 || other != "" {
			t.Errorf("%s sets the flags %b, as %q does", name, set, other)
		}
		seen[set] = name
	}
}
