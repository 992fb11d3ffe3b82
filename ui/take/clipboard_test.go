package take

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The clipboard is reached by the nearest program that is there: of the display, else of tmux, else
// of the system.
func TestClipboardHelper(t *testing.T) {
	for _, c := range []struct {
		name      string
		installed []string
		env       []string
		want      []string
	}{
		{"nothing", nil, []string{"TMUX=/tmp/tmux,1,0", "DISPLAY=:0"}, nil},
		{"tmux over ssh", []string{"tmux", "pbcopy"}, []string{"TMUX=/tmp/tmux,1,0"}, []string{"tmux", "load-buffer", "-w", "-"}},
		{"tmux is installed and not around", []string{"tmux"}, []string{"DISPLAY=:0"}, nil},
		{"X within tmux", []string{"tmux", "xsel"}, []string{"TMUX=/tmp/tmux,1,0", "DISPLAY=:0"}, []string{"xsel", "--clipboard", "--input"}},
		{"Wayland", []string{"wl-copy", "xclip"}, []string{"WAYLAND_DISPLAY=w", "DISPLAY=:0"}, []string{"wl-copy"}},
		{"macOS", []string{"pbcopy"}, []string{"HOME=/"}, []string{"pbcopy"}},
	} {
		dir := t.TempDir()
		for _, name := range c.installed {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", dir)
		if got := clipboardHelper(c.env); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
