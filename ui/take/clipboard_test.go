package take

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Copying uses the first available program: for the display, otherwise for tmux, otherwise of the
// system.
func TestClipboardHelpers(t *testing.T) {
	for _, c := range []struct {
		name      string
		installed []string
		env       []string
		want      string
	}{
		{"nothing", nil, []string{"TMUX=/tmp/tmux,1,0", "DISPLAY=:0"}, ""},
		{"tmux over ssh", []string{"tmux", "pbcopy"}, []string{"TMUX=/tmp/tmux,1,0"}, "tmux load-buffer -w -, pbcopy"},
		{"tmux is installed and not around", []string{"tmux"}, []string{"DISPLAY=:0"}, ""},
		{"X within tmux", []string{"tmux", "xsel"}, []string{"TMUX=/tmp/tmux,1,0", "DISPLAY=:0"}, "xsel --clipboard --input, tmux load-buffer -w -"},
		{"Wayland", []string{"wl-copy", "xclip"}, []string{"WAYLAND_DISPLAY=w", "DISPLAY=:0"}, "wl-copy, xclip -selection clipboard"},
		{"macOS", []string{"pbcopy"}, []string{"HOME=/"}, "pbcopy"},
	} {
		dir := t.TempDir()
		for _, name := range c.installed {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", dir)
		var tries []string
		for _, helper := range clipboardHelpers(c.env) {
			tries = append(tries, strings.Join(helper, " "))
		}
		if got := strings.Join(tries, ", "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
