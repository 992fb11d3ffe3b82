package source

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"turns/model"
)

// maxNesting is the maximum depth of MessagePack.
const maxNesting = 200

var errMsgpack = errors.New("not MessagePack")

// msgpackJSON appends a MessagePack value as JSON; ok is false if b is not exactly one. Python
// objects packed by LangGraph (extension types 0 to 5: module, class, arguments) become their
// arguments.
func msgpackJSON(dst, b []byte) (out []byte, ok bool) {
	d := unpacker{in: b, out: dst}
	d.value(0)
	return d.out, d.err == nil && len(d.in) == 0
}

type unpacker struct {
	in, out []byte
	err     error
}

func (d *unpacker) fail() {
	if d.err == nil {
		d.err = errMsgpack
	}
	d.in = nil
}

// take returns and consumes the next n bytes.
func (d *unpacker) take(n int) []byte {
	if n < 0 || n > len(d.in) {
		d.fail()
		return nil
	}
	b := d.in[:n]
	d.in = d.in[n:]
	return b
}

// number reads an unsigned integer of n bytes.
func (d *unpacker) number(n int) uint64 {
	var b [8]byte
	copy(b[8-n:], d.take(n))
	return binary.BigEndian.Uint64(b[:])
}

// size reads a length of n bytes; a length beyond the input is an error.
func (d *unpacker) size(n int) int {
	if x := d.number(n); x <= uint64(len(d.in)) {
		return int(x)
	}
	d.fail()
	return 0
}

func (d *unpacker) value(depth int) {
	head := d.take(1)
	if d.err != nil || depth > maxNesting {
		d.fail()
		return
	}
	switch c := head[0]; {
	case c < 0x80:
		d.out = strconv.AppendInt(d.out, int64(c), 10)
	case c < 0x90:
		d.object(int(c&0x0f), depth)
	case c < 0xa0:
		d.list(int(c&0x0f), depth)
	case c < 0xc0:
		d.text(d.take(int(c & 0x1f)))
	case c >= 0xe0:
		d.out = strconv.AppendInt(d.out, int64(int8(c)), 10)
	default:
		d.typed(c, depth)
	}
}

// typed reads a value whose first byte is only its type.
func (d *unpacker) typed(c byte, depth int) {
	switch c {
	case 0xc0:
		d.out = append(d.out, "null"...)
	case 0xc2:
		d.out = append(d.out, "false"...)
	case 0xc3:
		d.out = append(d.out, "true"...)
	case 0xc4, 0xc5, 0xc6:
		d.bytes(d.take(d.size(1 << (c - 0xc4))))
	case 0xc7, 0xc8, 0xc9:
		n := d.size(1 << (c - 0xc7))
		d.extension(n, depth)
	case 0xca:
		d.float(float64(math.Float32frombits(uint32(d.number(4)))))
	case 0xcb:
		d.float(math.Float64frombits(d.number(8)))
	case 0xcc, 0xcd, 0xce, 0xcf:
		d.out = strconv.AppendUint(d.out, d.number(1<<(c-0xcc)), 10)
	case 0xd0:
		d.out = strconv.AppendInt(d.out, int64(int8(d.number(1))), 10)
	case 0xd1:
		d.out = strconv.AppendInt(d.out, int64(int16(d.number(2))), 10)
	case 0xd2:
		d.out = strconv.AppendInt(d.out, int64(int32(d.number(4))), 10)
	case 0xd3:
		d.out = strconv.AppendInt(d.out, int64(d.number(8)), 10)
	case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8:
		d.extension(1<<(c-0xd4), depth)
	case 0xd9, 0xda, 0xdb:
		d.text(d.take(d.size(1 << (c - 0xd9))))
	case 0xdc, 0xdd:
		d.list(d.size(2<<(c-0xdc)), depth)
	case 0xde, 0xdf:
		d.object(d.size(2<<(c-0xde)), depth)
	default:
		d.fail()
	}
}

// items appends n items between brackets.
func (d *unpacker) items(n int, brackets string, item func()) {
	d.out = append(d.out, brackets[0])
	for i := 0; i < n && d.err == nil; i++ {
		if i > 0 {
			d.out = append(d.out, ',')
		}
		item()
	}
	d.out = append(d.out, brackets[1])
}

func (d *unpacker) list(n, depth int) { d.items(n, "[]", func() { d.value(depth + 1) }) }

func (d *unpacker) object(n, depth int) {
	d.items(n, "{}", func() {
		from := len(d.out)
		d.value(depth + 1)
		if key := d.out[from:]; len(key) > 0 && key[0] != '"' { // any value may be a key
			d.out = model.AppendQuoted(d.out[:from], slices.Clone(key))
		}
		d.out = append(d.out, ':')
		d.value(depth + 1)
	})
}

func (d *unpacker) text(b []byte) { d.out = model.AppendQuoted(d.out, b) }

// bytes appends binary data: as text if it is valid UTF-8, otherwise its size.
func (d *unpacker) bytes(b []byte) {
	if utf8.Valid(b) {
		d.text(b)
		return
	}
	d.out = append(strconv.AppendInt(append(d.out, `{"$blob":{"bytes":`...), int64(len(b)), 10), "}}"...)
}

func (d *unpacker) float(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		d.out = append(d.out, "null"...)
		return
	}
	d.out = strconv.AppendFloat(d.out, f, 'g', -1, 64)
}

// extension reads an extension of n bytes. For a Python object it reads the third element of the
// list, after module and class: the arguments.
func (d *unpacker) extension(n, depth int) {
	code := d.take(1)
	data := d.take(n)
	if d.err != nil {
		return
	}
	if int8(code[0]) >= 0 && code[0] <= 5 {
		in := unpacker{in: data, out: d.out}
		if head := in.take(1); in.err == nil && head[0]&0xf0 == 0x90 && head[0]&0x0f >= 3 {
			from := len(in.out)
			in.value(depth + 1)
			in.value(depth + 1)
			in.out = in.out[:from]
			in.value(depth + 1)
			if in.err == nil {
				d.out = in.out
				return
			}
		}
	}
	d.out = strconv.AppendInt(append(d.out, `{"$extension":{"type":`...), int64(int8(code[0])), 10)
	d.out = append(strconv.AppendInt(append(d.out, `,"bytes":`...), int64(n), 10), "}}"...)
}
