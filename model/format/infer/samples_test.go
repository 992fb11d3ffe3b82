package infer_test

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"turns/model/format"
	"turns/model/format/formattest"
	"turns/model/format/infer"
	"turns/model/modeltest"
)

// TestSamples reads the samples of all formats: the registry asks this package last for the format
// of a sample.
func TestSamples(t *testing.T) { formattest.Samples(t, format.Detect) }

// TestInferred infers the formats of the samples of all formats, with their own names of fields and
// with others that no format knows. Each line of the golden file has a checksum of the description,
// of its evidence and of the facts that it reads.
func TestInferred(t *testing.T) {
	slugs, err := os.ReadDir(formattest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	key := regexp.MustCompile(`"(\w+)"\s*:`)
	for _, slug := range slugs {
		for _, file := range formattest.Files(t, slug.Name()) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(data) > 32<<10 || strings.Contains(file, ".rows.") {
				continue
			}
			name := filepath.Base(file)
			fmt.Fprintf(&lines, "%s/%s: %s\n", slug.Name(), name, inferred(name, data))
			fmt.Fprintf(&lines, "\t%s\n", inferred(name, key.ReplaceAll(data, []byte(`"${1}zub":`))))
		}
	}
	modeltest.Golden(t, "testdata/samples.golden", lines.String())
}

// inferred returns the formats that turns infers for a sample.
func inferred(name string, data []byte) string {
	s := formattest.Sample(name, data)
	var text []byte
	reason := "nothing"
	if found := format.Inferred(s); found != nil {
		reason = fmt.Sprintf("%d %s", found.Confidence, found.Reason)
		description, err := json.Marshal(found.Format)
		text = fmt.Appendf(nil, "%s %v %v %v %d %v %v", description, err, found.Evidence, found.Left, found.Sessions, found.Several, found.Merged)
	}
	if f, m := format.Infer(s); f != nil {
		text = append(fmt.Append(text, m), formattest.Dump(f, m, s, data)...)
	}
	if start := infer.Start(s); start != nil {
		text = fmt.Append(text, start.List, start.Rules)
	}
	return fmt.Sprintf("%s, %08x", reason, crc32.ChecksumIEEE(append(text, fmt.Sprint(infer.Grows(s), infer.NamesSessions(s))...)))
}
