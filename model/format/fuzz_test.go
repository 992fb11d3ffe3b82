package format

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format/dump"
	"turns/model/format/formattest"
	"turns/model/modeltest"
)

// FuzzFormats feeds one format, selected by pick, with bytes: as lines, as a document or as prose.
// None may panic, every record yields a fact or an error, and parsing twice yields the same.
func FuzzFormats(f *testing.F) {
	all := All()
	files, _ := filepath.Glob(filepath.Join(samplesDir, "*", "*"))
	for _, file := range files {
		if strings.HasSuffix(file, ".golden") {
			continue
		}
		own := slices.IndexFunc(all, func(x *model.Format) bool { return x.Name == filepath.Base(filepath.Dir(file)) })
		if data, err := os.ReadFile(file); err == nil && len(data) < 8_000 && own >= 0 && modeltest.SomeNamed(file, 1) {
			f.Add(data, uint16(own))
		}
	}
	for i, s := range []string{
		"", "null", "[]", "{}", `{"role":"user"}`, `{"role":null,"content":[]}`, `[{"role":"assistant","tool_calls":null}]`, `{"messages":[[]]}`,
		`{"role":"assistant","tool_calls":[{"function":null},3,null]}`, `{"role":"user","content":[null,1,"x",{"type":5}]}`, `{"type":{},"payload":[]}`,
		`{"usage":{"prompt_tokens":-1,"completion_tokens":1e400}}`, `{"a":1}{"b":2}`, `{"role":"user","content":"\ud800`, "\x00\xff\n\n{",
	} {
		for own := range all {
			f.Add([]byte(s), uint16(own+i%3*len(all)))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, pick uint16) {
		if len(data) > 16<<10 {
			return
		}
		format := all[int(pick)%len(all)]
		sample := sampleOf("x.jsonl", data)
		switch int(pick) / len(all) % 3 {
		case 1:
			sample = &model.Sample{Shape: model.Document, Doc: data}
		case 2:
			sample = &model.Sample{Shape: model.Prose, Text: data}
		}
		if found, m := Detect(sample); found == nil || m.Score < 1 {
			t.Fatalf("no format for %q", data)
		}
		for _, rec := range formattest.Cut(format, format.Detect(sample), sample, data) {
			fuzzParse(t, format, rec)
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
		dump.Write(out, &fs)
	}
	if (errs[0] == nil) != (errs[1] == nil) || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Fatalf("%s: parsing twice differs for %q:\n%s\n%s", format.Name, rec.Data, first.Bytes(), second.Bytes())
	}
}
