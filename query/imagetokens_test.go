package query

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"turns/model"
)

func TestImageRules(t *testing.T) {
	for _, tt := range []struct {
		model string
		w, h  float64
		want  float64 // 0: no rule
	}{
		{"claude-sonnet-4-5", 1000, 750, 1000},
		{"claude-sonnet-4-5", 4000, 3000, 1600},
		{"claude-haiku-4-5", 3136, 750, 784},
		{"gpt-4o", 1024, 1024, 765},
		{"gpt-4o", 2048, 4096, 1105},
		{"openai/gpt-4o-mini", 512, 512, 2833 + 5667},
		{"o3", 512, 512, 225},
		{"gpt-5-codex", 512, 512, 210},
		{"gpt-4.1-mini", 1024, 1024, 1024 * 1.62},
		{"gemini-2.5-pro", 300, 300, 258},
		{"gemini-2.5-pro", 960, 540, 258 * 6},
		{"nobody-knows", 100, 100, 0},
		{"", 100, 100, 0},
	} {
		rule := ImageRuleOf(tt.model)
		if (rule == nil) != (tt.want == 0) {
			t.Errorf("%q: has a rule: %t", tt.model, rule != nil)
			continue
		}
		if rule != nil {
			if got := rule(tt.w, tt.h); got != tt.want {
				t.Errorf("%q, %.0f × %.0f: %v tokens, want %v", tt.model, tt.w, tt.h, got, tt.want)
			}
		}
	}
}

func TestSizeOfImage(t *testing.T) {
	picture := image.NewPaletted(image.Rect(0, 0, 90, 40), color.Palette{color.Black, color.White})
	encoded := func(write func(*bytes.Buffer) error) string {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		return base64.StdEncoding.EncodeToString(b.Bytes())
	}
	pngData := encoded(func(b *bytes.Buffer) error { return png.Encode(b, picture) })
	webp := func(kind string, rest ...byte) string {
		b := append([]byte("RIFF\x00\x00\x00\x00WEBP"+kind+"\x00\x00\x00\x00"), rest...)
		return base64.StdEncoding.EncodeToString(append(b, make([]byte, 40)...))
	}
	size := imageSize{90, 40}
	for _, tt := range []struct {
		name, data string
		want       imageSize
	}{
		{"PNG", pngData, size},
		{"data: URL", "data:image/png;base64," + pngData, size},
		{"JPEG", encoded(func(b *bytes.Buffer) error { return jpeg.Encode(b, picture, nil) }), size},
		{"GIF", encoded(func(b *bytes.Buffer) error { return gif.Encode(b, picture, nil) }), size},
		{"lossy WebP", webp("VP8 ", 0, 0, 0, 0x9d, 0x01, 0x2a, 90, 0, 40, 0), size},
		{"lossless WebP", webp("VP8L", 0x2f, 89, 0xc0, 9, 0), size},
		{"extended WebP", webp("VP8X", 0, 0, 0, 0, 89, 0, 0, 39, 0, 0), size},
		{"cut off", pngData[:20], imageSize{}},
		{"no picture", base64.StdEncoding.EncodeToString([]byte("hello, this is only some text")), imageSize{}},
		{"a place", "https://example.com/cat.png", imageSize{}},
		{"nothing", "", imageSize{}},
	} {
		b := model.Block{Kind: model.Media, Name: model.StringText("image/png"), Text: model.StringText(tt.data)}
		if got := sizeOfImage(&b); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
