package paint

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestPicturesAreDrawnSmall(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 400, 100)) // the right half stays transparent
	for y := range 100 {
		for x := range 200 {
			img.Set(x, y, color.NRGBA{200, 0, 0, 255})
		}
	}
	small := Thumbnail(img, 40, 40)
	if got := small.Bounds().Size(); got != (image.Pt(40, 10)) {
		t.Fatalf("400×100 in 40×40 becomes %v", got)
	}
	if l, r := small.RGBAAt(1, 1), small.RGBAAt(39, 9); l != (color.RGBA{200, 0, 0, 255}) || r != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("left is %v, right is %v", l, r)
	}
	for _, c := range []struct{ w, h, cols, lines int }{{40, 20, 40, 5}, {10, 20, 10, 1}, {1, 1, 1, 1}, {800, 80, 400, 50}} {
		lines := HalfBlocks(img, c.w, c.h)
		if len(lines) != c.lines {
			t.Errorf("in %d×%d cells there are %d lines, want %d", c.w, c.h, len(lines), c.lines)
		}
		for _, line := range lines {
			if ansi.Strip(line) != strings.Repeat("▀", c.cols) || !strings.HasSuffix(line, "\x1b[m") {
				t.Fatalf("in %d×%d cells a line is %q", c.w, c.h, line)
			}
		}
	}
}

// The smallest valid pictures.
func TestKindsOfPicturesThatAreDrawn(t *testing.T) {
	for kind, text := range map[string]string{
		"gif":            "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
		"webp, lossless": "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==",
		"webp, lossy":    "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
	} {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		img, err := DecodePicture(data)
		if err != nil || img.Bounds().Size() != image.Pt(1, 1) {
			t.Errorf("%s: %v, %v", kind, img, err)
		}
	}
}

// A small file may decode to gigabytes.
func TestHugePicturesAreNotDecoded(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	if _, err := DecodePicture(data); err != nil {
		t.Fatal(err)
	}
	c := image.Config{Width: 1 << 15, Height: 1 << 15}
	if err := drawable(c); err == nil {
		t.Errorf("%d×%d is drawn", c.Width, c.Height)
	}
	for _, bad := range [][]byte{nil, data[:20], []byte("GIF89a"), []byte("no picture")} {
		if _, err := DecodePicture(bad); err == nil {
			t.Errorf("%q is a picture", bad)
		}
	}
}
