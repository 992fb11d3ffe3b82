package format

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
	"turns/model/modeltest"
)

// TestOrderOfRows: a column that counts the rows of a conversation is their order, if they have
// ids.
func TestOrderOfRows(t *testing.T) {
	for _, column := range []string{"seq", "sequence", "position", "idx", "message_index", "turn_index", "turn", "ordinal", "sort_order"} {
		got := rowsOf("m", []string{"id", "chat", column}, "chat", "at")
		if want := `SELECT id AS turns_row, "chat" AS session, * FROM "m" ORDER BY "chat", "at", "` + column + `"`; got != want {
			t.Errorf("%s:\n got %s\nwant %s", column, got, want)
		}
		if got, want := rowsOf("m", []string{column}, "", ""), `SELECT rowid AS turns_row, * FROM "m" ORDER BY rowid`; got != want {
			t.Errorf("%s without ids:\n got %s\nwant %s", column, got, want)
		}
	}
}

// FuzzRows feeds the formats of databases and folders with rows, under the name of each of their
// queries. None may panic, and parsing twice yields the same.
func FuzzRows(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join(samplesDir, "*", "*.rows.jsonl"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			if row := jsonspan.Get(bytes.TrimSpace(line), "data"); row != nil && modeltest.SomeNamed(string(row), 1) {
				f.Add(row)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		for _, format := range All() {
			if format.Unroll == nil {
				continue
			}
			lists := []string{"message/s/m.json", "storage/part/m/p.json"}
			for _, q := range format.Unroll.Queries {
				lists = append(lists, q.Name)
			}
			for _, list := range lists {
				for variant := range uint8(6) {
					fuzzParse(t, format, model.Record{List: list, Variant: variant, Data: data})
				}
			}
		}
	})
}

func TestRowsJSON(t *testing.T) {
	for in, want := range map[string]string{
		`"{\"a\":\"x\\n\"}"`: `{"a":"x\n"}`, `"[1]"`: `[1]`, `{"a":1}`: `{"a":1}`, `null`: `null`, ``: ``, `""`: ``,
	} {
		if got := string(kit.RowsJSON([]byte(in))); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// TestGenericMessages: half of the messages of an unknown format have a text.
func TestGenericMessages(t *testing.T) {
	for records, want := range map[string]bool{`{"role":"user","content":"a"} {"role":"user"}`: true, `{"role":"user","content":"a"} {"role":"user"} {"role":"user"}`: false} {
		var lines [][]byte
		for r := range strings.FieldsSeq(records) {
			lines = append(lines, []byte(r))
		}
		if got := genericDetect(&model.Sample{Shape: model.Lines, Records: lines}).Score > 0; got != want {
			t.Errorf("%s are messages: %v", records, got)
		}
	}
}
