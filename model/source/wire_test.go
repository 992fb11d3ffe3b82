package source

import (
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

func TestWireJSON(t *testing.T) {
	inner := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "größe")
	at := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 1700000000)
	at = protowire.AppendVarint(protowire.AppendTag(at, 2, protowire.VarintType), 250000000)
	var data []byte
	data = protowire.AppendVarint(protowire.AppendTag(data, 1, protowire.VarintType), 42)
	for range 2 {
		data = protowire.AppendBytes(protowire.AppendTag(data, 7, protowire.BytesType), inner)
	}
	data = protowire.AppendBytes(protowire.AppendTag(data, 3, protowire.BytesType), at)
	data = protowire.AppendBytes(protowire.AppendTag(data, 4, protowire.BytesType), []byte{0xff, 0x01})
	data = protowire.AppendVarint(protowire.AppendTag(data, 99, protowire.VarintType), 1)
	fields, err := parseWire("1:kind 3:created@ 4:hash 7:calls[]{1:id 2:name}")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"kind":42,"created":1700000000250,"hash":"ff01","calls":[{"id":"größe"},{"id":"größe"}],"?":[99]}`
	if got, ok := wireJSON(nil, data, fields); !ok || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, ok, want)
	}
	for n := range data {
		wireJSON(nil, data[:n], fields) // any truncation is harmless
	}
	if got, ok := wireJSON(nil, []byte("no message at all"), fields); ok {
		t.Errorf("text is read as %s", got)
	}
	for _, bad := range []string{"kind", "0:kind", "1:", "1:a{2:b", "1:a}", strings.Repeat("1:a{", 20)} {
		if _, err := parseWire(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func FuzzWireJSON(f *testing.F) {
	f.Add([]byte{8, 42, 0x3a, 3, 0x0a, 1, 'x'})
	fields, err := parseWire("1:kind 3:created@ 7:calls[]{1:id 2:name{1:x}}")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if out, ok := wireJSON(nil, data, fields); ok && !json.Valid(out) {
			t.Errorf("%x becomes %s", data, out)
		}
	})
}
