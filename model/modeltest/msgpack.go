package modeltest

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Pairs is a map whose order counts: keys and values in turn.
type Pairs []any

// Extension is a value of an extension type of MessagePack, whose data is a value.
type Extension struct {
	Type  byte
	Value any
}

// Pack is a value as MessagePack: nil, bool, int, float64, string, []byte, []any,
// Pairs and Extension.
func Pack(v any) []byte {
	sized := func(small byte, limit int, large byte, n int) []byte {
		if n < limit {
			return []byte{small | byte(n)}
		}
		return binary.BigEndian.AppendUint32([]byte{large}, uint32(n))
	}
	switch v := v.(type) {
	case nil:
		return []byte{0xc0}
	case bool:
		if v {
			return []byte{0xc3}
		}
		return []byte{0xc2}
	case int:
		return binary.BigEndian.AppendUint64([]byte{0xd3}, uint64(v))
	case float64:
		return binary.BigEndian.AppendUint64([]byte{0xcb}, math.Float64bits(v))
	case string:
		return append(sized(0xa0, 32, 0xdb, len(v)), v...)
	case []byte:
		return append(binary.BigEndian.AppendUint32([]byte{0xc6}, uint32(len(v))), v...)
	case []any:
		out := sized(0x90, 16, 0xdd, len(v))
		for _, x := range v {
			out = append(out, Pack(x)...)
		}
		return out
	case Pairs:
		out := sized(0x80, 16, 0xdf, len(v)/2)
		for _, x := range v {
			out = append(out, Pack(x)...)
		}
		return out
	case Extension:
		data := Pack(v.Value)
		out := binary.BigEndian.AppendUint32([]byte{0xc9}, uint32(len(data)))
		return append(append(out, v.Type), data...)
	}
	panic(fmt.Sprintf("modeltest: no MessagePack for %T", v))
}
