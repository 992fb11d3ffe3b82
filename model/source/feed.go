package source

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"

	"turns/model/source/parquet"
	"turns/model/source/spool"
)

// container is the kind of a file by its first bytes.
type container uint8

const (
	plainBytes container = iota
	gzipBytes
	zstdBytes
	zipBytes
	sqliteBytes
	parquetBytes
	utf16Little
	utf16Big
	quotedJSON // JSON inside a JSON string, or lines of such strings
)

const sqliteMagic = "SQLite format 3\x00"

// magic returns the container that begins with the bytes of head.
func magic(head []byte) container {
	begins := func(s string) bool { return len(head) >= len(s) && string(head[:len(s)]) == s }
	switch {
	case begins("\x1f\x8b"):
		return gzipBytes
	case begins("\x28\xb5\x2f\xfd"):
		return zstdBytes
	case begins("PK\x03\x04"), begins("PK\x05\x06"):
		return zipBytes
	case begins(sqliteMagic):
		return sqliteBytes
	case begins(parquet.Magic):
		return parquetBytes
	case begins("\xff\xfe\x00\x00"): // UTF-32, which is not used in practice
		return plainBytes
	case begins("\xff\xfe"):
		return utf16Little
	case begins("\xfe\xff"):
		return utf16Big
	case begins(`"{\"`), begins(`"{\n`), begins(`"[{\`), begins(`"[\n`):
		return quotedJSON
	}
	return plainBytes
}

// encoded reports whether the bytes need decoding before they are readable.
func (c container) encoded() bool {
	return c == gzipBytes || c == zstdBytes || c == utf16Little || c == utf16Big || c == quotedJSON
}

// feed copies r to the spool as it arrives, decoded, until its end, and then finishes the spool.
func feed(ctx context.Context, r io.Reader, sp *spool.Spool, m *meter) {
	err := copyDecoded(ctx, r, sp, m)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	sp.Finish(err)
}

func copyDecoded(ctx context.Context, r io.Reader, sp *spool.Spool, m *meter) error {
	decoded, closer, err := decode(r, m)
	if err != nil {
		return err
	}
	defer closer()
	buf := make([]byte, 64<<10)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := decoded.Read(buf)
		if n > 0 {
			if _, err := sp.Write(buf[:n]); err != nil {
				return err
			}
			sp.Commit()
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// decode undoes up to three layers of compression or encoding, and counts the output of each.
func decode(r io.Reader, m *meter) (io.Reader, func(), error) {
	var closers []func()
	done := func() {
		for _, c := range closers {
			c()
		}
	}
	for range 3 {
		b := bufio.NewReaderSize(r, 64<<10)
		r = b
		// Mostly two bytes are enough. Do not wait for more than a pipe may have.
		head, _ := b.Peek(2)
		if len(head) == 2 && (head[0] == 0x28 || head[0] == 0xff || head[0] == '"') {
			head, _ = b.Peek(4)
		}
		switch magic(head) {
		case gzipBytes:
			z, err := gzip.NewReader(b)
			if err != nil {
				return nil, done, fmt.Errorf("unpack gzip: %w", err)
			}
			r = m.gives(named{z, "unpack gzip"})
		case zstdBytes:
			z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20), zstd.WithDecoderLowmem(true))
			if err != nil {
				return nil, done, fmt.Errorf("unpack zstd: %w", err)
			}
			closers = append(closers, z.Close)
			r = m.gives(named{z, "unpack zstd"})
		case utf16Little:
			return &utf16Reader{r: b, order: binary.LittleEndian}, done, nil
		case utf16Big:
			return &utf16Reader{r: b, order: binary.BigEndian}, done, nil
		case quotedJSON:
			return &unquoter{r: b, start: true}, done, nil
		default:
			return r, done, nil
		}
	}
	return r, done, nil
}

// named adds to errors the operation that failed.
type named struct {
	r  io.Reader
	op string
}

func (n named) Read(p []byte) (int, error) {
	k, err := n.r.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%s: %w", n.op, err)
	}
	return k, err
}

// utf16Reader converts UTF-16 to UTF-8 and drops the byte order mark.
type utf16Reader struct {
	r     *bufio.Reader
	order binary.ByteOrder
	begun bool
	high  rune // first half of a pair that waits for its second
	out   []byte
	err   error
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		u.fill()
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

func (u *utf16Reader) fill() {
	u.out = u.out[:0]
	for {
		var b [2]byte
		n, err := io.ReadFull(u.r, b[:])
		if err != nil {
			if n == 1 || u.high != 0 {
				u.out = append(u.out, "\ufffd"...) // half a character at the end
			}
			if err == io.ErrUnexpectedEOF {
				err = io.EOF
			}
			u.err = err
			return
		}
		u.add(rune(u.order.Uint16(b[:])))
		if u.r.Buffered() < 2 || len(u.out) > 32<<10 {
			if len(u.out) > 0 {
				return
			}
		}
	}
}

func (u *utf16Reader) add(c rune) {
	if !u.begun {
		u.begun = true
		if c == 0xFEFF {
			return
		}
	}
	if u.high != 0 {
		high := u.high
		u.high = 0
		if r := utf16.DecodeRune(high, c); r != '\ufffd' {
			u.out = append(u.out, string(r)...)
			return
		}
		u.out = append(u.out, "\ufffd"...)
	}
	switch {
	case c >= 0xD800 && c < 0xDC00:
		u.high = c
	case utf16.IsSurrogate(c):
		u.out = append(u.out, "\ufffd"...)
	default:
		u.out = append(u.out, string(c)...)
	}
}
