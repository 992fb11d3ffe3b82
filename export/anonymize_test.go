package export_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"turns/export"
	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/querytest"
	"turns/query/redact"
)

// TestAnonymizing: a format for people reads texts with replaced names, and the output of each
// format has none of them, even if only the last text shows that a word is a name. Without
// Options.Names, nothing changes.
func TestAnonymizing(t *testing.T) {
	snap := model.FromMessages([]model.Message{
		querytest.Message(model.User, "ask zorvik about it"),
		querytest.Message(model.Assistant, "see /home/zorvik/notes"),
	})
	for _, people := range []bool{true, false} {
		var read string // the text that the format reads
		f := export.Anonymizing(export.Format{People: people, Write: func(ctx context.Context, w io.Writer, view describe.View, _ export.Options) (export.Report, error) {
			m, err := view.Snap.Body(ctx, view.Snap.At(0))
			if err != nil {
				return export.Report{}, err
			}
			read = m.Blocks[0].Text
			_, err = io.WriteString(w, "from /home/zorvik: ask zorvik")
			return export.Report{Messages: 2}, err
		}})
		for _, names := range []*redact.Names{nil, redact.NewNames(redact.Own{})} {
			var out bytes.Buffer
			report, err := f.Write(t.Context(), &out, describe.View{Selection: query.Everything(snap)}, export.Options{Names: names})
			if err != nil || report.Messages != 2 {
				t.Fatalf("%+v, %v", report, err)
			}
			if hidden := !strings.Contains(out.String(), "zorvik"); hidden != (names != nil) {
				t.Errorf("people %v, names %v: %q was written", people, names != nil, out.String())
			}
			if hidden := !strings.Contains(read, "zorvik"); hidden != (people && names != nil) {
				t.Errorf("people %v, names %v: %q was read", people, names != nil, read)
			}
		}
		broken := errors.New("broken")
		f = export.Anonymizing(export.Format{Write: func(context.Context, io.Writer, describe.View, export.Options) (export.Report, error) {
			return export.Report{}, broken
		}})
		if _, err := f.Write(t.Context(), io.Discard, describe.View{Selection: query.Everything(snap)}, export.Options{Names: redact.NewNames(redact.Own{})}); !errors.Is(err, broken) {
			t.Errorf("the error of a format is %v", err)
		}
	}
}

// TestOutside: a note counts the results outside of a selection and names the first five.
func TestOutside(t *testing.T) {
	for _, test := range []struct {
		ids  []string
		want string
	}{
		{nil, ""},
		{[]string{"a"}, "1 result (a) is not selected, and was dropped"},
		{[]string{""}, "1 result is not selected, and was dropped"},
		{[]string{"a", "", "b"}, "3 results (a, b) are not selected, and were dropped"},
		{[]string{"a", "b", "c", "d", "e"}, "5 results (a, b, c, d, e) are not selected, and were dropped"},
		{[]string{"a", "b", "c", "d", "e", "f"}, "6 results (a, b, c, d, e, …) are not selected, and were dropped"},
	} {
		var r export.Report
		r.Outside(test.ids, "dropped")
		if got := strings.Join(r.Notes, "; "); got != test.want {
			t.Errorf("%q: %q, want %q", test.ids, got, test.want)
		}
	}
}

// TestNoteCount: a note has the number with the plural, and there is no note for 0.
func TestNoteCount(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "1 entry left out; 1 call left out", 2: "2 entries left out; 2 calls left out"} {
		var r export.Report
		r.NoteCount(n, "%s left out", "entry", "entries")
		r.NoteCount(n, "%s left out", "call")
		if got := strings.Join(r.Notes, "; "); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// TestVerbatim: formats that write records as they are cannot leave out reasoning or results.
func TestVerbatim(t *testing.T) {
	for _, o := range []export.Options{{}, {NoReasoning: true}, {NoResults: true}} {
		if err := o.Verbatim(); (err != nil) != (o.NoReasoning || o.NoResults) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
