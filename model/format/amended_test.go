package format

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
)

// TestNothingIsAmendedInVain checks transcripts without changed names.
func TestNothingIsAmendedInVain(t *testing.T) {
	for _, root := range []string{"../../testdata/formats", os.Getenv("TURNS_CORPUS")} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !modeltest.SomeNamed(path, 1) || !strings.HasSuffix(path, ".json") && !strings.HasSuffix(path, ".jsonl") {
				return nil
			}
			data, err := os.ReadFile(path)
			if err != nil || len(data) > 1<<18 {
				return err
			}
			s := sampleOf(path, data)
			if s.Shape != model.Lines && s.Shape != model.Document {
				return nil
			}
			f, m := detect(s)
			if g, n := Detect(s); g.Name != f.Name || n != m {
				t.Errorf("%s: %s (%s) for %s (%s)", path, g.Name, n.Reason, f.Name, m.Reason)
			}
			return nil
		})
	}
}

// TestPartsKeepTheirNames checks a few records of each sample, in any order: fields that a format
// does not read, such as ids and lists of names, are not its renamed fields.
func TestPartsKeepTheirNames(t *testing.T) {
	files, err := filepath.Glob("../../testdata/formats/*/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if s := sampleOf(path, data); s.Shape != model.Lines {
			continue
		}
		lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
		for range 12 {
			rnd.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			part := lines[:1+rnd.IntN(min(len(lines), 6))]
			s := sampleOf(path, append(bytes.Join(part, []byte("\n")), '\n'))
			if f, m := recognise(s); strings.Contains(m.Reason, " is read as ") {
				t.Errorf("%s, as %s: %s\n%s", path, f.Name, m.Reason, bytes.Join(part, []byte("\n")))
			}
		}
	}
}

// TestStandardsKeepTheirNames reads spans whose ids are words: none of their fields is a renamed type.
func TestStandardsKeepTheirNames(t *testing.T) {
	const span = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t","spanId":%q,"parentSpanId":%q,"name":"x","startTimeUnixNano":"1","endTimeUnixNano":"2",` +
		`"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.name","value":{"stringValue":"run"}},` +
		`{"key":"gen_ai.tool.call.id","value":{"stringValue":%q}}]}]}]}]}` + "\n"
	s := sampleOf("spans.jsonl", []byte(fmt.Sprintf(span, "a", "c", "a")+fmt.Sprintf(span, "b", "a", "b")))
	f, m := Detect(s)
	if !f.Standard || strings.Contains(m.Reason, " is read as ") {
		t.Errorf("%s (standard: %v): %s", f.Name, f.Standard, m.Reason)
	}
}
