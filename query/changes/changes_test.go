package changes

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/querytest"
)

// session returns a transcript of calls with text results.
func session(calls ...[3]string) *model.Snapshot {
	msgs := []model.Message{querytest.Message(model.User, "q")}
	for i, c := range calls {
		id := fmt.Sprint(i)
		result := querytest.Result(id, c[2])
		if strings.HasPrefix(c[2], "Error") {
			result.Outcome = model.Failure
		}
		msgs = append(msgs, querytest.Message(model.Assistant, "", querytest.Call(id, c[0], c[1])), querytest.Tool(result))
	}
	return model.FromMessages(msgs)
}

func args(kv ...string) string {
	m := map[string]string{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = kv[i+1]
	}
	b, _ := json.Marshal(m)
	return string(b)
}

// shape lists the versions of all files, one line per file.
func shape(t *testing.T, h *History) string {
	t.Helper()
	var b strings.Builder
	for _, f := range h.Files {
		b.WriteString(f.Path + ":")
		for i := range f.Versions {
			v := &f.Versions[i]
			fmt.Fprintf(&b, " %s %s", v.Op, v.State)
			if text, absent, err := h.Content(t.Context(), f, i); absent {
				b.WriteString(" -")
			} else if err == nil {
				fmt.Fprintf(&b, " %q", text)
			}
			b.WriteString(";")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestChains(t *testing.T) {
	for _, test := range []struct {
		name  string
		calls [][3]string
		want  string
	}{
		{"write and edit", [][3]string{
			{"Write", args("file_path", "/w/a", "content", "x\ny\n"), "File created successfully"},
			{"Edit", args("file_path", "/w/a", "old_string", "y", "new_string", "z"), "ok"},
		}, `/w/a: start exact -; write exact "x\ny\n"; edit exact "x\nz\n";`},
		{"an edit of a file that was read", [][3]string{
			{"read", args("path", "/w/a"), "1: x\n2: y\n\n(End of file - total 2 lines)"},
			{"Edit", args("file_path", "/w/a", "old_string", "y", "new_string", "z"), "ok"},
		}, `/w/a: start exact "x\ny\n"; edit exact "x\nz\n";`},
		{"an edit of an unknown file", [][3]string{
			{"Edit", args("file_path", "/w/a", "old_string", "y", "new_string", "z\nq"), "ok"},
		}, `/w/a: start exact; edit hunks;`},
		{"something else changed it", [][3]string{
			{"Write", args("file_path", "/w/a", "content", "x\n"), "File created successfully"},
			{"read", args("path", "/w/a"), "1: y\n\n(End of file - total 1 lines)"},
			{"Edit", args("file_path", "/w/a", "old_string", "y", "new_string", "z"), "ok"},
		}, `/w/a: start exact -; write exact "x\n"; outside broken "y\n"; edit exact "z\n";`},
		{"an edit whose old text is not there", [][3]string{
			{"Write", args("file_path", "/w/a", "content", "x\n"), "File created successfully"},
			{"Edit", args("file_path", "/w/a", "old_string", "nowhere", "new_string", "z"), "ok"},
		}, `/w/a: start exact -; write exact "x\n"; edit broken;`},
		{"a failed edit changes nothing", [][3]string{
			{"Write", args("file_path", "/w/a", "content", "x\n"), "File created successfully"},
			{"Write", args("file_path", "/w/b", "content", "x\n"), "Error: denied"},
		}, `/w/a: start exact -; write exact "x\n";`},
		{"one file by several paths", [][3]string{
			{"Write", args("file_path", "/w/a", "content", "x\n"), "File created successfully"},
			{"Edit", args("file_path", "/w/d/../a", "old_string", "x", "new_string", "z"), "ok"},
		}, `/w/a: start exact -; write exact "x\n"; edit exact "z\n";`},
		{"a patch adds, updates, moves and deletes", [][3]string{
			{"apply_patch", args("input", "*** Begin Patch\n*** Add File: /w/a\n+x\n+y\n*** End Patch"), "Done"},
			{"apply_patch", args("input", "*** Begin Patch\n*** Update File: /w/a\n*** Move to: /w/b\n@@\n x\n-y\n+z\n*** End Patch"), "Done"},
			{"apply_patch", args("input", "*** Begin Patch\n*** Delete File: /w/b\n*** End Patch"), "Done"},
		}, `/w/b: start exact -; patch exact "x\ny\n"; patch exact "x\nz\n"; rename exact "x\nz\n"; delete exact -;`},
		{"commands of a shell", [][3]string{
			{"Bash", args("command", "cat > /w/a <<'EOF'\none\nEOF"), ""},
			{"Bash", args("command", "cat >> /w/a <<'EOF'\ntwo\nEOF"), ""},
			{"Bash", args("command", "mv /w/a /w/b.txt && cp /w/b.txt /w/c.txt"), ""},
			{"Bash", args("command", "rm /w/b.txt"), ""},
		}, `/w/b.txt: start exact; write exact "one\n"; edit exact "one\ntwo\n"; rename exact "one\ntwo\n"; delete exact -;` + "\n" +
			`/w/c.txt: start exact; copy exact "one\ntwo\n";`},
		{"a command that may have changed it, and did not", [][3]string{
			{"Write", args("file_path", "/w/a.go", "content", "x\n"), "File created successfully"},
			{"Bash", args("command", "gofmt -w /w/a.go"), ""},
			{"Bash", args("command", "cat /w/a.go"), "x\n"},
		}, `/w/a.go: start exact -; write exact "x\n";`},
		{"a command that did", [][3]string{
			{"Write", args("file_path", "/w/a.go", "content", "x\n"), "File created successfully"},
			{"Bash", args("command", "git checkout /w"), ""},
			{"Bash", args("command", "cat /w/a.go"), "y\n"},
		}, `/w/a.go: start exact -; write exact "x\n"; touch uncertain "y\n";`},
		{"a failed command may have changed a part", [][3]string{
			{"Write", args("file_path", "/w/a.go", "content", "x\n"), "File created successfully"},
			{"Bash", args("command", "gofmt -w /w/a.go"), "Error: b.go"},
			{"Bash", args("command", "cat /w/a.go"), "y\n"},
		}, `/w/a.go: start exact -; write exact "x\n"; touch uncertain "y\n";`},
		{"a failed command that reads changes nothing", [][3]string{
			{"Write", args("file_path", "/w/a.go", "content", "x\n"), "File created successfully"},
			{"Bash", args("command", "cat /w/a.go"), "Error: denied"},
			{"Bash", args("command", "cat /w/a.go"), "y\n"},
		}, `/w/a.go: start exact -; write exact "x\n"; outside broken "y\n";`},
		{"SEARCH and REPLACE", [][3]string{
			{"write_to_file", args("path", "/w/a", "content", "x\ny\n"), "<final_file_content path=\"/w/a\">\nx\ny\n\n</final_file_content>"},
			{"replace_in_file", args("path", "/w/a", "diff", "------- SEARCH\ny\n=======\nz\n+++++++ REPLACE\n"), "ok"},
		}, `/w/a: start exact; write exact "x\ny\n"; patch exact "x\nz\n";`},
		{"an insertion", [][3]string{
			{"str_replace_editor", args("command", "create", "path", "/w/a", "file_text", "x\ny\n"), "File created successfully"},
			{"str_replace_editor", `{"command":"insert","path":"/w/a","insert_line":1,"new_str":"n"}`, "ok"},
		}, `/w/a: start exact -; write exact "x\ny\n"; edit exact "x\nn\ny\n";`},
		{"a file that is a JSON string", [][3]string{
			{"Write", args("file_path", "/w/a", "content", `"x"`), "File created successfully"},
		}, `/w/a: start exact -; write exact "\"x\"";`},
	} {
		h, err := Of(t.Context(), session(test.calls...), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(shape(t, h)); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

// TestRecordedContents reads the file contents that Claude Code records next to results.
func TestRecordedContents(t *testing.T) {
	line := func(kind, rest string) string {
		return `{"type":"` + kind + `","uuid":"` + rest[:2] + `","sessionId":"s","cwd":"/w","timestamp":"2026-11-23T10:00:00Z","message":` + rest[2:] + "}\n"
	}
	call := func(id, name, input string) string {
		return `{"role":"assistant","id":"m` + id + `","content":[{"type":"tool_use","id":"` + id + `","name":"` + name + `","input":` + input + `}]}`
	}
	answer := func(id, told string) string {
		return `{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `","content":"done"}]},"toolUseResult":` + told
	}
	data := line("user", `u1{"role":"user","content":"q"}`) +
		line("assistant", "a1"+call("1", "Edit", `{"file_path":"/w/a","old_string":"y","new_string":"z"}`)) +
		line("user", "r1"+answer("1", `{"filePath":"/w/a","oldString":"y","newString":"z","originalFile":"x\ny\n","structuredPatch":[{"oldStart":1,"oldLines":2,"newStart":1,"newLines":2,"lines":[" x","-y","+z"]}]}`)) +
		line("assistant", "a2"+call("2", "Read", `{"file_path":"/w/a"}`)) +
		line("user", "r2"+answer("2", `{"type":"text","file":{"filePath":"/w/a","content":"x\nz\n","numLines":3,"startLine":1,"totalLines":3}}`)) +
		line("assistant", "a3"+call("3", "Write", `{"file_path":"/w/a","content":"new\n"}`)) +
		line("user", "r3"+answer("3", `{"type":"update","filePath":"/w/a","content":"new\n","originalFile":"x\nq\n","structuredPatch":[]}`))
	h := opened(t, data)
	want := `a: start exact "x\ny\n"; edit exact "x\nz\n"; outside broken "x\nq\n"; write exact "new\n";`
	if got := strings.TrimSpace(shape(t, h)); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	a, err := h.Answer(t.Context(), query.Everything(h.Snap))
	if err != nil {
		t.Fatal(err)
	}
	c := &a.Files[0]
	if c.Added != 2 || c.Removed != 3 || c.State != Broken || c.Words() != "changed outside between #1 and #5" {
		t.Errorf("%+v: %s", c, c.Words())
	}
	for pos, want := range map[int]string{0: "x\ny\n", 1: "x\nz\n", 4: "x\nz\n", 5: "new\n", 99: "new\n"} {
		if got, _, err := h.Content(t.Context(), c.File, c.File.At(pos)); got != want || err != nil {
			t.Errorf("at %d: %q, %v, want %q", pos, got, err, want)
		}
	}
}

func opened(t *testing.T, data string) *History {
	t.Helper()
	c, err := load.Open(t.Context(), "-", load.Options{Stdin: strings.NewReader(data)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	snap, err := c.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h, err := Of(t.Context(), snap, nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestSelections sums parts of a session.
func TestSelections(t *testing.T) {
	s := session(
		[3]string{"Write", args("file_path", "/w/a", "content", "1\n2\n3\n"), "File created successfully"},
		[3]string{"Edit", args("file_path", "/w/a", "old_string", "2", "new_string", "two\ntoo"), "ok"},
		[3]string{"Edit", args("file_path", "/w/a", "old_string", "two\ntoo", "new_string", "2"), "ok"},
	)
	h, err := Of(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		slice string
		want  string
	}{{":", "created +3 −0"}, {"3:5", "modified +2 −1"}, {"3:", "unchanged +0 −0"}, {"5:", "modified +1 −2"}, {"6:6", ""}} {
		spec, err := query.ParseSlice(test.slice)
		if err != nil {
			t.Fatal(err)
		}
		a, err := h.Answer(t.Context(), query.Everything(s).Slice(spec))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, c := range a.Files {
			got = string(c.Status) + " " + PlusMinus(c.Added, c.Removed)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.slice, got, test.want)
		}
	}
}

// TestPatchesApply writes the files as before a session, applies its patch with git, and compares
// the result with the files after the session.
func TestPatchesApply(t *testing.T) {
	modeltest.Program(t, "git")
	s := session(
		[3]string{"Write", args("file_path", "a b/ü.txt", "content", "1\n2"), "File created successfully"},
		[3]string{"read", args("path", "old.txt"), "1: one\n2: two\n\n(End of file - total 2 lines)"},
		[3]string{"Edit", args("file_path", "old.txt", "old_string", "two", "new_string", "2"), "ok"},
		[3]string{"Bash", args("command", "mv old.txt new.txt"), ""},
	)
	h, err := Of(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	applies(t, h)
}

// applies checks the patch of every file with a single known segment.
func applies(t *testing.T, h *History) (files int) {
	t.Helper()
	a, err := h.Answer(t.Context(), query.Everything(h.Snap))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var all strings.Builder
	want := map[string]End{}
	for i := range a.Files {
		c := &a.Files[i]
		if len(c.Segments) != 1 || !c.Segments[0].Known || strings.HasPrefix(c.Path, "..") {
			continue
		}
		before, after, err := h.Ends(t.Context(), c.File, c.Segments[0])
		if err != nil {
			t.Fatal(err)
		}
		if !before.Absent {
			file := filepath.Join(dir, patchPath(before.Path))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(before.Text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		text, left, err := a.Patch(t.Context(), c)
		if err != nil || left > 0 {
			t.Fatalf("%s: %d left, %v", c.Path, left, err)
		}
		all.WriteString(text)
		if before != after {
			want[patchPath(after.Path)] = after
		}
	}
	if all.Len() == 0 {
		return 0
	}
	cmd := exec.Command("git", "apply", "--whitespace=nowarn", "-")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(all.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("git apply: %v\n%s", err, out)
		return 0
	}
	for path, end := range want {
		got, err := os.ReadFile(filepath.Join(dir, path))
		if end.Absent != os.IsNotExist(err) || string(got) != end.Text {
			t.Errorf("%s is %q after the patch, want %q", path, got, end.Text)
		}
		files++
	}
	return files
}

// TestManyEdits makes thousands of edits to one file, with results that do not record its content,
// and writes one file over the size limit.
func TestManyEdits(t *testing.T) {
	const edits = 10000
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	calls := [][3]string{{"Write", args("file_path", "/w/a", "content", text.String()), "File created successfully"}}
	for i := range edits {
		old := fmt.Sprintf("line %d\n", i%200)
		if i >= 200 {
			old = fmt.Sprintf("edit %d\n", i-200)
		}
		calls = append(calls, [3]string{"Edit", args("file_path", "/w/a", "old_string", old, "new_string", fmt.Sprintf("edit %d\n", i)), "ok"})
	}
	calls = append(calls, [3]string{"Write", args("file_path", "/w/large", "content", strings.Repeat("x", 16<<20+1)), "File created successfully"})
	s := session(calls...)
	h, err := Of(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := h.Files[0]
	if len(f.Versions) != edits+2 {
		t.Fatalf("%d versions, want %d", len(f.Versions), edits+2)
	}
	h.kept = contentCache{} // rebuild from the first version
	got, _, err := h.Content(t.Context(), f, edits+1)
	if err != nil || !strings.HasPrefix(got, fmt.Sprintf("edit %d\n", edits-200)) || strings.Count(got, "\n") != 200 {
		t.Errorf("after all edits: %.40q, %v", got, err)
	}
	if h.kept.size > cacheBytes {
		t.Errorf("%d bytes are kept, the limit is %d", h.kept.size, cacheBytes)
	}
	if large := h.Files[1]; large.Versions[1].Known {
		t.Error("a file over the limit is known")
	}
	if _, err := h.Answer(t.Context(), query.Everything(s)); err != nil {
		t.Error(err)
	}
}

// TestWordsOfBreaks: a change outside is between two messages, or after the start. The text names
// the last change and the number of others.
func TestWordsOfBreaks(t *testing.T) {
	for want, breaks := range map[string][]Break{
		"changed outside between start and #0":      {{After: -1, Before: 0}},
		"changed outside between #0 and #3":         {{After: 0, Before: 3}},
		"changed outside between #3 and #5, 1 more": {{After: 0, Before: 3}, {After: 3, Before: 5}},
		"changed outside between start and start":   {{After: -1, Before: -1}},
		"changed outside between #7 and #8, 2 more": {{}, {}, {After: 7, Before: 8}},
	} {
		c := Change{Breaks: breaks}
		if got := c.Words(); got != want {
			t.Errorf("%+v: %q, want %q", breaks, got, want)
		}
	}
}
