package fork

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"
)

// Forks always get new ids: file names contain them, so an id from a transcript could escape
// the folder.

// uuid4 returns a random UUID.
func uuid4() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return uuid(b, 4)
}

// uuid7 returns a UUID that begins with a time, like Codex's names of sessions.
func uuid7(now time.Time) string {
	var b [16]byte
	_, _ = rand.Read(b[6:])
	ms := now.UnixMilli()
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	return uuid(b, 7)
}

func uuid(b [16]byte, version byte) string {
	b[6] = b[6]&0x0f | version<<4
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// short returns an id of some random bytes in hexadecimal.
func short(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}

// iso formats a time like agents.
func iso(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// sorting makes ids of OpenCode: a prefix, twelve digits that grow (for sessions, shrink) with the
// time and with each id, and fourteen random characters.
type sorting struct{ last int64 }

func newSorting(now time.Time) *sorting { return &sorting{last: now.UnixMilli() << 12} }

func (s *sorting) next(prefix string, shrinks bool) string {
	s.last++
	n := s.last & (1<<48 - 1)
	if shrinks {
		n = ^n & (1<<48 - 1)
	}
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	b := make([]byte, 14)
	_, _ = rand.Read(b)
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return fmt.Sprintf("%s_%012x%s", prefix, n, b)
}
