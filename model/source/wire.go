package source

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"turns/model"
)

// wireField is a requested field of a protocol buffer, and how it is written as JSON.
type wireField struct {
	number protowire.Number
	name   string
	list   bool         // repeated: written as an array
	time   bool         // a google.protobuf.Timestamp: Unix milliseconds
	inner  []*wireField // of a message; nil: text or a number
}

// parseWire parses the names for the fields of a message:
//
//	5:metadata{1:created@ 9:usage{2:input 3:output}} 7:calls[]{1:id 2:name}
//
// NAME[] is a list, NAME@ a timestamp, NAME{…} a message with these fields.
func parseWire(text string) ([]*wireField, error) {
	fields, rest, err := wireFields(text, 0)
	if err == nil && strings.TrimSpace(rest) != "" {
		err = fmt.Errorf("unexpected %q", rest)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the fields of a message %q: %w", text, err)
	}
	return fields, nil
}

// maxWireDepth is the maximum nesting of messages.
const maxWireDepth = 16

func wireFields(text string, depth int) (fields []*wireField, rest string, err error) {
	if depth > maxWireDepth {
		return nil, "", fmt.Errorf("more than %d messages in each other", maxWireDepth)
	}
	for {
		text = strings.TrimLeft(text, " \n\t")
		if text == "" || text[0] == '}' {
			return fields, text, nil
		}
		number, after, ok := strings.Cut(text, ":")
		n, err := strconv.ParseInt(number, 10, 29)
		if !ok || err != nil || n < 1 {
			return nil, "", fmt.Errorf("%q begins with no field number", text)
		}
		end := strings.IndexAny(after, "{} \n\t")
		if end < 0 {
			end = len(after)
		}
		f := &wireField{number: protowire.Number(n), name: after[:end]}
		f.name, f.time = strings.CutSuffix(f.name, "@")
		f.name, f.list = strings.CutSuffix(f.name, "[]")
		if f.name == "" {
			return nil, "", fmt.Errorf("field %d has no name", n)
		}
		if text = after[end:]; strings.HasPrefix(text, "{") {
			if f.inner, text, err = wireFields(text[1:], depth+1); err != nil {
				return nil, "", err
			}
			if !strings.HasPrefix(text, "}") {
				return nil, "", fmt.Errorf("the fields of %q do not end", f.name)
			}
			text = text[1:]
		}
		fields = append(fields, f)
	}
}

// wireJSON appends the fields of a message as a JSON object; ok is false if data is not a message.
// The numbers of fields without a name are listed under "?".
func wireJSON(b, data []byte, fields []*wireField) (out []byte, ok bool) {
	values := make([][]byte, len(fields))
	var others []byte
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return b, false
		}
		size := protowire.ConsumeFieldValue(number, kind, data[n:])
		if size < 0 {
			return b, false
		}
		value := data[n : n+size]
		data = data[n+size:]
		i := indexOfWire(fields, number)
		if i < 0 {
			others = strconv.AppendInt(append(others, ','), int64(number), 10)
			continue
		}
		if values[i] != nil && fields[i].list {
			values[i] = append(values[i], ',')
		} else {
			values[i] = values[i][:0] // the last value of a repeated field counts
		}
		values[i] = fields[i].appendValue(values[i], kind, value)
	}
	b = append(b, '{')
	for i, f := range fields {
		if values[i] == nil {
			continue
		}
		b = append(model.AppendQuoted(b, []byte(f.name)), ':')
		if f.list {
			b = append(append(append(b, '['), values[i]...), ']')
		} else {
			b = append(b, values[i]...)
		}
		b = append(b, ',')
	}
	if others != nil {
		return append(append(append(b, `"?":[`...), others[1:]...), "]}"...), true
	}
	if b[len(b)-1] == ',' {
		b = b[:len(b)-1]
	}
	return append(b, '}'), true
}

func indexOfWire(fields []*wireField, number protowire.Number) int {
	for i, f := range fields {
		if f.number == number {
			return i
		}
	}
	return -1
}

// appendValue appends the value of a field: a number, a text, or other bytes in hex.
func (f *wireField) appendValue(b []byte, kind protowire.Type, value []byte) []byte {
	switch kind {
	case protowire.VarintType:
		n, _ := protowire.ConsumeVarint(value)
		return strconv.AppendInt(b, int64(n), 10)
	case protowire.Fixed32Type:
		n, _ := protowire.ConsumeFixed32(value)
		return strconv.AppendUint(b, uint64(n), 10)
	case protowire.Fixed64Type:
		n, _ := protowire.ConsumeFixed64(value)
		return strconv.AppendUint(b, n, 10)
	case protowire.BytesType:
		data, _ := protowire.ConsumeBytes(value)
		return f.appendBytes(b, data)
	}
	return append(b, "null"...)
}

func (f *wireField) appendBytes(b, data []byte) []byte {
	switch {
	case f.time:
		return strconv.AppendInt(b, wireTime(data), 10)
	case f.inner != nil:
		if out, ok := wireJSON(b, data, f.inner); ok {
			return out
		}
	case utf8.Valid(data):
		return model.AppendQuoted(b, data)
	}
	return append(hex.AppendEncode(append(b, '"'), data), '"')
}

// wireTime returns a google.protobuf.Timestamp in Unix milliseconds, 0 if data is not one.
func wireTime(data []byte) (ms int64) {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 || kind != protowire.VarintType {
			return 0
		}
		v, size := protowire.ConsumeVarint(data[n:])
		if size < 0 {
			return 0
		}
		switch number {
		case 1:
			ms += int64(v) * 1000
		case 2:
			ms += int64(v) / 1e6
		}
		data = data[n+size:]
	}
	return ms
}
