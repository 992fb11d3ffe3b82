package exporttest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/export"
	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/describe"
)

// Everything is the view of a whole transcript.
func Everything(s *model.Snapshot) describe.View { return describe.NewView(query.Everything(s), nil) }

// Write returns a view as a format writes it.
func Write(t testing.TB, f *export.Format, view describe.View, opts export.Options) (string, export.Report) {
	t.Helper()
	var b bytes.Buffer
	report, err := f.Write(context.Background(), &b, view, opts)
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return b.String(), report
}

// FromFile loads a transcript of a format from a file.
func FromFile(t testing.TB, path, format string) *model.Snapshot {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return FromBytes(t, string(data), format)
}

// EachSample opens each sample with a conversation, of all formats.
func EachSample(t *testing.T, each func(t *testing.T, snap *model.Snapshot)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "formats", "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".golden") || strings.Contains(file, ".rows.") || !modeltest.SomeNamed(file, 1) {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
			if snap := Detected(t, file); snap != nil && snap.Len() > 0 {
				each(t, snap)
			}
		})
	}
}

// ReadBack opens an export as a user would, without naming its format.
func ReadBack(t *testing.T, name, text string) *model.Snapshot {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Detected(t, path)
}

// Detected opens a file in its detected format; nil if it has no conversation.
func Detected(t *testing.T, path string) *model.Snapshot {
	t.Helper()
	c, err := load.Open(t.Context(), path, load.Options{})
	if err != nil {
		return nil
	}
	t.Cleanup(func() { c.Close() })
	snap, err := c.Load(t.Context())
	if snap == nil {
		t.Fatalf("%s: %v", path, err)
	}
	return snap // err is only about unreadable records
}

// Substance returns the content of a conversation to compare: the words of each speaker, the calls
// with their outcomes, and the results without a call. It ignores the order of words and calls in a
// message, because OpenAI's messages have one text, before the calls. It ignores compaction too,
// because some formats record it in a later event.
func Substance(t *testing.T, s *model.Snapshot) (out []string) {
	t.Helper()
	if s == nil {
		return nil
	}
	const lifecycle = model.Invalidated | model.Superseded | model.Archived
	var words [model.Other + 1]strings.Builder
	for pos := range s.Len() {
		id := s.At(pos)
		m, err := s.Body(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Blocks {
			if b := &m.Blocks[i]; b.Kind == model.Words && strings.TrimSpace(b.Text) != "" {
				fmt.Fprintln(&words[m.Role], b.Text)
			}
		}
		for _, c := range s.Calls(id) {
			out = append(out, fmt.Sprintf("call of %s, failed %v, answered %v, %v", s.Name(c.Tool), c.Outcome.Failed(), c.Result != model.NoID, m.Flags&lifecycle))
		}
	}
	for i := range s.CallCount() {
		if c := s.Call(model.CallID(i)); c.Msg == model.NoID && c.Result != model.NoID && s.Pos(c.Result) >= 0 {
			out = append(out, fmt.Sprintf("result without a call of %s, failed %v", s.Name(c.Tool), c.Outcome.Failed()))
		}
	}
	for role := range words {
		out = append(out, model.Role(role).String()+" says "+strings.Join(strings.Fields(words[role].String()), " "))
	}
	return out
}

// Array decodes an export with encoding/json.
func Array(t testing.TB, text string) []map[string]any {
	t.Helper()
	var list []map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&list); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return list
}

// Lines decodes an export of one JSON object per line.
func Lines(t testing.TB, text string) []map[string]any {
	t.Helper()
	var list []map[string]any
	for line := range strings.Lines(text) {
		var m map[string]any
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber() // accepts 1e400
		if err := d.Decode(&m); err != nil || d.More() {
			t.Fatalf("%v in\n%s", err, line)
		}
		list = append(list, m)
	}
	return list
}
