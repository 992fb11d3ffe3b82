package load

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"turns/model"
	"turns/model/format"
)

// movedTail is how much of a transcript's end may name the session's new transcript. movedHead is
// how much of the beginning of both is compared.
const (
	movedTail = 16 << 10
	movedHead = 64 << 10
)

// MovedTo returns the transcript that repeats all of this one and continues it, or "". Claude Code
// creates one when it sends a session to the background. It returns "" if only a summary was
// carried over. named reports whether the transcript names another one, which may appear later.
func MovedTo(path string) (next string, named bool) {
	if !strings.HasSuffix(path, ".jsonl") {
		return "", false
	}
	tail := piece(path, -movedTail)
	for _, f := range format.Moving() {
		to := movedIn(f, tail)
		if to == "" || to != filepath.Base(to) {
			continue
		}
		named = true
		next := filepath.Join(filepath.Dir(path), to+filepath.Ext(path))
		if id := firstID(f, piece(path, movedHead)); next != path && id != "" && id == firstID(f, piece(next, movedHead)) {
			return next, true
		}
	}
	return "", named
}

// movedIn returns the new transcript that the last such record names, "" if a message follows it.
func movedIn(f *model.Format, tail []byte) string {
	for len(tail) > 0 {
		tail = bytes.TrimRight(tail, "\r\n")
		at := bytes.LastIndexByte(tail, '\n') + 1
		if m := f.Moved(tail[at:]); m.To != "" {
			return m.To
		} else if m.ID != "" {
			return ""
		}
		tail = tail[:at]
	}
	return ""
}

// firstID returns the id of the first message.
func firstID(f *model.Format, head []byte) string {
	for line := range bytes.Lines(head) {
		if m := f.Moved(line); m.ID != "" {
			return m.ID
		}
	}
	return ""
}

// piece returns the beginning of a file, or for n < 0 its end; nil if unreadable.
func piece(path string, n int64) []byte {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	from := int64(0)
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	} else if size := info.Size(); n < 0 {
		from, n = max(0, size+n), min(-n, size)
	} else {
		n = min(n, size)
	}
	data := make([]byte, n)
	read, err := file.ReadAt(data, from)
	if err != nil && err != io.EOF {
		return nil
	}
	return data[:read]
}
