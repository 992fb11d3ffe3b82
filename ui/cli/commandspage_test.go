package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"turns/model/modeltest"
	"turns/ui/config"
)

// TestCommandRecipesLoad reads each block of the help page as a configuration, with the keys of the
// program: none has a mistake.
func TestCommandRecipesLoad(t *testing.T) {
	modeltest.Unix(t, "some recipes are scripts for sh")
	page, err := os.ReadFile("help/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 6 {
		t.Errorf("the page has %d blocks, want an example and five recipes", len(blocks))
	}
	a := &app{}
	names := map[string]bool{}
	for _, block := range blocks {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(block[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		set := config.Load(path, a.known())
		if len(set.Problems) > 0 || len(set.Commands) != 1 {
			t.Errorf("%s\n%v", block[1], set.Problems)
			continue
		}
		names[set.Commands[0].Name] = true
	}
	if got := len(names); got != 5 {
		t.Errorf("the recipes are %v", names)
	}
	for _, value := range config.CommandValues() {
		if !strings.Contains(string(page), "| `{"+value+"}` | `"+config.ValueVariable(value)+"` |") {
			t.Errorf("the page does not explain {%s}", value)
		}
	}
}
