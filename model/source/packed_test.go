package source

import (
	"archive/zip"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
)

func TestPacked(t *testing.T) {
	for _, test := range []struct{ name, names, want string }{
		{"an account's export", "chat.html user.json conversations.json", "conversations.json"},
		{"one in parts", "x/conversations-001.json x/user.json x/conversations-000.json", "x/conversations-000.json x/conversations-001.json"},
		{"one file", "run.jsonl", "run.jsonl"},
		{"one file that a Mac packed", "a/run.jsonl __MACOSX/a/._run.jsonl a/.DS_Store", "a/run.jsonl"},
		{"a log of an evaluation", "header.json samples/1_epoch_1.json", ""},
		{"one that has only begun", "_journal/start.json", ""},
		{"many", "a.jsonl b.jsonl", ""},
		{"other names", "conversations-.json conversationsx.json", ""},
		{"nothing", "", ""},
	} {
		if got := strings.Join(packed(strings.Fields(test.names)), " "); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestPackedIsReadAsTheFile(t *testing.T) {
	within := func(archives int) string {
		nested := two
		for range archives {
			nested = zipped(t, member{"run.jsonl", nested, zip.Deflate})
		}
		return nested
	}
	for _, test := range []struct {
		name    string
		members []member
		shape   model.Shape
		want    string
	}{
		{"lines", []member{{"run.jsonl", two, zip.Deflate}}, model.Lines, two},
		{"compressed again", []member{{"run.jsonl.gz", gzipped(two), zip.Store}}, model.Lines, two},
		{"lists", []member{
			{"conversations-000.json", "\ufeff[{\"a\":[1]} ]\n", zip.Deflate}, {"conversations-001.json", " [ ]", zip.Deflate},
			{"conversations-002.json", "[\n{\"b\":2},{\"c\":3}]", zip.Deflate},
		}, model.Document, "[{\"a\":[1]} ,\n{\"b\":2},{\"c\":3}]\n"},
		{"lists without elements", []member{{"conversations-000.json", "[]", zip.Store}, {"conversations-001.json", "[]", zip.Store}}, model.Document, "[]\n"},
		{"no lists", []member{{"conversations-000.json", `{"a":1}`, zip.Store}, {"conversations-001.json", `{"b":2}`, zip.Store}}, model.Lines, "{\"a\":1}\n{\"b\":2}\n"},
		{"an archive in an archive", []member{{"inner.zip", zipped(t, member{"run.jsonl", two, zip.Deflate}), zip.Store}}, model.Lines, two},
		{"in three archives", []member{{"outer.zip", within(2), zip.Store}}, model.Lines, two},
		{"in four archives", []member{{"outer.zip", within(3), zip.Store}}, model.Archive, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			data := zipped(t, test.members...)
			path := write(t, filepath.Join(t.TempDir(), "x.zip"), data)
			for _, opts := range []Options{{}, {Stdin: io.NopCloser(strings.NewReader(data))}} {
				arg := path
				if opts.Stdin != nil {
					arg = "-"
				}
				s := open(t, arg, opts)
				equal(t, "shape", s.Shape(), test.shape)
				if test.shape == model.Archive {
					continue
				}
				for ended := false; !ended; {
					ev, err := s.Next(t.Context())
					must(t, err)
					ended = ev.Kind == Ended || ev.Kind == Failed
				}
				got := make([]byte, s.Stream().Size())
				_, err := s.Stream().ReadAt(got, 0)
				if err != nil && err != io.EOF {
					t.Fatal(err)
				}
				equal(t, arg, strings.Join(strings.Fields(string(got)), " "), strings.Join(strings.Fields(test.want), " "))
			}
		})
	}
}
