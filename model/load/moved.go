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

// For speed only: the first read of the end, which mostly has the last message.
const movedLook = 4 << 10

// MovedTo returns the transcript that repeats all of this one and continues it, or "". Claude Code
// creates one when it sends a session to the background. It returns "" if only a summary was
// carried over. named reports whether the transcript names another one, which may appear later.
func MovedTo(path string) (next string, named bool) {
	if !strings.HasSuffix(path, ".jsonl") {
		return "", false
	}
	for _, f := range format.Moving() {
		to := movedAtEnd(f, path)
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

// movedAtEnd returns the new transcript that the last such record of a file names, "" if a message
// follows it.
func movedAtEnd(f *model.Format, path string) string {
	look := piece(path, -movedLook)
	look = look[bytes.IndexByte(look, '\n')+1:] // the first line may be incomplete
	if to, known := movedIn(f, look); known {
		return to
	}
	to, _ := movedIn(f, piece(path, -movedTail))
	return to
}

// movedIn returns the new transcript that the last such record names, "" if a message follows it.
// known is false if there is neither.
func movedIn(f *model.Format, tail []byte) (to string, known bool) {
	for len(tail) > 0 {
		tail = bytes.TrimRight(tail, "\r\n")
		at := bytes.LastIndexByte(tail, '\n') + 1
		if m := f.Moved(tail[at:]); m.To != "" || m.ID != "" {
			return m.To, true
		}
		tail = tail[:at]
	}
	return "", false
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
