package format

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
)

// FuzzFormats feeds every format with the same bytes: as lines, as a document and
// as prose. Nothing may panic, every record gives a fact or an error, and parsing
// twice gives the same.
func FuzzFormats(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join(samplesDir, "*", "*"))
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && !strings.HasSuffix(file, ".golden") && len(data) < 20_000 {
			f.Add(data)
		}
	}
	for _, s := range []string{
		"", "null", "[]", "{}", `{"role":"user"}`, `{"role":null,"content":[]}`, `[{"role":"assistant","tool_calls":null}]`, `{"messages":[[]]}`,
		`{"role":"assistant","tool_calls":[{"function":null},3,null]}`, `{"role":"user","content":[null,1,"x",{"type":5}]}`, `{"type":{},"payload":[]}`,
		`{"usage":{"prompt_tokens":-1,"completion_tokens":1e400}}`, `{"a":1}{"b":2}`, `{"role":"user","content":"\ud800`, "\x00\xff\n\n{",
	} {
		f.Add([]byte(s))
	}
	all := All()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		samples := []*model.Sample{
			sampleOf("x.jsonl", data), sampleOf("x.json", data),
			{Shape: model.Document, Doc: data}, {Shape: model.Prose, Text: data}, {Shape: model.Binary, Text: data},
		}
		for _, s := range samples {
			if found, m := Detect(s); found == nil || m.Score < 1 {
				t.Fatalf("no format for %q", data)
			}
			for _, format := range all {
				m := format.Detect(s)
				for _, rec := range cutSample(format, m, s, data) {
					fuzzParse(t, format, rec)
				}
			}
		}
	})
}

func fuzzParse(t *testing.T, format *model.Format, rec model.Record) {
	t.Helper()
	var first, second bytes.Buffer
	var fs model.Facts
	errs := [2]error{}
	for i, out := range []*bytes.Buffer{&first, &second} {
		fs.Clear()
		errs[i] = format.Parse(rec, &fs)
		if errs[i] == nil && fs.Len() == 0 {
			t.Fatalf("%s: no fact and no error for %q", format.Name, rec.Data)
		}
		if fs.Rest < 0 || fs.Rest > len(rec.Data) || fs.Rest > 0 && fs.Rest == len(rec.Data) {
			t.Fatalf("%s: rest %d of %d bytes of %q", format.Name, fs.Rest, len(rec.Data), rec.Data)
		}
		Dump(out, &fs)
	}
	if (errs[0] == nil) != (errs[1] == nil) || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Fatalf("%s: parsing twice differs for %q:\n%s\n%s", format.Name, rec.Data, first.Bytes(), second.Bytes())
	}
}
