package prose

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// TestTexts reads small texts of all layouts, and near misses. The golden file has the layouts that
// match each text, the most certain first, with their messages.
func TestTexts(t *testing.T) {
	file, err := os.ReadFile("testdata/texts.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, part := range strings.Split(string(file), "%%%% ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		b.WriteString(name + "\n")
		for _, in := range look {
			l := in([]byte(text))
			if l == nil {
				continue
			}
			fmt.Fprintf(&b, "\t%s\n", l.name)
			for _, v := range l.sample([]byte(text)) {
				fmt.Fprintf(&b, "\t\t%s\n", v)
			}
		}
	}
	modeltest.Golden(t, "testdata/texts.golden", b.String())
}
