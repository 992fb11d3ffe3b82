package ui

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
)

// pictured returns a session with a tool that made a picture of w×h pixels.
func pictured(t *testing.T, w, h int) (*model.Snapshot, []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	text := base64.StdEncoding.EncodeToString(b.Bytes())
	media := func(id string) model.Content {
		return model.Content{Kind: model.Media, ID: id, Name: "image/png", Text: text, Width: w, Height: h}
	}
	return model.FromMessages([]model.Message{
		say(model.User, 0, words("Look at it"), media("")),
		say(model.Assistant, 1, call("c1", "screenshot", `{"page":"home"}`)),
		say(model.Tool, 2, result("c1", "taken"), media("c1")),
		say(model.Assistant, 3, words("It is empty.")),
	}), b.Bytes()
}

// Images have a row and a place, with their type and size; they are drawn if the screen can.
func TestImagesAreSeen(t *testing.T) {
	snap, data := pictured(t, 60, 40)
	for _, c := range []struct {
		keys         string
		drawn, color bool
	}{{"j l", true, true}, {"j j l", true, true}, {"j j enter", true, true}, {"j l", false, true}, {"j l", true, false}} {
		o := testOptions()
		o.Pictures, o.NoColor = c.drawn, !c.color
		b := newBench(t, snap, o, 120, 40)
		b.press(c.keys)
		b.frame()
		for _, msg := range b.run(b.a.h.FetchWanted()) {
			b.send(msg)
		}
		frame := ansi.Strip(b.frame())
		if !strings.Contains(frame, "▣ image/png, 60×40, 1") && !strings.Contains(frame, "▣ image/png, 60×40, 2") {
			t.Errorf("%s: nothing replaces the image:\n%s", c.keys, frame)
		}
		if got := strings.Contains(frame, "▀▀▀▀"); got != (c.drawn && c.color) {
			t.Errorf("%s: drawn is %v:\n%s", c.keys, got, frame)
		}
	}
	o := testOptions()
	o.Dir = t.TempDir()
	b := newBench(t, snap, o, 120, 40)
	b.press("j j I s")
	files, _ := filepath.Glob(filepath.Join(o.Dir, "*-image-1.png"))
	if len(files) != 1 {
		t.Fatalf("I s wrote %v", files)
	}
	if got, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(got, data) {
		t.Errorf("what was saved is not the image: %v", err)
	}
}

// A picture in an opened row is drawn in full if the screen is high enough, otherwise not at all.
func TestPicturesAreNotCut(t *testing.T) {
	snap, _ := pictured(t, 600, 600)
	for h, want := range map[int]int{24: 0, 48: 20} {
		o := testOptions()
		o.Pictures = true
		b := newBench(t, snap, o, 160, h)
		b.press("j j l z t")
		b.frame()
		for _, msg := range b.run(b.a.h.FetchWanted()) {
			b.send(msg)
		}
		frame := ansi.Strip(b.frame())
		if got := strings.Count(frame, "▀▀ "); got != want || strings.Contains(frame, "draws the picture") != (want == 0) {
			t.Errorf("%d lines of the picture on a screen of %d, want %d:\n%s", got, h, want, frame)
		}
	}
}
