package help

import (
	"strings"
	"testing"

	"turns/query/trials"
)

func TestTrialsNamesEveryMethod(t *testing.T) {
	page, err := pages.ReadFile("trials.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range trials.Methods() {
		if !strings.Contains(string(page), ": "+m.Name+" ("+m.Source+")\n") {
			t.Errorf("the page does not name %s with its source %s", m.Name, m.Source)
		}
	}
}
