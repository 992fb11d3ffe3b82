package envelope_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"turns/model/format"
	"turns/model/format/formattest"
)

// TestWrapped detects and reads samples of all formats inside other objects: a record in each, as
// JSON, as a string, and in a list with other records in between.
func TestWrapped(t *testing.T) {
	formattest.Rewritten(t, "testdata/wrapped.golden", format.Detect, func(data []byte) [][]byte {
		return [][]byte{
			wrapped(data, `"payload":%s`, false, ""),
			wrapped(data, `"level":"info","entry":{"message":%s}`, true, ""),
			wrapped(data, `"data":[%s]`, false, `{"at":"2026-01-02T03:05:00Z","log":"unrelated"}`+"\n"),
		}
	})
}

// wrapped returns each record of a file, or its document, inside an object of its line.
func wrapped(data []byte, inside string, quoted bool, between string) []byte {
	var out bytes.Buffer
	records := [][]byte{data}
	if len(bytes.TrimSpace(data)) > 0 && !json.Valid(data) {
		records = bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	}
	for i, record := range records {
		record = bytes.ReplaceAll(bytes.TrimSpace(record), []byte("\n"), []byte(" "))
		if quoted {
			record, _ = json.Marshal(string(record))
		}
		fmt.Fprintf(&out, `{"at":"2026-01-02T03:04:%02dZ","n":%d,`+inside+"}\n%s", i%60, i, record, between)
	}
	return out.Bytes()
}
