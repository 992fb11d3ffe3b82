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

// pictured is a run whose tool made a picture of 60×40 pixels.
func pictured(t *testing.T) (*model.Snapshot, []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 60, 40))); err != nil {
		t.Fatal(err)
	}
	text := base64.StdEncoding.EncodeToString(b.Bytes())
	media := func(id string) model.Content {
		return model.Content{Kind: model.Media, ID: id, Name: "image/png", Text: text, Width: 60, Height: 40}
	}
	return model.FromMessages([]model.Message{
		say(model.User, 0, words("Look at it"), media("")),
		say(model.Assistant, 1, call("c1", "screenshot", `{"page":"home"}`)),
		say(model.Tool, 2, result("c1", "taken"), media("c1")),
		say(model.Assistant, 3, words("It is empty.")),
	}), b.Bytes()
}

// Images have a row and a place, with their type and size; they are drawn where the screen may.
func TestImagesAreSeen(t *testing.T) {
	snap, data := pictured(t)
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
			t.Errorf("%s: nothing stands for the image:\n%s", c.keys, frame)
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
