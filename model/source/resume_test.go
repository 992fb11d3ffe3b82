package source

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
	"turns/model/source/disk"
	"turns/model/source/spool"
)

// TestGrownDocumentsAreReadFromWhereTheyGrew: of a followed file of documents that has only grown,
// only the appended bytes are read, of any other all; the result is the same.
func TestGrownDocumentsAreReadFromWhereTheyGrew(t *testing.T) {
	const a, b, c = `{"m":[1,2]}` + "\n", `{"m":[3]}` + "\n", `{"m":[4,5]}` + "\n"
	tests := []struct {
		name, before, after string
		other               bool // the file is another one
		from                int
	}{
		{"appended", a + b, a + b + c, false, len(a + b)},
		{"the first", "", a, false, 0},
		{"half of the last was there", a + b + c[:7], a + b + c, false, len(a + b)},
		{"no newline after the last", a + strings.TrimSpace(b), a + b + c, false, len(a)},
		{"the same", a + b, a + b, false, 0},
		{"another in front", a + b, c + a + b, false, 0},
		{"changed before the end", a + b, a + c + b, false, 0},
		{"shorter", a + b, a, false, 0},
		{"another file that begins so", a + b, a + b + c, true, 0},
		{"one that is written anew", `{"m":[1,2]}` + "\n", `{"m":[1,2,3]}` + "\n", false, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, filepath.Join(t.TempDir(), "spans.jsonl"), test.before)
			m := newMemory()
			out := spool.New(model.Limits{}, "")
			defer out.Close()
			look := func() error {
				f, err := disk.OpenFile(path)
				must(t, err)
				defer f.Close()
				m.begin()
				m.start(f)
				defer m.left(f)
				sink := newSink(out, m)
				sink.gather = true
				err = unrollDocument(t.Context(), f, []string{"m"}, sink)
				out.Commit()
				if err != nil {
					return err
				}
				return m.end()
			}
			_ = look() // half a document is an error
			if test.other {
				must(t, os.Rename(path, path+".1"))
				write(t, path, test.after)
			} else {
				f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
				must(t, err)
				_, err = f.WriteString(test.after)
				must(t, errors.Join(err, f.Close()))
			}
			err := look()
			equal(t, "read from", m.from, int64(test.from))
			if errors.Is(err, errRewritten) {
				return // it is read again from the beginning
			}
			must(t, err)
			want, _ := unrolled(t, test.after, []string{"m"}, 1<<20)
			got := content(t, out)
			equal(t, "elements", lists(lines(got)), lists(want))
		})
	}
}

// lists are the records of lists.
func lists(records string) (out string) {
	for line := range strings.Lines(records) {
		if !strings.HasPrefix(line, "|") {
			out += strings.TrimSpace(line) + "\n"
		}
	}
	return out
}
