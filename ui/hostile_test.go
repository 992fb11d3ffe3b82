package ui

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query/human"
	"turns/query/session"
	"turns/themes"
	"turns/ui/paint"
	"turns/ui/transcripts"
)

// unfit describes content that must not reach a terminal; "" for none. It implements the rule
// independently of model.Clean.
func unfit(s string) string {
	if !utf8.ValidString(s) {
		return fmt.Sprintf("invalid UTF-8 in %.200q", s)
	}
	for i, r := range s {
		switch {
		case r < 0x20 && r != '\n', r >= 0x7f && r <= 0x9f, r == 0x00ad, r == 0x061c, r == 0x180e, r == 0x200b, r == 0x200e, r == 0x200f,
			r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff, r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe0fff:
			return fmt.Sprintf("%U in %q", r, s[max(0, i-60):min(len(s), i+20)])
		}
	}
	return ""
}

// uncoloured removes the colours of a frame, the only sequences allowed in it.
func uncoloured(frame string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(frame, 0x1b)
		n := 0
		if i >= 0 {
			n = human.ColourLen(frame[i:])
		}
		if n == 0 {
			return b.String() + frame
		}
		b.WriteString(frame[:i])
		frame = frame[i+n:]
	}
}

var sgr = regexp.MustCompile("\x1b\\[[0-9;:]*m")

// unfitFrame is unfit for a frame.
func unfitFrame(frame string) string { return unfit(uncoloured(frame)) }

// snapOf loads a transcript.
func snapOf(t testing.TB, data []byte, name, format string) *model.Snapshot {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	opts := load.Options{}
	c, err := load.Open(t.Context(), path, opts)
	if err != nil {
		return nil // the attack changed its format; the tests of the commands check the error
	}
	t.Cleanup(func() { c.Close() })
	snap, err := c.Load(t.Context())
	if err != nil {
		return nil
	}
	return snap
}

// everyAttack is a transcript with each attack.
func everyAttack(raw bool) []byte {
	var all []byte
	for _, a := range modeltest.Attacks() {
		all = append(all, modeltest.Attacked(modeltest.Carrier(), a.Text, raw)...)
	}
	return all
}

// allTexts returns the short attacks, concatenated.
func allTexts() string { return strings.Join(shortTexts(), "") }

func shortTexts() (all []string) {
	for _, a := range modeltest.Attacks() {
		if len(a.Text) < 400 && !strings.HasPrefix(a.Name, "esc ") {
			all = append(all, a.Text+" ")
		}
	}
	return all
}

// tours are keys that show a session in every way: the timeline and its details, the panes, the
// dialogs.
var tours = [][]string{
	{"g", "z R", "space space", "G", "r", "r", "r", "z M", "i", "i", "g enter", "J J", "j j r", "r", "esc"},
	{"t Z", "j enter", "enter", "esc esc esc", "s Z", "j j", "esc", "@ Z", "j", "esc", "w Z", "esc"},
	{"x", "l", "l", "s", "esc", "y", "esc", "e", "+", "&", "g v j j", "esc", "B", "esc", "T", "?", "esc", "S", "esc"},
}

// hostileTour checks every frame of a tour.
func hostileTour(t *testing.T, b *bench, tour []string) {
	t.Helper()
	for _, keys := range tour {
		b.press(keys)
		if why := unfitFrame(checkFrame(t, b, keys)); why != "" {
			t.Fatalf("after %q: %s", keys, why)
		}
		if title := b.a.View().WindowTitle; unfit(title) != "" || strings.Contains(title, "\n") {
			t.Fatalf("after %q: the title is %q", keys, title)
		}
	}
}

// hostileWhole checks a fully opened session on a screen as high as the session.
func hostileWhole(t *testing.T, b *bench, w int) {
	t.Helper()
	b.press("g z R")
	for h := 300; ; h *= 4 {
		b.send(tea.WindowSizeMsg{Width: w, Height: h})
		frame := checkFrame(t, b, "all of it")
		if why := unfitFrame(frame); why != "" {
			t.Fatal(why)
		}
		if lines := strings.Split(ansi.Strip(frame), "\n"); strings.Trim(lines[h-5], " │") == "" {
			return
		}
	}
}

// TestHostileTextOnTheScreen checks every frame of a session with every attack in every place, each
// of the tours at another screen size.
func TestHostileTextOnTheScreen(t *testing.T) {
	for n, size := range [][2]int{{60, 24}, {120, 40}, {160, 60}} {
		if n > 0 && testing.Short() {
			break
		}
		for _, raw := range []bool{false, true} {
			if raw == (n%2 == 0) && !modeltest.Whole() {
				continue
			}
			snap := snapOf(t, everyAttack(raw), "run.jsonl", "")
			b := newBench(t, snap, paneOptions(), size[0], size[1])
			for i, tour := range tours {
				if i == n || modeltest.Whole() {
					hostileTour(t, b, tour)
				}
			}
			hostileWhole(t, b, size[0])
		}
	}
}

// TestHostileFormatsOnTheScreen does the same with every third sample of the formats: for each, a
// quarter of the attacks and one tour, different ones for neighbours. The tests of the commands use
// all of them.
func TestHostileFormatsOnTheScreen(t *testing.T) {
	modeltest.Long(t, "hostile texts are drawn in a conversation")
	paths, err := filepath.Glob("../testdata/formats/*/*")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	texts := shortTexts()
	for i, path := range paths {
		if strings.HasSuffix(path, ".golden") || strings.Contains(path, ".rows.") || !modeltest.Some(i, 3) {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			continue // a folder
		}
		t.Run(strings.TrimPrefix(path, "../testdata/formats/"), func(t *testing.T) {
			t.Parallel()
			var attack strings.Builder
			for n, text := range texts {
				if n%4 == i/3%4 || modeltest.Whole() {
					attack.WriteString(text)
				}
			}
			snap := snapOf(t, modeltest.Attacked(data, attack.String(), true), filepath.Base(path), "")
			if snap == nil {
				return
			}
			o := paneOptions()
			o.Counter = nil
			w := 100 + 30*(i/3%2)
			b := newBench(t, snap, o, w, 40)
			for n, tour := range tours {
				if n == i/3%len(tours) || modeltest.Whole() {
					hostileTour(t, b, tour)
				}
			}
			hostileWhole(t, b, w)
		})
	}
}

// TestHostileNamesOnTheScreen uses attacks as names of files, projects, titles, errors, and as
// typed or pasted text.
func TestHostileNamesOnTheScreen(t *testing.T) {
	modeltest.Long(t, "hostile texts are drawn in a conversation")
	for i, a := range modeltest.Attacks() {
		if strings.HasPrefix(a.Name, "esc ") || strings.HasPrefix(a.Name, "c0 ") || strings.HasPrefix(a.Name, "c1 ") && a.Name != "c1 raw" || !modeltest.Some(i, 1) {
			continue // single controls, which others contain as well
		}
		o := paneOptions()
		o.Home = a.Text
		fake(&o).list = func(_ context.Context, tell func(transcripts.Update)) error {
			tell(transcripts.Update{Sessions: []session.Session{{Summary: model.Summary{Path: "/home/" + a.Text + "/b/" + a.Text, Agent: a.Text, Project: a.Text, Title: a.Text, Ending: model.Ending{Running: a.Text, Runs: 1, Since: sampleStart.UnixMilli()}}, Live: true}}})
			return nil
		}
		fake(&o).watch = func(path string) (transcripts.Feed, error) {
			return nil, fmt.Errorf("cannot open %s: %s", path, a.Text)
		}
		b := newBench(t, sample(), o, 120, 30)
		check := func(when string) {
			t.Helper()
			v := b.a.View()
			if why := unfitFrame(v.Content); why != "" {
				t.Errorf("%s: %s: %s", a.Name, when, why)
			}
			if title := v.WindowTitle; unfit(title) != "" || strings.Contains(title, "\n") {
				t.Errorf("%s: %s: the title is %q", a.Name, when, title)
			}
		}
		b.send(updateMsg{b.a.feed, transcripts.State{Snap: sample(), Indexed: 1, Path: "/tmp/" + a.Text + ".jsonl", Newer: "/tmp/" + a.Text, Waiting: "/tmp/" + a.Text, Following: true}, nil})
		check("the path")
		b.press("x")
		check("the export's path")
		b.press("esc S")
		check("the list")
		b.press("enter")
		check("a session that cannot be opened")
		b.press("esc")
		for j, key := range []string{"f", "/", ":", "?", "x tab tab tab tab tab", "S f", "S /", "|"} {
			if !modeltest.Some(i+j, 2) {
				continue // each text in half of the fields, the next one in the others
			}
			b.press(key)
			b.send(tea.PasteMsg{Content: a.Text})
			if j == i%8 || modeltest.Whole() { // all fields are alike
				for _, r := range a.Text[:min(len(a.Text), 20)] {
					b.send(tea.KeyPressMsg{Code: r, Text: string(r)})
				}
			}
			check("pasted after " + key)
			b.press("enter")
			check("entered after " + key)
			b.press("esc esc esc")
			check("left after " + key)
		}
		b.send(updateMsg{b.a.feed, transcripts.State{Err: fmt.Errorf("reading %s: %s", a.Text, a.Text)}, nil})
		check("an error")
	}
}

// tape records all bytes sent to the terminal.
type tape struct {
	mu    sync.Mutex
	bytes []byte
}

func (r *tape) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes = append(r.bytes, p...)
	return len(p), nil
}

var digits = regexp.MustCompile(`[0-9]+`)

// sent splits terminal output into control sequences, with every number as 0, and text. Titles and
// clipboard texts are returned separately.
func sent(bytes []byte) (sequences map[string]bool, text string, titles, clips []string) {
	sequences = map[string]bool{}
	var plain strings.Builder
	var state byte
	p := ansi.NewParser()
	for len(bytes) > 0 {
		seq, w, n, next := ansi.DecodeSequence(bytes, state, p)
		if strings.HasPrefix(string(seq), "\x1b]") {
			// up to the bell: the decoder also ends it at a byte 0x9c, a part of ␜ and Ü
			n = strings.IndexByte(string(bytes), '\a') + 1
			seq, next = bytes[:n], 0
		}
		state = next
		bytes = bytes[n:]
		s := string(seq)
		switch {
		case w > 0 || !strings.HasPrefix(s, "\x1b") && len(s) > 1:
			plain.WriteString(s)
		case strings.HasPrefix(s, "\x1b]2;"):
			titles = append(titles, strings.TrimRight(s[4:], "\a\x1b\\"))
		case strings.HasPrefix(s, "\x1b]52;c;"):
			clips = append(clips, strings.TrimRight(s[7:], "\a\x1b\\"))
		default:
			sequences[digits.ReplaceAllString(strings.ReplaceAll(s, ";0", ""), "0")] = true
		}
	}
	return sequences, plain.String(), titles, clips
}

// motions are sequences that a renderer selects by the content: colours, the cursor, erasing and
// scrolling within the screen.
var motions = regexp.MustCompile("^(\x1b\\[[0-9;:]*[ABCDEFGHIJKLMPSTXZ@`abdefmr]|\x1bM|\x1b[78]|[\r\n\b\t ])$")

// record returns the output of the program for a session and keys, from start to end.
func record(t *testing.T, snap *model.Snapshot, path string, keys []string) []byte {
	t.Helper()
	out := &tape{}
	d := driveTo(t, transcripts.StaticFeed(path, snap), paneOptions(), 100, 30, out)
	d.WaitFor("messages")
	for _, k := range keys {
		d.Press(k)
	}
	// copying runs in the background, and quitting does not wait for it
	d.until("copies less than four texts", func(string) bool {
		out.mu.Lock()
		defer out.mu.Unlock()
		return bytes.Count(out.bytes, []byte("\x1b]52;")) >= 4
	})
	d.Press("Q")
	if err := <-d.done; err != nil {
		t.Fatal(err)
	}
	d.done <- nil
	out.mu.Lock()
	defer out.mu.Unlock()
	return out.bytes
}

// TestHostileBytesToTheTerminal checks the program's output: a hostile session must not cause any
// kind of sequence that a harmless one does not.
func TestHostileBytesToTheTerminal(t *testing.T) {
	modeltest.Long(t, "it goes through every frame of every attack")
	keys := []string{"z R space space", "G", "g", "e", "y y", "y Y", "y c", "y r", "y m", "y j", "y i", "y p", "y l", "t", "esc", "s", "esc", "x", "esc"}
	harmless, _, titles, clips := sent(record(t, sample(), "/tmp/run.jsonl", keys))
	if len(titles) == 0 || len(clips) == 0 {
		t.Fatalf("%d titles and %d texts for the clipboard of a harmless conversation", len(titles), len(clips))
	}
	for _, raw := range []bool{false, true} {
		attack := allTexts()
		snap := snapOf(t, modeltest.Attacked(modeltest.Carrier(), attack, raw), "run.jsonl", "")
		name := strings.ReplaceAll(attack, "/", "_")
		sequences, text, titles, clips := sent(record(t, snap, "/tmp/"+name, keys))
		for s := range sequences {
			if !harmless[s] && !motions.MatchString(s) {
				t.Errorf("the program sends %q", s)
			}
		}
		if why := unfit(text); why != "" {
			t.Errorf("text: %s", why)
		}
		for _, title := range titles {
			if why := unfit(title); why != "" || strings.ContainsAny(title, "\n\x1b") {
				t.Errorf("title %q: %s", title, why)
			}
		}
		// the command, the id, the path and the link are rejected: pasted, they would differ from
		// what is visible
		if len(clips) < 4 {
			t.Errorf("%d texts for the clipboard", len(clips))
		}
		asIs := 0
		for _, clip := range clips {
			text, err := base64.StdEncoding.DecodeString(clip)
			if err != nil {
				t.Errorf("clipboard %.80q: %v", clip, err)
			}
			if strings.ContainsAny(unfit(strings.ReplaceAll(string(text), "\t", "")), "U") {
				asIs++
			}
		}
		if asIs != 1 {
			t.Errorf("%d texts for the clipboard hold control characters, of which Y alone asks for them", asIs)
		}
	}
}

// TestRenderedMarkdownHoldsColoursOnly renders text that could become terminal sequences: character
// references and links of every scheme.
func TestRenderedMarkdownHoldsColoursOnly(t *testing.T) {
	md := newBench(t, sample(), testOptions(), 80, 24).a.h.Markdown
	for _, text := range []string{
		"a &#27;[8mhidden", "a &#x1b;]0;owned&#7;", "&amp;#27;[8mhidden", "&amp;amp;#27;[8mhidden", "&#155;2J", "&#8238;gnp.exe", "`&#27;[8m`", "# &#27;[8m",
		"| a | b |\n|---|---|\n| &#27;[8m | &amp;#27;[8m |", "    &#27;[8m", "```\n&#27;[8m\n```", "<b>&#27;[8m</b>", "[x](&#27;]0;owned&#7;)", "![&#27;[8m](x)",
		"[http://good.example](http://evil.example)", "<ssh://evil>", "[a](javascript:alert(1))", "[a](\\\x1b]0;x\x07)", "&#2**7**;[8m", "&#2<b></b>7;[8m", "&#2\\7;[8m",
		"<http://example.com/&#27;]0;x&#7;>", "[a]: http://x \"&#27;[8m\"\n\n[a]", "- [ ] &#27;[8m", "a[^1]\n\n[^1]: &#27;[8m", "a&#9", "&Tab;&NewLine;&shy;&lrm;&zwj;&ZeroWidthSpace;",
	} {
		checkMarkdown(t, md, text)
	}
}

// colours are palette or true colours in a sequence.
var colours = regexp.MustCompile(`[34]8[;:](5[;:]\d+|2([;:]\d+){3})`)

func checkMarkdown(t *testing.T, md *paint.Markdown, text string) {
	t.Helper()
	for _, part := range paint.MarkdownParts(paint.Cleaned(text)) {
		if part.Kind != paint.PartMarkdown {
			continue
		}
		out := strings.Join(md.Render(part.Text, 60), "\n")
		if why := unfitFrame(out); why != "" {
			t.Fatalf("%q: %s", text, why)
		}
		for _, seq := range sgr.FindAllString(out, -1) {
			for p := range strings.SplitSeq(strings.Trim(colours.ReplaceAllString(seq, ""), "\x1b[m"), ";") {
				if p == "5" || p == "6" || p == "8" {
					t.Fatalf("%q: %q hides text or blinks", text, seq)
				}
			}
		}
		for line := range strings.SplitSeq(out, "\n") {
			if paint.Width(line) > 60 {
				t.Fatalf("%q: a line of %d cells", text, paint.Width(line))
			}
		}
	}
}

// FuzzMarkdown renders any possible model output.
func FuzzMarkdown(f *testing.F) {
	for _, a := range modeltest.Attacks() {
		if !strings.HasPrefix(a.Name, "esc ") {
			f.Add(a.Text)
		}
	}
	for _, s := range []string{"# a\n\n- b\n  1. c\n\n> d\n\n| e | f |\n|---|---|\n| g | h |\n\n```go\nfunc i() {}\n```\n\n~~~\nj\n~~~\n\n[k](l) ![m](n) **o** *p* `q` ~~r~~\n\n---\n", "&#27;[2J", "&#9", "a\n===\nb\n---", "<div>\n\nx"} {
		f.Add(s)
	}
	md := paint.NewMarkdown(paint.NewStyles(themeOf(f), false, 1))
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			return
		}
		md.Slow = 0
		checkMarkdown(t, md, text)
	})
}

func themeOf(t testing.TB) themes.Theme {
	t.Helper()
	theme, err := themes.Find("dark")
	if err != nil {
		t.Fatal(err)
	}
	return theme
}

// explosions make small texts that are expensive to render naively: a share of the full length of
// the long texts, and another share of those with many short lines.
func explosions(share, tall int) map[string]func() string {
	rep := strings.Repeat
	lines := func(n int, line func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i) + "\n")
		}
		return b.String()
	}
	return map[string]func() string{
		"nested quotes":   func() string { return lines(50, func(int) string { return rep("> ", 200) + "q" }) },
		"growing quotes":  func() string { return lines(200, func(i int) string { return rep(">", i) + " q" }) },
		"one deep quote":  func() string { return rep(">", 200) + " q" },
		"nested lists":    func() string { return lines(200, func(i int) string { return rep("  ", i) + "- l" }) },
		"lists in a line": func() string { return rep("- ", 200) + "x" },
		"mixed nesting":   func() string { return lines(60, func(i int) string { return rep("> - ", i) + "x" }) },
		"links":           func() string { return rep("[a](http://b) ", 100_000/share) },
		"links in lines":  func() string { return rep("[a](http://b)\n", 10_000/tall) },
		"brackets":        func() string { return rep("[", 50_000/share) },
		"open links":      func() string { return rep("[a](", 20_000/share) },
		"references": func() string {
			return lines(5000/tall, func(i int) string { return fmt.Sprintf("[%d]: http://x\n[%d]", i, i) })
		},
		"table": func() string {
			return rep("a|", 50) + "\n" + rep("-|", 50) + "\n" + rep(rep("c|", 50)+"\n", 10_000/tall)
		},
		"emphasis":                 func() string { return rep("*a **b ", 10_000/share) },
		"emphasis lines":           func() string { return rep("*a **b _c __d\n", 10_000/tall) },
		"ticks":                    func() string { return lines(300, func(i int) string { return rep("`", i) + " a" }) },
		"tags":                     func() string { return rep("<", 50_000/share) },
		"comments":                 func() string { return rep("<!--\n", 10_000/tall) },
		"references to characters": func() string { return rep("&", 50_000/share) },
		"fences":                   func() string { return rep("```x\n", 5_000/tall) },
		"headings":                 func() string { return rep("# a\n===\n", 10_000/tall) },
		"data url":                 func() string { return "![a](data:image/png;base64," + rep("A", 5_000_000/share) + ")" },
		"combining":                func() string { return "e" + rep("\u0301", 500_000/share) },
		"joiners":                  func() string { return rep("a\u200d", 300_000/share) },
		"zero width":               func() string { return rep("\u200b", 300_000/share) },
		"returns":                  func() string { return rep("x\r", 500_000/share) },
		"tabs":                     func() string { return rep("\t", 300_000/share) },
		"newlines":                 func() string { return rep("\n", 500_000/share) },
		"one line":                 func() string { return rep("x", 5_000_000/share) },
	}
}

// TestExplodingTextOnTheScreen opens expensive texts: every frame and every line is complete.
func TestExplodingTextOnTheScreen(t *testing.T) {
	// the first parts show how a text is rendered, for short lines some screens;
	// TestExplodingTextRenders tests the long ones
	share, tall := 25, 50
	if modeltest.Whole() {
		share, tall = 1, 1
	}
	texts := explosions(share, tall)
	for i, name := range slices.Sorted(maps.Keys(texts)) {
		if !modeltest.Some(i, 1) {
			continue
		}
		text := texts[name]()
		t.Run(name, func(t *testing.T) {
			snap := model.FromMessages([]model.Message{
				say(model.User, 1, words(text)), say(model.Assistant, 2, reasoning(text), words(text), call("c", "Bash", fmt.Sprintf(`{"command":%q}`, text))), say(model.Tool, 3, result("c", text)),
			})
			b := newBench(t, snap, testOptions(), 100, 30)
			for _, keys := range []string{"z R", "space", "space", "G", "b", "g", "r", "r", "enter", "J J", "esc", "esc"} {
				b.press(keys)
				if why := unfitFrame(checkFrame(t, b, keys)); why != "" {
					t.Fatal(why)
				}
			}
		})
	}
}

// TestExplodingTextRenders limits the allocations of rendering a part: a part has some kilobytes,
// whatever the text.
func TestExplodingTextRenders(t *testing.T) {
	modeltest.Long(t, "it counts what is allocated")
	md := paint.NewMarkdown(paint.NewStyles(themeOf(t), false, 1))
	texts := explosions(1, 1)
	for i, name := range slices.Sorted(maps.Keys(texts)) {
		if !modeltest.Some(i, 1) {
			continue
		}
		text := texts[name]()
		parts := paint.MarkdownParts(paint.Cleaned(text[:min(len(text), 1<<18)]))
		d := paint.Doc{Parts: parts, W: 40, St: md.St, Wrap: true, Md: md}
		for i := range parts[:min(len(parts), 1)] {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			lines := d.Lines(i)
			runtime.ReadMemStats(&after)
			// the race detector needs more
			if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 200 && !testing.Short() {
				t.Errorf("%s: part %d of %d bytes allocates %d MB", name, i, len(parts[i].Text), got)
			}
			for _, line := range lines {
				if paint.Width(line) > d.W {
					t.Errorf("%s: part %d has a line of %d cells", name, i, paint.Width(line))
					break
				}
			}
			md.Slow = 0
		}
	}
}
