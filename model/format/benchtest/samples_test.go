package benchtest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format"
)

const samplesDir = "../../../testdata/formats"

// recordsOf returns the records of a format's samples that are JSON and that the format parses. It
// returns nil for formats of plain text.
func recordsOf(t testing.TB, f *model.Format) (recs []model.Record) {
	files, err := filepath.Glob(filepath.Join(samplesDir, f.Name, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var fs model.Facts
	for _, file := range files {
		if strings.HasSuffix(file, ".golden") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range cut(f, file, data) {
			fs.Clear()
			if json.Valid(rec.Data) && f.Parse(rec, &fs) == nil {
				recs = append(recs, rec)
			}
		}
	}
	return recs
}

// cut returns the records of a file: its lines, the rows of a file that represents a database, or
// the elements of a document's lists.
func cut(f *model.Format, file string, data []byte) (recs []model.Record) {
	s := &model.Sample{Path: filepath.Base(file)}
	first, rows, _ := bytes.Cut(data, []byte("\n"))
	switch {
	case strings.HasSuffix(file, ".rows.jsonl"):
		s.Shape = model.Database
		var head struct{ Tables map[string][]string }
		if json.Unmarshal(first, &head) != nil || head.Tables == nil {
			s.Shape = model.Folder
		}
		s.Tables = head.Tables
		variant := f.Detect(s).Variant
		for line := range bytes.Lines(rows) {
			var row struct {
				List string
				Data json.RawMessage
			}
			if json.Unmarshal(line, &row) == nil {
				recs = append(recs, model.Record{List: row.List, Variant: variant, Data: row.Data})
			}
		}
	case json.Valid(data) && !strings.HasSuffix(file, "l"):
		s.Shape, s.Doc, s.Whole = model.Document, bytes.TrimSpace(data), true
		m := f.Detect(s)
		if f.Lists == nil || len(f.Lists(m)) == 0 {
			return []model.Record{{Variant: m.Variant, Data: s.Doc}}
		}
		for _, path := range f.Lists(m) {
			for _, v := range elements(s.Doc, strings.Split(path, ".")) {
				recs = append(recs, model.Record{List: path, Variant: m.Variant, Data: v})
			}
		}
	default:
		s.Shape = model.Lines
		for line := range bytes.Lines(data) {
			if line = bytes.TrimSpace(line); json.Valid(line) {
				s.Records = append(s.Records, line)
			}
		}
		variant := f.Detect(s).Variant
		for i, line := range s.Records {
			recs = append(recs, model.Record{Ref: model.Ref{Off: int64(i)}, Variant: variant, Data: line})
		}
	}
	return recs
}

// elements returns the elements of the lists at a path, in which "*" matches each member of an
// object or list.
func elements(v []byte, path []string) (list [][]byte) {
	if len(path) == 0 || path[0] == "[]" {
		return members(v)
	}
	if path[0] == "*" {
		for _, m := range members(v) {
			list = append(list, elements(m, path[1:])...)
		}
		return list
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(v, &object) == nil && object[path[0]] != nil {
		return elements(object[path[0]], path[1:])
	}
	if i, err := strconv.Atoi(path[0]); err == nil && i < len(members(v)) {
		return elements(members(v)[i], path[1:])
	}
	return nil
}

func members(v []byte) (list [][]byte) {
	var array []json.RawMessage
	var object map[string]json.RawMessage
	if json.Unmarshal(v, &array) == nil {
		for _, e := range array {
			list = append(list, e)
		}
	} else if json.Unmarshal(v, &object) == nil {
		for _, e := range object {
			list = append(list, e)
		}
	}
	return list
}

// notJSON are formats without samples in JSON: databases as SQL in model/load/testdata/stores,
// and YAML. The benchmark does not measure how they unroll. "inferred" has no samples.
const notJSON = " antigravity-store devin llm omnigent vcr warp inferred "

// TestSamples checks that every format that parses JSON has records to measure.
func TestSamples(t *testing.T) {
	for _, f := range format.All() {
		if len(recordsOf(t, f)) == 0 && f.Split == nil && !strings.Contains(notJSON, " "+f.Name+" ") {
			t.Errorf("no records of %s", f.Name)
		}
	}
}
