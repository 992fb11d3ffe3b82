package load

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/modeltest"
)

// TestTraps loads small transcripts that each contain a trap of their format: repeated,
// accumulated, unordered, unnamed or damaged data. testdata/traps.txt has them with their results,
// as a readable list of the traps.
func TestTraps(t *testing.T) {
	const golden = "testdata/traps.txt"
	var out strings.Builder
	for _, trap := range readTraps(t, golden) {
		path := filepath.Join(t.TempDir(), trap.file)
		write(t, path, trap.text())
		got := summaryOf(t, path)
		if got != trap.want && !modeltest.Update() {
			t.Errorf("%s:\n got %s\nwant %s", trap.name, strings.ReplaceAll(got, "\n", "\n     "), strings.ReplaceAll(trap.want, "\n", "\n     "))
		}
		fmt.Fprintf(&out, "== %s\nfile %s\n%s\n", trap.name, trap.file, strings.Join(trap.lines, "\n"))
		for line := range strings.Lines(got) {
			out.WriteString("-> " + line)
		}
		out.WriteString("\n\n")
	}
	if modeltest.Update() {
		if err := os.WriteFile(golden, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

type trap struct {
	name, file, want string
	lines            []string
}

// text returns the transcript. It replaces marks such as <BOM> with their characters, and <CUT> at
// the end of a line omits the newline.
func (x *trap) text() string {
	var b strings.Builder
	for _, line := range x.lines {
		line = strings.NewReplacer("<BOM>", "\ufeff", "<CR>", "\r", "<NUL>", "\x00", "<LONG>", strings.Repeat("x", 300<<10)).Replace(line)
		if rest, ok := strings.CutSuffix(line, "<CUT>"); ok {
			b.WriteString(rest)
			continue
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func readTraps(t *testing.T, path string) []trap {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var traps []trap
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if name, ok := strings.CutPrefix(line, "== "); ok {
			traps = append(traps, trap{name: name})
			continue
		}
		if len(traps) == 0 {
			continue
		}
		x := &traps[len(traps)-1]
		if want, ok := strings.CutPrefix(line, "-> "); ok {
			x.want = strings.TrimPrefix(x.want+"\n"+want, "\n")
		} else if file, ok := strings.CutPrefix(line, "file "); ok && x.file == "" {
			x.file = file
		} else if x.want == "" {
			x.lines = append(x.lines, line)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return traps
}

// summaryOf returns a transcript's result: a line of counts and the messages.
func summaryOf(t *testing.T, path string) string {
	s := loadFile(t, path, Options{})
	counts := counted(s)
	var parts []string
	for _, name := range []string{"calls", "results", "errors", "input", "cache read", "cache write", "output"} {
		if n := counts[name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", name, n))
		}
	}
	if n := s.Unreadable(); n > 0 {
		parts = append(parts, fmt.Sprintf("unreadable %d", n))
	}
	if n := len(s.Sessions()); n > 1 {
		parts = append(parts, fmt.Sprintf("sessions %d", n))
	}
	out := []string{s.Format() + ": " + strings.Join(parts, ", ")}
	for _, id := range s.LiveIDs() {
		m, err := s.Body(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, "  "+messageLine(s, id, m))
	}
	return strings.Join(out, "\n")
}

func messageLine(s *model.Snapshot, id model.ID, m *model.Message) string {
	h := s.HeadRow(id)
	line := h.Role.String()
	for _, f := range []struct {
		flag model.Flags
		name string
	}{{model.Injected, "injected"}, {model.Recap, "summary"}, {model.Queued, "queued"}, {model.OffBranch, "off branch"}, {model.Inherited, "inherited"},
		{model.Invalidated, "invalidated"}, {model.Superseded, "superseded"}, {model.HasOrphan, "orphan"}, {model.Hidden, "hidden"}} {
		if h.Flags&f.flag != 0 {
			line += " (" + f.name + ")"
		}
	}
	text, _ := m.Content()
	if len(text) > 60 {
		text = text[:20] + "…"
	}
	if text != "" {
		line += fmt.Sprintf(" %q", text)
	}
	var calls []string
	if h.Flags&model.HasResults == 0 {
		for row := h.LastCall; row != model.NoRow; {
			c := s.Call(model.CallID(row))
			calls = append(calls, s.Name(c.Tool)+" "+c.Outcome.String())
			row = c.Prev
		}
	}
	slices.Reverse(calls)
	if len(calls) > 0 {
		line += " [" + strings.Join(calls, ", ") + "]"
	}
	return line
}
