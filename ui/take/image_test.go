package take

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"
)

func TestHowAPictureIsDrawn(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 30, 20))
	var data bytes.Buffer
	if err := png.Encode(&data, img); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		env, protocol, starts string
	}{
		{"TERM=xterm-kitty", "kitty", "\x1b_G"}, {"TERM=xterm-256color KITTY_WINDOW_ID=1", "kitty", "\x1b_G"}, {"TERM=xterm-ghostty", "kitty", "\x1b_G"},
		{"TERM=xterm-256color TERM_PROGRAM=iTerm.app", "iterm2", "\x1b]1337;File="}, {"TERM_PROGRAM=WezTerm", "iterm2", "\x1b]1337;File="},
		{"TERM=foot", "sixel", "\x1bP"}, {"TERM=xterm-256color", "", "\x1b[38;2;"}, {"TERM=xterm-kitty TMUX=/tmp/x", "", "\x1b[38;2;"},
	} {
		got := protocolOf(strings.Fields(c.env))
		text, err := drawn(img, &media{"image/png", data.Bytes()}, got, image.Pt(80, 24))
		if got != c.protocol || err != nil || !strings.HasPrefix(text, c.starts) {
			t.Errorf("%s: %q draws %.20q, %v", c.env, got, text, err)
		}
	}
}

// The bytes of a file determine the viewer, not the type in the transcript.
func TestMediaIsNamedByItsBytes(t *testing.T) {
	for _, c := range []struct{ what, data, ext string }{
		{"image/jpeg", "\x89PNG\r\n", ".png"}, {"image/png", "\xff\xd8\xff", ".jpg"}, {"application/pdf", "%PDF-1.4", ".pdf"},
		{"image/png", "#!/bin/sh\nrm -rf", ".bin"}, {"application/x-sh", "#!/bin/sh", ".bin"}, {"", "", ".bin"},
	} {
		m := media{c.what, []byte(c.data)}
		if got := m.extension(); got != c.ext {
			t.Errorf("%q that says it is %s is named %s, want %s", c.data, c.what, got, c.ext)
		}
	}
	if v := viewerOf([]string{"SSH_CONNECTION=1", "DISPLAY=:0"}); v != nil {
		t.Errorf("over ssh %v opens it", v)
	}
}
