package load

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"turns/model"
)

// worn is a stream of zeros, unreadable up to a byte, with newlines at some others.
type worn struct {
	bad, size int64
	lines     map[int64]bool
}

func (w worn) Size() int64 { return w.size }

func (w worn) ReadAt(p []byte, off int64) (int, error) {
	if off < w.bad {
		return 0, errors.New("bad sector")
	}
	for i := range p {
		if off+int64(i) >= w.size {
			return i, io.EOF
		}
		p[i] = 0
		if w.lines[off+int64(i)] {
			p[i] = '\n'
		}
	}
	return len(p), nil
}

// TestStepsOverHoles: turns skips an unreadable part in steps of 4 KiB. After 64 of them each step
// is twice as long, so a line after the part may be lost.
func TestStepsOverHoles(t *testing.T) {
	const step, size = 4 << 10, 1 << 20
	for name, c := range map[string]struct {
		bad, want int64
		lines     []int64
	}{
		"nothing unreadable":      {0, 8, []int64{7}},
		"one step":                {1, step + 5, []int64{step + 4}},
		"a newline in that step":  {1, size, []int64{step - 1}},
		"two steps":               {step + 1, 2*step + 1, []int64{2 * step}},
		"64 steps":                {64 * step, 64*step + 11, []int64{64*step + 10, 66 * step}},
		"65 steps, the last long": {65 * step, 66*step + 1, []int64{65*step + 10, 66 * step}},
		"no line after it":        {step, size, nil},
		"nothing after it":        {size, size, nil},
	} {
		s := worn{c.bad, size, map[int64]bool{}}
		for _, at := range c.lines {
			s.lines[at] = true
		}
		x := indexer{stream: s}
		if got := x.holeSize(size); got != c.want {
			t.Errorf("%s: %d bytes, not %d", name, got, c.want)
		}
	}
}

// TestUnknownFormats: the format of an incomplete first line is judged again below 1 MiB.
func TestUnknownFormats(t *testing.T) {
	for _, c := range []struct {
		off, tail int64
		chosen    string
		name      string
		want      bool
	}{
		{0, 0, "", recordsName, true}, {0, 1<<20 - 1, "", recordsName, true}, {0, 1 << 20, "", recordsName, false},
		{1, 0, "", recordsName, false}, {0, 0, "", "claude", false}, {0, 0, "claude", "claude", true},
	} {
		var conversation Conversation
		conversation.index = &indexer{off: c.off, tail: c.tail}
		conversation.opts.Format, conversation.format = c.chosen, &model.Format{Name: c.name}
		if got := conversation.unknown(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestSiblings: the first records of 256 transcripts in the folder may be the base's.
func TestSiblings(t *testing.T) {
	dir := t.TempDir()
	for i := range 260 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.jsonl", i)), fmt.Appendf(nil, "%d\nx", i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]string{"255": filepath.Join(dir, "255.jsonl"), "256": "", "0": ""} {
		is := func(first []byte) bool { return string(first) == line }
		if got := baseNearby(t.Context(), filepath.Join(dir, "000.jsonl"), is); got != want {
			t.Errorf("the transcript that begins with %s is %q", line, got)
		}
	}
}
