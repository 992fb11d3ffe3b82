package take

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query"
	"turns/themes"
	"turns/ui/paint"
	"turns/ui/screen"
)

// cursor replaces the timeline: it is a selected row.
type cursor struct {
	snap *model.Snapshot
	id   model.ID
	call model.CallID
}

func (c *cursor) LabelRows() []screen.Row { return nil }

func (c *cursor) Selected() (model.ID, model.CallID) { return c.id, c.call }
func (c *cursor) Block() int                         { return -1 }
func (c *cursor) Taken() query.Selection             { return query.Selection{Snap: c.snap} }

// opened is a screen that shows one row at a time, and its Desk.
type opened struct {
	t    *testing.T
	desk *Desk
	at   *cursor
	path string
	rows int
}

func newOpened(t *testing.T, path string) *opened {
	t.Helper()
	c, err := load.Open(t.Context(), path, load.Options{Workers: 1})
	if err != nil {
		return nil // not a transcript
	}
	t.Cleanup(func() { _ = c.Close() })
	snap, err := c.Load(t.Context())
	if err != nil {
		return nil
	}
	h := screen.NewHost(context.Background(), screen.Options{UTC: true, NoColor: true})
	h.SetStyles(paint.NewStyles(themes.Builtin()[0], true, 0))
	h.Ask = func(tea.Msg) tea.Cmd { return nil }
	h.Bodies.Budget = time.Hour
	h.Bodies.Begin()
	h.Show(snap)
	at := &cursor{snap: snap}
	h.Rows = at
	return &opened{t: t, desk: &Desk{H: h}, at: at, path: path}
}

var (
	aWord       = regexp.MustCompile(`\pL[\pL\pN]+`)
	pageHead    = regexp.MustCompile(`(?s)^.*?<main`)
	noWord      = regexp.MustCompile(`[^\pL\pN]+`)
	lineNumbers = regexp.MustCompile(`^ *\d* +\d* `)
	aFold       = regexp.MustCompile(`(?m)^(<details><summary>[0-9,]+ lines</summary>|</details>)$`)
	aFence      = regexp.MustCompile("(?m)^```+[a-z]*$")
)

// bare removes the decoration of formats from a text.
func bare(s string) string { return noWord.ReplaceAllString(s, "") }

// every compares the body of each row with its exports.
func (o *opened) every(each int) {
	s := o.at.snap
	for i := range s.Len() {
		id := s.At(i)
		if !modeltest.Some(i, each) || s.HeadRow(id).Size > 1<<16 {
			continue
		}
		lines, _ := o.desk.H.Described.Lines(id)
		for n := range lines {
			o.at.id, o.at.call = id, lines[n].Call
			o.row(screen.Row{Key: screen.RowKey{ID: id, N: uint16(n)}, Call: lines[n].Call, Line: &lines[n]})
		}
	}
}

func (o *opened) row(r screen.Row) {
	args, rest, ok := o.body(r)
	if !ok {
		return // its result is too long to be read while drawing
	}
	o.rows++
	for _, format := range []string{"markdown", "html", "text"} {
		out, body := o.written(format), args+rest
		if format == "markdown" {
			if without, ok := withoutRecorded(out, o.recordedArguments(r)); ok {
				out, body = without, rest
			}
		}
		shown := bare(html.UnescapeString(args + rest))
		all := bare(html.UnescapeString(pageHead.ReplaceAllString(out, "")))
		for line := range strings.Lines(html.UnescapeString(body)) {
			for _, part := range partsOf(format, line) {
				if !strings.Contains(all, bare(part)) {
					o.t.Errorf("%s, #%d %s: %s lacks %.200q of the body\n%.1500s", o.path, o.at.snap.Pos(r.Key.ID), r.Line.Word, format, part, out)
					return
				}
			}
		}
		if r.Call == screen.NoCall || format == "html" {
			continue
		}
		for line := range strings.Lines(pieces(format, html.UnescapeString(out))) {
			if !strings.Contains(shown, bare(line)) {
				o.t.Errorf("%s, #%d %s: the body lacks %.200q of %s\n%.1500s", o.path, o.at.snap.Pos(r.Key.ID), r.Line.Word, line, format, body)
				return
			}
		}
	}
}

// body returns the text of an opened row and, separately, its arguments, without the screen's
// own labels and with Markdown in its source form. Another test checks that drawing Markdown
// loses no letter.
func (o *opened) body(r screen.Row) (args, rest string, ok bool) {
	h := o.desk.H
	parts, ok := h.BodyParts(r, false)
	given := 0 // parts of the arguments, which are first
	if call, m := o.call(r); call != nil {
		result, _ := h.ResultOf(r.Line, m)
		given = len(h.ArgumentParts(call, r.Call, m, r.Mode, result))
	}
	d := paint.Doc{Parts: parts, W: 2000, St: h.Styles, Wrap: true, Md: h.Markdown}
	var b strings.Builder
	for i := range d.Parts {
		if i == given {
			args = b.String()
			b.Reset()
		}
		switch kind := d.Parts[i].Kind; kind {
		case paint.PartRows:
		case paint.PartMarkdown:
			b.WriteString(d.Parts[i].Text + "\n")
		default:
			for _, line := range d.Lines(i) {
				if line = ansi.Strip(line); kind == paint.PartDiff {
					line = lineNumbers.ReplaceAllString(line, "")
				}
				b.WriteString(line + "\n")
			}
		}
	}
	if given > 0 && given == len(d.Parts) {
		return b.String(), "", ok
	}
	return args, b.String(), ok
}

// call returns the call of a row, nil for a row without one, and its message.
func (o *opened) call(r screen.Row) (*model.Content, *model.Message) {
	m := o.desk.H.Bodies.Get(r.Key.ID)
	if m == nil || r.Call == screen.NoCall {
		return nil, m
	}
	return screen.BlockOfCall(m, r.Line), m
}

func (o *opened) recordedArguments(r screen.Row) string {
	if call, _ := o.call(r); call != nil {
		return call.Text
	}
	return ""
}

// withoutRecorded removes the block with the recorded arguments of a call from Markdown. The
// screen may draw these as a diff or a command; ok is false if Markdown does as well.
func withoutRecorded(out, args string) (without string, ok bool) {
	const heading = "\n**Tool Call: "
	for at := strings.Index(out, heading); at >= 0 && args != ""; {
		from := at + len(heading)
		if start := strings.Index(out[from:], "\n\n```"); start >= 0 {
			start += from + 2
			fence, rest, _ := strings.Cut(out[start:], "\n")
			marks := strings.TrimRight(fence, "abcdefghijklmnopqrstuvwxyz")
			text, after, closed := strings.Cut("\n"+rest, "\n"+marks+"\n")
			if closed && sameArguments(text, args) {
				return out[:start] + after, true
			}
		}
		next := strings.Index(out[from:], heading)
		if next < 0 {
			break
		}
		at = from + next
	}
	return "", false
}

// sameArguments reports whether two texts are the same JSON or, for other texts, the same words.
func sameArguments(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil {
		return reflect.DeepEqual(x, y)
	}
	return bare(a) == bare(b)
}

// partsOf returns the parts of a line that an export contains: for HTML, where Markdown marks
// become tags, its words.
func partsOf(format, line string) []string {
	if format != "html" {
		return []string{line}
	}
	return aWord.FindAllString(line, -1)
}

// written returns the export of the row; for text, as | passes it to a command.
func (o *opened) written(format string) string {
	o.t.Helper()
	c := *o.desk.choices()
	c.Format, c.Relative, c.Redact = format, false, map[bool]bool{}
	j, err := o.desk.job(context.Background(), ExportItem, &c)
	if err != nil {
		o.t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := j.write(context.Background(), &b); err != nil {
		o.t.Fatal(err)
	}
	return b.String()
}

// pieces returns the lines of a call's export that contain its arguments and its result.
func pieces(format, out string) string {
	var b strings.Builder
	for line := range strings.Lines(aFence.ReplaceAllString(aFold.ReplaceAllString(out, ""), "")) {
		switch plain := strings.TrimSpace(line); {
		case format == "text" && !strings.HasPrefix(line, "    "), format == "text" && plain == "│ (no result yet)":
		case format == "markdown" && (strings.HasPrefix(line, "#") || strings.HasPrefix(line, "*") || strings.HasPrefix(line, "- **")):
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}

// alike compares the bodies of transcripts in a folder with their exports: every files-th
// transcript, every messages-th message.
func alike(t *testing.T, folder string, files, messages int) {
	t.Helper()
	rows, n := 0, 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) == ".golden" {
			return err
		}
		if n++; !modeltest.Some(n, files) {
			return nil
		}
		if o := newOpened(t, path); o != nil {
			o.every(messages)
			rows += o.rows
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d rows", rows)
}

// TestWhatIsTakenIsWhatIsShown: the copied Markdown, page and text of a row, which | passes on,
// contain everything that its opened row shows. For a call they contain only that. Markdown may
// instead have the recorded arguments of a call, if the form on the screen omits something.
func TestWhatIsTakenIsWhatIsShown(t *testing.T) { alike(t, "../../testdata", 4, 1) }

func TestWhatIsTakenOfTheCorpus(t *testing.T) { alike(t, modeltest.Corpus(t), 60, 40) }
