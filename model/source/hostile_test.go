package source

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"turns/model"
	"turns/model/source/spool"
)

// FuzzArchive packs any text under any name, in each container, and changes a byte of it: intact
// containers return their text, damaged ones an error or a text, and none exceeds the limit.
func FuzzArchive(f *testing.F) {
	for _, m := range sampleMembers {
		f.Add(m.name, m.data, uint8(m.method), uint16(0), uint8(0))
		f.Add(m.name, m.data, uint8(m.method), uint16(7), uint8(0xff))
	}
	for i := range uint8(6) {
		f.Add("../a\x1b[31m.jsonl", strings.Repeat(two, 300), i, uint16(20), i)
		f.Add("conversations-000.json", "[{}]", i, uint16(0), uint8(0))
	}
	f.Fuzz(func(t *testing.T, name, data string, how uint8, at uint16, xor uint8) {
		packed := []byte(packedAs(t, name, data, how))
		if len(packed) > 0 {
			packed[int(at)%len(packed)] ^= xor
		}
		limits := model.Limits{Unpacked: 64 << 10, Ratio: 1}
		sp := spool.New(limits, t.TempDir())
		defer sp.Close()
		err := unpackAll(t.Context(), packed, sp, limits)
		got := content(t, sp)
		most := limits.MayGrow(int64(len(packed))) + window // a read goes beyond it
		if how%6 == 0 {
			most += int64(len(data))
		}
		if int64(len(got)) > most+int64(len(name)+2)*int64(strings.Count(got, "\n")+1) {
			t.Fatalf("%d bytes came out", len(got))
		}
		if int64(len(data)) > most && xor == 0 && !limited(err, "unpacked") {
			t.Fatalf("%d bytes: %v", len(data), err)
		}
		if how%6 >= 3 && xor == 0 && int64(len(data)) <= limits.Unpacked && magic([]byte(data)) == plainBytes && got != data {
			t.Fatalf("%q became %q (%v)", data, got, err)
		}
	})
}

// packedAs is data in a container.
func packedAs(t *testing.T, name, data string, how uint8) string {
	if strings.HasSuffix(name, "/") {
		name += "x" // otherwise it is a folder
	}
	switch how % 6 {
	case 0:
		return zipped(t, member{name, data, zip.Store})
	case 1:
		return zipped(t, member{name, data, zip.Deflate}, member{name, data, zip.Store})
	case 2:
		return zipped(t, member{name, data, zstd.ZipMethodWinZip})
	case 3:
		return gzipped(data)
	case 4:
		return gzipped(gzipped(data))
	}
	w, err := zstd.NewWriter(nil)
	must(t, err)
	defer w.Close()
	return string(w.EncodeAll([]byte(data), nil))
}

// unpackAll unpacks a container the way a source does, an archive or a stream.
func unpackAll(ctx context.Context, packed []byte, sp *spool.Spool, limits model.Limits) error {
	defer sp.Commit()
	m := newMeter(limits)
	m.in.Add(int64(len(packed)))
	if a, err := openArchive(bytes.NewReader(packed), int64(len(packed)), "x", m); err == nil {
		u := unroller{set: a, pick: func(names []string) []string { return names }, meter: m}
		return u.unroll(ctx, newSink(sp, nil))
	}
	return copyDecoded(ctx, bytes.NewReader(packed), sp, m)
}

// limited reports whether an error is of the limit with that name.
func limited(err error, name string) bool {
	var limit *model.LimitError
	return errors.As(err, &limit) && limit.Name == name
}
