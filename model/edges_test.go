package model

import (
	"context"
	"encoding/base64"
	"strings"
	"testing"
)

// TestPixels reads the sizes of pictures from their first bytes, and none from fewer.
func TestPixels(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("\x00", n) }
	png := func(w, h string) string { return "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + w + h }
	webp := func(kind, rest string) string { return "RIFF" + zeros(4) + "WEBP" + kind + rest }
	for _, c := range []struct {
		name, head string
		w, h       int
		least      int // bytes
	}{
		{"a PNG", png("\x00\x00\x01\x02", "\x00\x00\x00\x03"), 0x102, 3, 24},
		{"a PNG without a width", png(zeros(4), "\x00\x00\x00\x03"), 0, 0, 0},
		{"a PNG without a height", png("\x00\x00\x00\x03", zeros(4)), 0, 0, 0},
		{"the widest PNG", png("\x00\x10\x00\x00", "\x00\x10\x00\x00"), 1 << 20, 1 << 20, 24},
		{"a wider PNG", png("\x00\x10\x00\x01", "\x00\x10\x00\x00"), 0, 0, 0},
		{"a higher PNG", png("\x00\x10\x00\x00", "\x00\x10\x00\x01"), 0, 0, 0},
		{"a GIF", "GIF89a\x02\x01\x03\x00", 0x102, 3, 10},
		{"a lossy WebP", webp("VP8 ", zeros(10)+"\x02\xc1\x03\xc0"), 0x102, 3, 30},
		{"a lossless WebP", webp("VP8L", zeros(5)+"\x01\xc0\x00\x00"+zeros(5)), 2, 4, 30},
		{"a WebP with more", webp("VP8X", zeros(8)+"\x01\x01\x00\x02\x00\x00"), 0x102, 3, 30},
		{"another WebP", webp("VP8?", zeros(14)), 0, 0, 0},
		{"another RIFF", strings.Replace(webp("VP8X", zeros(8)+"\x01\x01\x00\x02\x00\x00"), "WEBP", "WAVE", 1), 0, 0, 0},
		{"text", strings.Repeat("a", 40), 0, 0, 0},
		{"no JPEG", "\xff\xd8" + zeros(40), 0, 0, 0},
	} {
		for _, start := range []string{"", "data:image/png;base64,", "data:" + strings.Repeat("x", 250) + ","} {
			if w, h := Pixels([]byte(start + base64.StdEncoding.EncodeToString([]byte(c.head)))); w != c.w || h != c.h {
				t.Errorf("%s is %d by %d, not %d by %d", c.name, w, h, c.w, c.h)
			}
		}
		if c.least > 0 {
			if w, h := Pixels([]byte(base64.StdEncoding.EncodeToString([]byte(c.head[:c.least-1])))); w != 0 || h != 0 {
				t.Errorf("%s without its last byte is %d by %d", c.name, w, h)
			}
			escaped := strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte(c.head)), "/", `\/`)
			if w, h := Pixels([]byte(escaped[:8] + `\n` + escaped[8:])); w != c.w || h != c.h {
				t.Errorf("%s with escapes is %d by %d", c.name, w, h)
			}
		}
	}
	if w, h := Pixels([]byte("data:" + strings.Repeat("x", 251) + ",R0lGODlhAgEDAA==")); w != 0 || h != 0 {
		t.Errorf("a picture behind a type of more than 256 bytes is %d by %d", w, h)
	}
}

// TestStatesTask: a prompt with eight letters states a task, and one of two words with five.
func TestStatesTask(t *testing.T) {
	for line, want := range map[string]bool{
		"abcdefgh": true, "abcdefg": false, "abc de": true, "abc d": false, "12345 6789": false, "1 abcde": true,
		"⺀⺀⺀": true, "⺀⺀": false, "⹿⹿⹿": false, "/review it": false, "/review the code": true, "/home/review": true, "/a/review": false, "see /review": true, "": false,
	} {
		if got := StatesTask(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// TestWhatIsNotThere asks for data that a transcript does not have.
func TestWhatIsNotThere(t *testing.T) {
	if _, err := NewBodyCache(1).Fetch(context.Background(), "a.png"); err == nil || !strings.Contains(err.Error(), "nothing lies beside") {
		t.Error(err)
	}
	if !StreamMaybe(context.Background(), nil, [][]byte{[]byte("ab")}) {
		t.Error("a search for two letters is decided")
	}
	note := FromMessages([]Message{{Op: Note, Name: "token_count", Time: 1}})
	if got := note.LastQuotas(context.Background()); got != (Quotas{}) {
		t.Errorf("a note without a record has the limits %v", got)
	}
	var f Fact
	if f.AddText(Words, StringText("a")); len(f.Blocks) != 1 {
		t.Errorf("a fact of no record has %d blocks", len(f.Blocks))
	}
	if got := CutWords("aÀb", 3); got != "aÀ" {
		t.Errorf("a text is cut to %q", got)
	}
}

// TestQuotaNumbers: a quota has a window of a minute to a year.
func TestQuotaNumbers(t *testing.T) {
	for _, c := range []struct {
		used, minutes float64
		resets        int64
		want          bool
	}{
		{0, 1, 0, true}, {-0.1, 1, 0, false}, {0, 0.9, 0, false}, {0, 366 * 24 * 60, 0, true}, {0, 366*24*60 + 1, 0, false},
		{0, 1, -1, false}, {0, 1, 9223372036854775, true}, {0, 1, 9223372036854776, false},
	} {
		if got := newQuota(c.used, c.minutes, c.resets, 1); (got != Quota{}) != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
	for kind, minutes := range map[string]float64{"five_hour": 300, "seven_day": 10080} {
		if got := claudeWindows[kind].Minutes(); got != minutes {
			t.Errorf("%s has %v minutes", kind, got)
		}
	}
}
