package ui

import (
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"turns/export/outfile"
	"turns/model"
	"turns/query/lang"
	"turns/query/redact"
	"turns/ui/screen"
	"turns/ui/take"
)

func takeBench(t *testing.T, snap *model.Snapshot, set func(o *screen.Options)) *bench {
	t.Helper()
	o := paneOptions()
	o.Dir = t.TempDir()
	if set != nil {
		set(&o)
	}
	return newBench(t, snap, o, 100, 30)
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestExportAtOnce(t *testing.T) {
	b := takeBench(t, priced(), nil)
	b.press("X X")
	b.press("f")
	typeIn(b, "is:error")
	b.press("enter X")
	b.press("g v j j X")
	got := strings.Join(files(t, b.a.h.Opts.Dir), " ")
	if want := "8463c716-all-1.md 8463c716-all-2.md 8463c716-errors-1.md 8463c716-selection-1.md"; got != want {
		t.Errorf("X wrote %s, want %s", got, want)
	}
	if !strings.HasPrefix(b.a.status, "wrote ./8463c716-selection-1.md: ") {
		t.Errorf("the status line says %q", b.a.status)
	}
}

func TestExportDialog(t *testing.T) {
	b := takeBench(t, priced(), nil)
	b.press("x")
	checkFrame(t, b, "export dialog")
	frame := strings.ReplaceAll(ansi.Strip(b.frame()), b.a.h.Opts.Dir, "DIR")
	golden(t, "panes/export.golden", frame+"\n")
	b.press("tab right right enter") // another format
	if got := files(t, b.a.h.Opts.Dir); len(got) != 1 || strings.HasSuffix(got[0], ".md") || len(b.a.dialogs) != 0 {
		t.Errorf("wrote %v, %d dialogs left", got, len(b.a.dialogs))
	}
}

func TestExportDialogAsksBeforeOverwriting(t *testing.T) {
	b := takeBench(t, priced(), nil)
	path := filepath.Join(b.a.h.Opts.Dir, "mine.md")
	if err := os.WriteFile(path, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.press("x shift+tab ctrl+u")
	typeIn(b, "mine.md")
	b.press("enter")
	if got, _ := os.ReadFile(path); string(got) != "precious" || len(b.a.dialogs) != 1 {
		t.Fatalf("the first enter wrote %q", got)
	}
	b.press("enter")
	if got, _ := os.ReadFile(path); string(got) == "precious" || len(b.a.dialogs) != 0 {
		t.Errorf("the second enter did not overwrite")
	}
}

func TestWriteFileWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	broken := errors.New("broken")
	_, err := outfile.Write(path, 0o600, false, func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return broken })
	if !errors.Is(err, broken) || len(files(t, dir)) != 0 {
		t.Fatalf("error %v, files %v", err, files(t, dir))
	}
	put := func(text string, overwrite bool) error {
		_, err := outfile.Write(path, 0o600, overwrite, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
		return err
	}
	if err := put("one", false); err != nil {
		t.Fatal(err)
	}
	if err := put("two", false); !errors.Is(err, os.ErrExist) {
		t.Errorf("writing over a file: %v", err)
	}
	if err := put("three", true); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "three" || len(files(t, dir)) != 1 {
		t.Errorf("holds %q among %v", got, files(t, dir))
	}
}

func TestExportNames(t *testing.T) {
	for _, c := range []struct{ filter, want string }{
		{"is:error tool:Bash", "errors"}, {"tool:read_*", "read_"}, {`"secret key"`, "secret-key"}, {"-tool:Bash", "without-Bash"}, {"../../etc", "etc"},
		{"/x+/", "x"}, {"turn:3..9", "turn-3..9"}, {`text:"` + strings.Repeat("a", 60) + `"`, strings.Repeat("a", 24)},
	} {
		f, err := lang.Parse(c.filter)
		if err != nil {
			t.Fatal(err)
		}
		if got := take.FilterSlug(f); got != c.want {
			t.Errorf("%s is named %q, want %q", c.filter, got, c.want)
		}
	}
}

// copyOf copies a part of a row, as key what after y does.
func copyOf(t *testing.T, b *bench, id model.ID, callRow model.CallID, what string) screen.Copied {
	t.Helper()
	tk := take.Taking{Snap: b.a.h.Snap, ID: id, Call: callRow, Block: -1, Path: "/tmp/x.jsonl"}
	text, err := tk.Text(t.Context(), what)
	if err != nil {
		return screen.Copied{Text: "error: " + err.Error()}
	}
	return screen.Copied{Text: text}
}

func TestCopy(t *testing.T) {
	b := takeBench(t, priced(), nil)
	s := b.a.h.Snap
	shell := model.CallID(1) // mix test
	at := s.Call(shell).Msg
	for _, c := range []struct{ what, want string }{
		{"c", "mix test test/spotter/services/transcript_renderer_test.exs 2>&1"}, {"r", testRun}, {"i", "c2"}, {"p", "/tmp/x.jsonl"},
	} {
		if got := copyOf(t, b, at, shell, c.what); got.Text != c.want {
			t.Errorf("y%s copies %q, want %q", c.what, got.Text, c.want)
		}
	}
	if got := copyOf(t, b, s.Call(0).Msg, 0, "p"); got.Text != "internal/watch/watch_test.go" {
		t.Errorf("yp copies %q", got.Text)
	}
	if got := copyOf(t, b, s.At(2), screen.NoCall, "c"); !strings.HasPrefix(got.Text, "error") {
		t.Errorf("yc of a prompt copies %q", got.Text)
	}
}

func TestCopyRedacts(t *testing.T) {
	secret := "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xYz"
	snap := model.FromMessages([]model.Message{say(model.User, 1, words("token "+secret+" here"))})
	b := takeBench(t, snap, nil)
	b.press("y y")
	if !strings.Contains(b.a.status, "1 secret redacted") {
		t.Errorf("yy says %q", b.a.status)
	}
	b.press("y Y")
	if strings.Contains(b.a.status, "redacted") {
		t.Errorf("yY says %q", b.a.status)
	}
	b.press("X")
	got, err := os.ReadFile(filepath.Join(b.a.h.Opts.Dir, files(t, b.a.h.Opts.Dir)[0]))
	if err != nil || strings.Contains(string(got), secret) || !strings.Contains(b.a.status, "1 secret redacted") {
		t.Errorf("X says %q, error %v", b.a.status, err)
	}
	b.send(screen.Export{Name: "calls", Ext: ".md", What: "1 row", Text: "| token " + secret + " |\n"})
	for _, name := range files(t, b.a.h.Opts.Dir) {
		got, err := os.ReadFile(filepath.Join(b.a.h.Opts.Dir, name))
		if err != nil || strings.Contains(string(got), secret) || !strings.Contains(b.a.status, "1 row") {
			t.Errorf("the table of a pane: %q says %q, error %v", name, b.a.status, err)
		}
	}
}

func TestCopyTooLong(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	b := takeBench(t, model.FromMessages([]model.Message{say(model.User, 1, words(strings.Repeat("long ", 40_000)))}), nil)
	b.press("y y")
	dir := os.Getenv("TMPDIR")
	names := files(t, dir)
	if len(names) != 1 || !strings.Contains(b.a.status, names[0]) {
		t.Fatalf("says %q, files %v", b.a.status, names)
	}
	if fi, err := os.Stat(filepath.Join(dir, names[0])); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", fi.Mode(), err)
	}
	if n := base64.StdEncoding.EncodedLen(take.ClipboardLimit); n > 100_000 {
		t.Errorf("the limit is %d characters of base64", n)
	}
}

// Text pasted into a terminal is the visible text, or it is not copied.
func TestCopyRefusesWhatIsNotSeen(t *testing.T) {
	hidden := "{\"command\":\"touch PWNED #\\rls\",\"file_path\":\"/x\\u001b[2K/y\"}"
	snap := model.FromMessages([]model.Message{say(model.Assistant, 1, call("i\rd", "Bash", hidden))})
	b := takeBench(t, snap, nil)
	for _, key := range []string{"y c", "y i"} {
		b.press(key)
		if !strings.Contains(b.a.status, "invisible after pasting") {
			t.Errorf("%s says %q", key, b.a.status)
		}
	}
	for path, want := range map[string]string{"/x/a\rb": "", "/x/$(id)": "'/x/$(id)'", "/x/y": "/x/y"} {
		b.a.h.State.Path = path
		link, err := b.a.desk.Link(snap.At(0))
		if (want == "") != (err != nil) || want != "" && link != "turns "+want+" --at 0" {
			t.Errorf("the link to %q is %q, error %v", path, link, err)
		}
		if c, ok := screen.CopyWord(path, "the path").(screen.Copied); ok != (want != "") || c.Text != want {
			t.Errorf("the path %q is copied as %q", path, c.Text)
		}
	}
}

func TestState(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	withState := func(o *screen.Options) { o.StateDir = dir }
	b := takeBench(t, priced(), withState)
	b.press("f")
	typeIn(b, "role:user")
	b.press("enter & e l m a G k k")
	want := b.a.list.CurKey
	b.a.saveNow()
	entries := files(t, dir)
	if len(entries) != 2 {
		t.Fatalf("kept %v", entries)
	}
	for _, e := range entries {
		if fi, err := os.Stat(filepath.Join(dir, e)); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, error %v", e, fi.Mode(), err)
		}
	}
	again := takeBench(t, priced(), withState)
	if got := again.a.list.CurKey; got != want {
		t.Errorf("opened again at %v, left at %v", got, want)
	}
	gotMark, wantMark := again.a.h.Letters()['a'], b.a.h.Letters()['a']
	if gotMark == nil || wantMark == nil || screen.KeyOf(gotMark) != screen.KeyOf(wantMark) || len(again.a.list.Opened) != len(b.a.list.Opened) {
		t.Errorf("mark a is at %v, want %v; %d rows open, want %d", gotMark, wantMark, len(again.a.list.Opened), len(b.a.list.Opened))
	}
	if h := again.a.bar.History; len(h) != 1 || h[0] != "role:user" {
		t.Errorf("history %q", h)
	}
	longer := append(sampleMessages(), say(model.User, 4000, words("and more")))
	grown := takeBench(t, model.FromMessages(longer), withState)
	if got := grown.a.list.ReadMark; int(got) != priced().Rows() {
		t.Errorf("read up to %d, want %d", got, priced().Rows())
	}
}

func TestStateOff(t *testing.T) {
	b := takeBench(t, priced(), nil)
	b.press("m a")
	b.a.saveNow()
	if cmd := b.a.remembered.saveSoon(); cmd != nil {
		t.Error("without a folder something is saved")
	}
}

func TestStateDamaged(t *testing.T) {
	dir := t.TempDir()
	key := stateKey(priced(), "/tmp/8463c716.jsonl")
	for _, text := range []string{"", "{", `{"version":99}`, `{"version":1,"rows":-5,"cursor":{"row":-9},"folds":[{"row":1e9,"state":200}],"marks":{"":{"row":1}}}`} {
		if err := os.WriteFile(filepath.Join(dir, key+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b := takeBench(t, priced(), func(o *screen.Options) { o.StateDir = dir })
		checkFrame(t, b, "state "+text)
	}
	if d := saveDelay; d < time.Second {
		t.Errorf("saves every %v", d)
	}
}

// The editor gets a read-only copy, named after the row, without secrets; it is deleted afterwards.
func TestEditorShowsACopy(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	key := "sk-ant-api03-" + strings.Repeat("Ab3dE5gH", 12)
	snap := model.FromMessages([]model.Message{say(model.User, 0, words("go")), say(model.Assistant, 1, call("c", "Bash", `{"command":"echo `+key+`"}`)), say(model.Tool, 2, result("c", "done \x1b[31mred"))})
	o := testOptions()
	o.Env = []string{"EDITOR=false", "VISUAL=cp --preserve=mode -t " + dir}
	b := newBench(t, snap, o, 100, 30)
	b.press("c")
	msg := b.a.desk.Edit()()
	files, err := filepath.Glob(filepath.Join(dir, "turns-edit-*", "8463c716-1-Bash.txt"))
	if err != nil || len(files) != 1 {
		entries, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
		t.Fatalf("the files are %q", entries)
	}
	text, err := os.ReadFile(files[0])
	if err != nil || strings.Contains(string(text), key) || !strings.Contains(string(text), "done red") {
		t.Errorf("the editor is given %q, %v", text, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o400 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	if cmd := b.a.desk.Message(msg); cmd == nil {
		t.Error("no editor is started")
	}
}

// The export dialog counts names and has the switch, and copies follow the configuration.
func TestExportDialogReplacesNames(t *testing.T) {
	b := takeBench(t, model.FromMessages([]model.Message{say(model.User, 1, words("kmaron is in /home/kmaron/src, mail k.maron@kmail.de"))}), nil)
	b.a.h.Opts.Names = func() *redact.Names { return redact.NewNames(redact.Own{}) }
	b.press("x")
	if frame := ansi.Strip(b.frame()); !strings.Contains(frame, "1 home") || !strings.Contains(frame, "1 mail, not replaced") {
		t.Errorf("no counts of names:\n%s", frame)
	}
	b.press("a")
	if frame := ansi.Strip(b.frame()); !strings.Contains(frame, "1 mail, replaced") {
		t.Errorf("the switch is off:\n%s", frame)
	}
	b.press("enter")
	list := files(t, b.a.h.Opts.Dir)
	if len(list) != 1 {
		t.Fatalf("wrote %v", list)
	}
	text, err := os.ReadFile(filepath.Join(b.a.h.Opts.Dir, list[0]))
	if err != nil || strings.Contains(string(text), "kmaron") || strings.Contains(string(text), "kmail") || !strings.Contains(string(text), "/home/user1/src") {
		t.Errorf("%v: %s", err, text)
	}
}
