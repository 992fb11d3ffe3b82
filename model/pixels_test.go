package model

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/jpeg"
	"testing"
)

// TestPixelsBehindAPreview: the size of a picture comes from its first 256 KiB.
func TestPixelsBehindAPreview(t *testing.T) {
	var plain bytes.Buffer
	if err := jpeg.Encode(&plain, image.NewRGBA(image.Rect(0, 0, 30, 20)), nil); err != nil {
		t.Fatal(err)
	}
	start := plain.Bytes()[:2]
	scan := bytes.Index(plain.Bytes(), []byte{0xff, 0xda}) // the header ends here
	for _, c := range []struct{ end, width int }{{256 << 10, 30}, {256<<10 + 3, 0}} {
		picture := bytes.Clone(start)
		for left := c.end - scan - 4; left > 0; { // the marker and its length have 4 bytes
			part := make([]byte, min(left, 1<<15))
			if rest := left - len(part); rest > 0 && rest < 4 {
				part = part[:len(part)-4]
			}
			copy(part, []byte{0xff, 0xe1, byte((len(part) - 2) >> 8), byte(len(part) - 2)})
			picture = append(picture, part...)
			left -= len(part)
		}
		picture = append(picture, plain.Bytes()[2:]...)
		if w, _ := Pixels([]byte(base64.StdEncoding.EncodeToString(picture))); w != c.width {
			t.Errorf("the header ends at %d: width %d, want %d", c.end, w, c.width)
		}
	}
}
