package query

import (
	"math"
	"slices"
	"strings"

	"turns/model"
)

// The tokens of an image cannot be counted. They are estimated from its width and height by the
// documented rule of the model's provider. If the size is not in its first bytes, or the model has
// no known rule, the image counts as unknown.

// imageSize is the size of an image in pixels; zeros if unknown.
type imageSize struct{ W, H int32 }

// ImageRule estimates the tokens of an image.
type ImageRule func(w, h float64) float64

// ImageRuleOf returns the rule of a model; nil if none is known.
func ImageRuleOf(name string) ImageRule {
	name = strings.ToLower(name)
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(name, p) })
	}
	switch {
	case has("claude", "opus", "sonnet", "haiku"):
		return anthropicImage
	case has("gemini"):
		return geminiImage
	case has("4.1-mini", "gpt-5-mini"):
		return patches(1.62)
	case has("4.1-nano", "gpt-5-nano"):
		return patches(2.46)
	case has("o4-mini"):
		return patches(1.72)
	case has("4o-mini"):
		return tiles(2833, 5667)
	case has("gpt-5", "codex"):
		return tiles(70, 140)
	case has("gpt-4", "chatgpt-4o"):
		return tiles(85, 170)
	case strings.HasPrefix(name[strings.LastIndexByte(name, '/')+1:], "o1"), strings.HasPrefix(name[strings.LastIndexByte(name, '/')+1:], "o3"):
		return tiles(75, 150)
	}
	return nil
}

// anthropicImage is w × h / 750, after scaling the image down to 1568 pixels at its long edge and
// about 1600 tokens.
func anthropicImage(w, h float64) float64 {
	if long := max(w, h); long > 1568 {
		w, h = w*1568/long, h*1568/long
	}
	return min(w*h/750, 1600)
}

// tiles is OpenAI's rule for high detail: the image is scaled down into a square of 2048 pixels and
// to 768 at the short edge, then costs a base price and one price per tile of 512 pixels.
func tiles(base, tile float64) ImageRule {
	return func(w, h float64) float64 {
		if long := max(w, h); long > 2048 {
			w, h = w*2048/long, h*2048/long
		}
		if short := min(w, h); short > 768 {
			w, h = w*768/short, h*768/short
		}
		return base + tile*math.Ceil(w/512)*math.Ceil(h/512)
	}
}

// patches is OpenAI's rule for patches of 32 pixels: at most 1536, times a factor of the model.
func patches(factor float64) ImageRule {
	return func(w, h float64) float64 { return factor * min(math.Ceil(w/32)*math.Ceil(h/32), 1536) }
}

// geminiImage is 258 for a small picture, and for each tile of a larger one.
func geminiImage(w, h float64) float64 {
	if w <= 384 && h <= 384 {
		return 258
	}
	unit := max(math.Floor(min(w, h)/1.5), 1)
	return 258 * math.Ceil(w/unit) * math.Ceil(h/unit)
}

// isImage reports whether a block is an image.
func isImage(b *model.Block) bool {
	return b.Kind == model.Media && (b.Name.HasPrefix("image") || b.Text.HasPrefix("data:image/"))
}

// sizeOfImage returns the size of an image block, read from its first bytes.
func sizeOfImage(b *model.Block) imageSize {
	w, h := model.Pixels(b.Text.Raw())
	return imageSize{int32(w), int32(h)}
}
