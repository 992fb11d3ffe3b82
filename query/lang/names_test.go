package lang

import (
	"path/filepath"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// TestNames: each name and alias of a key or value, as the parser reads it. The golden file lists
// everything that people can type.
func TestNames(t *testing.T) {
	var b strings.Builder
	for _, k := range Keys() {
		for _, name := range append([]string{k.Name}, k.Aliases...) {
			for _, value := range []string{"x", "7", ">7", "2026-01-02", "ok", "error", "day", "image", "call", "yes"} {
				if f, err := Parse(name + ":" + value); err == nil {
					b.WriteString(name + ":" + value + " is " + f.String() + "\n")
					break
				}
			}
		}
		for _, v := range k.Values {
			for _, word := range append([]string{v.Name}, v.Aliases...) {
				text := k.Name + ":" + word
				if f, err := Parse(text); err != nil {
					t.Errorf("%s: %v", text, err)
				} else {
					b.WriteString(text + " is " + f.String() + "  " + v.Help + "\n")
				}
			}
		}
		for _, example := range k.Examples {
			if f, err := Parse(example); err != nil {
				t.Errorf("the example %s: %v", example, err)
			} else {
				b.WriteString("example " + example + " is " + f.String() + "  " + k.Help + "\n")
			}
		}
	}
	modeltest.Golden(t, filepath.Join("testdata", "names.golden"), b.String())
}
