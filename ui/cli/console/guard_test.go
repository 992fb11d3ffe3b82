package console

import (
	"errors"
	"strings"
	"testing"
)

// Output of another machine steers no terminal, however it is split into writes.
func TestGuardLetsNothingSteer(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"text":                 {"a\tb\nc\n", "a\tb\nc\n"},
		"colours":              {"\x1b[1;32mok\x1b[0m\n", "\x1b[1;32mok\x1b[0m\n"},
		"OSC 52":               {"\x1b]52;c;ZXZpbA==\a\n", "␛]52;c;ZXZpbA==␇\n"},
		"a title":              {"\x1b]0;root@host\x1b\\\n", "␛]0;root@host␛\\\n"},
		"cursor up":            {"\x1b[2A\x1b[2K\n", "␛[2A␛[2K\n"},
		"another screen":       {"\x1b[?1049h\n", "␛[?1049h\n"},
		"a query":              {"\x1b[6n\x1bc\n", "␛[6n␛c\n"},
		"a link":               {"\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\\n", "␛]8;;http://evil␛\\click␛]8;;␛\\\n"},
		"DCS":                  {"\x1bP$q\"p\x1b\\\n", "␛P$q\"p␛\\\n"},
		"C1":                   {"\u009b2J\n", "⟨U+009B⟩2J\n"},
		"a return":             {"safe\rrm -rf\n", "safe␍rm -rf\n"},
		"backspaces":           {"a\b\bb\n", "a␈␈b\n"},
		"text the other way":   {"a\u202eb\n", "a⟨U+202E⟩b\n"},
		"an end in the middle": {"\x1b[", "␛["},
		"bytes":                {"a\xff\n", "a\uFFFD\n"},
	} {
		for _, size := range []int{1, 2, 3, 1000} {
			var out strings.Builder
			g := &Guard{W: &out}
			for i := 0; i < len(c.in); i += size {
				if _, err := g.Write([]byte(c.in[i:min(i+size, len(c.in))])); err != nil {
					t.Fatal(err)
				}
			}
			if err := g.Flush(); err != nil || out.String() != c.want {
				t.Errorf("%s in pieces of %d: %q, want %q, %v", name, size, out.String(), c.want, err)
			}
		}
	}
	var out strings.Builder
	g := &Guard{W: &out, Data: true}
	_, _ = g.Write([]byte("{\"a\":\"\u202e\"}\r\n\x1b]0;x\a\n"))
	if out.String() != "{\"a\":\"\u202e\"}\r\n␛]0;x⟨U+0007⟩\n" {
		t.Errorf("as data: %q", out.String())
	}
}

func TestGuardEnds(t *testing.T) {
	var out strings.Builder
	g := &Guard{W: &out, Most: 1 << 20}
	block := []byte(strings.Repeat("x", 100_000))
	var err error
	for n := 0; err == nil && n < 100; n++ {
		_, err = g.Write(block)
	}
	if !errors.Is(err, ErrEndless) || out.Len() > 1<<20 || len(g.line) > 2*guardLine+len(block) {
		t.Errorf("%v after %d bytes, %d held", err, out.Len(), len(g.line))
	}
}
