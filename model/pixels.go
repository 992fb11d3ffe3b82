package model

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image/jpeg"
	"io"
)

// imageHeader is the number of bytes of a picture to read for its size: a JPEG may have a preview
// first.
const imageHeader = 256 << 10

// Pixels reads the size of a picture, in base64 or a data: URL, from its first bytes. It returns
// zeros if they do not contain it. The text may have escapes of JSON.
func Pixels(raw []byte) (w, h int) {
	if bytes.HasPrefix(raw, []byte("data:")) {
		i := bytes.IndexByte(raw[:min(len(raw), 256)], ',')
		if i < 0 {
			return 0, 0
		}
		raw = raw[i+1:]
	}
	raw = raw[:min(len(raw), base64.StdEncoding.EncodedLen(imageHeader))]
	if bytes.IndexByte(raw, '\\') >= 0 { // escaped slashes, line ends
		raw = bytes.ReplaceAll(bytes.ReplaceAll(raw, []byte(`\/`), []byte("/")), []byte(`\n`), nil)
	}
	start := make([]byte, 32)
	n, _ := io.ReadFull(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(raw)), start)
	switch start = start[:n]; {
	case bytes.HasPrefix(start, []byte("\xff\xd8")):
		if c, err := jpeg.DecodeConfig(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(raw))); err == nil {
			w, h = c.Width, c.Height
		}
	case n >= 24 && bytes.HasPrefix(start, []byte("\x89PNG\r\n\x1a\n")):
		w, h = int(binary.BigEndian.Uint32(start[16:])), int(binary.BigEndian.Uint32(start[20:]))
	case n >= 10 && bytes.HasPrefix(start, []byte("GIF8")):
		w, h = int(binary.LittleEndian.Uint16(start[6:])), int(binary.LittleEndian.Uint16(start[8:]))
	case n >= 30 && bytes.HasPrefix(start, []byte("RIFF")) && string(start[8:12]) == "WEBP":
		w, h = webpSize(start)
	}
	if w <= 0 || h <= 0 || w > 1<<20 || h > 1<<20 {
		return 0, 0
	}
	return w, h
}

// webpSize returns the size from the header of a WebP picture.
func webpSize(b []byte) (w, h int) {
	switch string(b[12:16]) {
	case "VP8 ":
		return int(binary.LittleEndian.Uint16(b[26:])) & 0x3fff, int(binary.LittleEndian.Uint16(b[28:])) & 0x3fff
	case "VP8L":
		bits := binary.LittleEndian.Uint32(b[21:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case "VP8X":
		three := func(p []byte) int { return int(p[0]) | int(p[1])<<8 | int(p[2])<<16 }
		return three(b[24:]) + 1, three(b[27:]) + 1
	}
	return 0, 0
}
