package paint

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // for image.Decode
	_ "image/jpeg" // also for image.Decode
	_ "image/png"  // also for image.Decode
	"strings"

	_ "golang.org/x/image/webp" // also for image.Decode
)

// pixelsMost is the most pixels of a drawn picture: a small file can decode to gigabytes.
const pixelsMost = 64 << 20

// DecodePicture decodes a picture that can be drawn.
func DecodePicture(data []byte) (image.Image, error) {
	c, kind, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, errors.New("only PNG, JPEG, GIF and WebP are drawn")
	}
	if err := drawable(c); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("reading the %s: %w", kind, err)
	}
	return img, nil
}

func drawable(c image.Config) error {
	if c.Width <= 0 || c.Height <= 0 || c.Width > pixelsMost/c.Height {
		return fmt.Errorf("a picture of %d×%d is too large to be drawn", c.Width, c.Height)
	}
	return nil
}

// Thumbnail shrinks a picture to fit w×h pixels: each is the mean of its source pixels, on white
// where transparent. It does not enlarge small pictures.
func Thumbnail(img image.Image, w, h int) *image.RGBA {
	b := img.Bounds()
	if b.Dx() > w || b.Dy() > h {
		if b.Dx()*h > b.Dy()*w {
			h = max(b.Dy()*w/b.Dx(), 1)
		} else {
			w = max(b.Dx()*h/b.Dy(), 1)
		}
	} else {
		w, h = b.Dx(), b.Dy()
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		y0, y1 := b.Min.Y+y*b.Dy()/h, b.Min.Y+(y+1)*b.Dy()/h
		for x := range w {
			mean(img, image.Rect(b.Min.X+x*b.Dx()/w, y0, b.Min.X+(x+1)*b.Dx()/w, y1), out.Pix[out.PixOffset(x, y):])
		}
	}
	return out
}

// mean stores the mean of an area's pixels in to. It samples large areas.
func mean(img image.Image, r image.Rectangle, to []byte) {
	const looks = 8
	dx, dy := max(r.Dx()/looks, 1), max(r.Dy()/looks, 1)
	var sum [3]uint64
	n := uint64(0)
	for y := r.Min.Y; y < max(r.Max.Y, r.Min.Y+1); y += dy {
		for x := r.Min.X; x < max(r.Max.X, r.Min.X+1); x += dx {
			red, green, blue, alpha := img.At(x, y).RGBA()
			white := uint64(0xffff - alpha)
			sum[0], sum[1], sum[2] = sum[0]+uint64(red)+white, sum[1]+uint64(green)+white, sum[2]+uint64(blue)+white
			n++
		}
	}
	to[0], to[1], to[2], to[3] = byte(sum[0]/n>>8), byte(sum[1]/n>>8), byte(sum[2]/n>>8), 0xff
}

// HalfBlocks draws a picture in at most w×h cells with two pixels each.
func HalfBlocks(img image.Image, w, h int) []string {
	pic := Thumbnail(img, w, 2*h)
	size := pic.Bounds()
	var lines []string
	for y := 0; y < size.Dy(); y += 2 {
		var b strings.Builder
		last := ""
		for x := range size.Dx() {
			top, style := pic.RGBAAt(x, y), ""
			if y+1 < size.Dy() {
				low := pic.RGBAAt(x, y+1)
				style = fmt.Sprintf("\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm", top.R, top.G, top.B, low.R, low.G, low.B)
			} else {
				style = fmt.Sprintf("\x1b[m\x1b[38;2;%d;%d;%dm", top.R, top.G, top.B)
			}
			if style != last {
				b.WriteString(style)
				last = style
			}
			b.WriteString("▀")
		}
		lines = append(lines, b.String()+"\x1b[m")
	}
	return lines
}

// pictureRows is the height of a picture in a body.
const pictureRows = 20

// PicturePart makes a part that shows a picture.
func PicturePart(img *image.RGBA) Part { return Part{Kind: partPicture, picture: img} }
