package ui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/modeltest"
	"turns/ui/paint"
	"turns/ui/screen"
)

var sizes = [...][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 60}}

// checkFrame checks the invariants of a frame: exactly h lines of w cells, no control characters
// but colour sequences, at most one cursor mark.
func checkFrame(t *testing.T, b *bench, what string) string {
	t.Helper()
	w, h := b.a.w, b.a.h0
	frame := b.frame()
	lines := strings.Split(frame, "\n")
	if len(lines) != h {
		t.Fatalf("%s: frame of %d lines on a screen of %d×%d\n%s", what, len(lines), w, h, ansi.Strip(frame))
	}
	marks := 0
	for i, line := range lines {
		plain := uncoloured(line)
		if n := paint.Width(plain); n != w {
			t.Fatalf("%s: line %d is %d cells wide on a screen of %d×%d: %q", what, i, n, w, h, plain)
		}
		for _, r := range plain {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				t.Fatalf("%s: control character %U in line %d: %q", what, r, i, plain)
			}
		}
		if strings.Contains(line, "\x1b]") {
			t.Fatalf("%s: an OSC sequence in line %d", what, i)
		}
		if strings.HasPrefix(plain, "›") {
			marks++
		}
	}
	if b.a.bar.Open && marks > 0 {
		marks-- // for the selected candidate
	}
	if marks > 1 {
		t.Fatalf("%s: %d rows have the cursor:\n%s", what, marks, ansi.Strip(frame))
	}
	return frame
}

func TestFrames(t *testing.T) {
	looks := map[string]func(o *screen.Options){
		"dark":     func(o *screen.Options) { o.Theme = "dark" },
		"light":    func(o *screen.Options) { o.Theme = "light" },
		"no-color": func(o *screen.Options) { o.NoColor = true },
	}
	for look, set := range looks {
		for _, size := range sizes {
			name := fmt.Sprintf("%dx%d-%s", size[0], size[1], look)
			t.Run(name, func(t *testing.T) {
				o := testOptions()
				set(&o)
				b := newBench(t, sample(), o, size[0], size[1])
				b.press("e l")
				checkFrame(t, b, name)
				golden(t, "frames/"+name+".golden", strings.ReplaceAll(b.frame(), "\x1b", "␛")+"\n")
			})
		}
	}
	t.Run("ascii", func(t *testing.T) {
		o := testOptions()
		o.ASCII, o.NoColor = true, true
		b := newBench(t, sample(), o, 100, 30)
		b.press("e l")
		frame := ansi.Strip(b.frame())
		for _, r := range frame {
			if r > 0x7e {
				t.Errorf("%q in an ASCII frame", r)
			}
		}
		golden(t, "frames/ascii.golden", frame+"\n")
	})
	t.Run("detail", func(t *testing.T) {
		b := newBench(t, sample(), testOptions(), 160, 40)
		b.press("e enter")
		checkFrame(t, b, "detail")
		golden(t, "frames/detail.golden", ansi.Strip(b.frame())+"\n")
	})
	t.Run("levels", func(t *testing.T) {
		b := newBench(t, sample(), testOptions(), 100, 24)
		var all strings.Builder
		for _, keys := range [...]string{"z M", ">", "> >", "i"} {
			b.press(keys)
			fmt.Fprintf(&all, "== %s\n%s\n", keys, ansi.Strip(b.frame()))
		}
		golden(t, "frames/levels.golden", all.String())
	})
	t.Run("help", func(t *testing.T) {
		b := newBench(t, sample(), testOptions(), 100, 40)
		b.press("?")
		checkFrame(t, b, "help")
		golden(t, "frames/help.golden", ansi.Strip(b.frame())+"\n")
	})
}

func TestTinyScreens(t *testing.T) {
	b := newBench(t, sample(), testOptions(), 80, 24)
	for _, size := range [...][2]int{{1, 1}, {19, 10}, {20, 4}, {20, 5}, {39, 9}, {40, 10}, {59, 11}, {60, 12}, {99, 15}, {100, 16}, {119, 17}, {120, 9}, {149, 20}, {150, 48}} {
		b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		checkFrame(t, b, fmt.Sprint(size))
	}
}

func TestEmpty(t *testing.T) {
	for _, msgs := range [][]model.Message{nil, {note("alone", 1)}} {
		b := newBench(t, model.FromMessages(msgs), testOptions(), 80, 24)
		checkFrame(t, b, "empty")
		b.press("j k G g e p c l h enter q z R i i i f esc / x esc esc")
		checkFrame(t, b, "empty after keys")
	}
}

// walkKeys are the keys of the random walk. Keys that leave the program or wait for a clock are
// excluded.
var walkKeys = strings.Fields(`j j j k k ctrl+d ctrl+u space b g G H M L e E p P c C o O * # } { ) ( % n N u U [ ] l l h enter
	> < r i t s @ w d J K Z v esc esc / f & + - a tab shift+tab ctrl+e ctrl+y T : ? 3 5 0 = m ' z z y x backspace q`)

func TestRandomWalk(t *testing.T) {
	steps := modeltest.Fewer(600, 300)
	for seed := range uint64(3) {
		snap := hostile()
		if seed == 2 {
			snap = sample()
		}
		rnd := rand.New(rand.NewPCG(seed, 7))
		b := newBench(t, snap, testOptions(), 100, 30)
		var trail []string
		for range steps {
			if rnd.IntN(12) == 0 {
				size := [2]int{rnd.IntN(180) + 1, rnd.IntN(50) + 1}
				trail = append(trail, fmt.Sprint(size))
				b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			} else {
				k := walkKeys[rnd.IntN(len(walkKeys))]
				trail = append(trail, k)
				if k == "q" && len(b.a.dialogs) == 0 && b.a.h.Focus == screen.PaneNone {
					continue
				}
				b.send(keyPress(k))
			}
			what := fmt.Sprintf("seed %d after %s", seed, strings.Join(trail[max(len(trail)-30, 0):], " "))
			checkFrame(t, b, what)
			if !b.a.lay.tiny && b.a.list.Rows > 3 && b.a.list.Slots() > 0 && !b.a.list.CurVisible() {
				t.Fatalf("%s: the cursor is not on the screen", what)
			}
		}
	}
}

// TestPaneOfANarrowScreenOnAWideOne: a pane opened on a screen without columns stays when the
// screen gets wider, and Tab goes to the timeline next to it.
func TestPaneOfANarrowScreenOnAWideOne(t *testing.T) {
	for _, key := range []string{"tab", "shift+tab"} {
		b := newBench(t, sample(), testOptions(), 60, 20)
		b.press("t")
		b.send(tea.WindowSizeMsg{Width: 148, Height: 20})
		b.press(key)
		if frame := ansi.Strip(checkFrame(t, b, key)); b.a.broken != nil || !strings.Contains(frame, "total time") {
			t.Errorf("%s: %v\n%s", key, b.a.broken, frame)
		}
	}
}

// TestRandomWalkOnABusyMachine presses keys with no time to read texts in a frame, repeated reading
// of texts, and answers of commands that arrive late and out of order.
func TestRandomWalkOnABusyMachine(t *testing.T) {
	for seed := range uint64(modeltest.Fewer(40, 8)) {
		snap := hostile()
		if seed%2 == 1 {
			snap = sample()
		}
		rnd := rand.New(rand.NewPCG(seed, 11))
		b := newBench(t, snap, testOptions(), 100, 30)
		b.a.h.Bodies.Budget = 0
		var late []tea.Msg
		var trail []string
		deliver := func(msg tea.Msg) {
			next, cmd := b.a.Update(msg)
			b.a = next.(*app)
			late = append(late, b.run(cmd)...)
		}
		for range 200 {
			what := walkKeys[rnd.IntN(len(walkKeys))]
			switch n := rnd.IntN(12); {
			case n == 0:
				size := [2]int{rnd.IntN(180) + 1, rnd.IntN(50) + 1}
				what = fmt.Sprint(size)
				deliver(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			case n == 1:
				what = "dropped"
				b.a.h.Bodies.Held.Clear()
			case n < 6 && len(late) > 0:
				i := rnd.IntN(len(late))
				what = fmt.Sprintf("%T", late[i])
				msg := late[i]
				late = slices.Delete(late, i, i+1)
				deliver(msg)
			case what == "q":
				continue
			default:
				deliver(keyPress(what))
			}
			trail = append(trail, what)
			if b.a.broken != nil {
				t.Fatalf("seed %d after %s: %v", seed, strings.Join(trail[max(len(trail)-30, 0):], " "), b.a.broken)
			}
			checkFrame(t, b, fmt.Sprintf("seed %d after %s", seed, strings.Join(trail[max(len(trail)-30, 0):], " ")))
		}
	}
}

// TestRendersCounted checks the caches: moving by a line draws only a row, a frame without a change
// draws none.
func TestRendersCounted(t *testing.T) {
	var msgs []model.Message
	for i := range 3000 {
		msgs = append(msgs, say(model.Assistant, i, words(fmt.Sprintf("message number %d", i))))
	}
	b := newBench(t, model.FromMessages(msgs), testOptions(), 100, 30)
	b.frame()
	count := func(f func()) (drawn, described int) {
		d0, m0 := b.a.list.Renders, b.a.h.Described.Made
		f()
		b.frame()
		return b.a.list.Renders - d0, b.a.h.Described.Made - m0
	}
	if n, m := count(func() {}); n != 0 || m != 0 {
		t.Errorf("a frame without a change drew %d rows and described %d messages", n, m)
	}
	b.press("L")
	b.frame()
	for range 5 {
		// The row that loses the cursor was drawn without it earlier, or is drawn so now; one row
		// is new.
		if n, m := count(func() { b.press("j") }); n > 2 || m > 1 {
			t.Errorf("j at the bottom drew %d rows and described %d messages", n, m)
		}
	}
	if n, m := count(func() { b.press("G") }); n > 32 || m > 64 {
		t.Errorf("G drew %d rows and described %d messages", n, m)
	}
	if n, _ := count(func() { b.press("ctrl+y") }); n > 2 {
		t.Errorf("ctrl+y drew %d rows", n)
	}
}

// A long open body is cut: on a high screen it uses half of the screen.
func TestOpenBodiesTakeTheRoomThereIs(t *testing.T) {
	var long strings.Builder
	for i := range 100 {
		fmt.Fprintf(&long, "- item %d\n", i)
	}
	snap := model.FromMessages([]model.Message{say(model.User, 0, words("list them")), say(model.Assistant, 1, words(long.String()))})
	for _, c := range []struct {
		w, h         int
		shown, hides string
	}{{80, 24, "item 16 ", "item 22 "}, {200, 60, "item 24 ", "item 32 "}} {
		b := newBench(t, snap, paneOptions(), c.w, c.h)
		b.press("j l z t")
		if frame := ansi.Strip(b.frame()); !strings.Contains(frame, c.shown) || strings.Contains(frame, c.hides) {
			t.Errorf("%d×%d shows not %q, or %q too:\n%s", c.w, c.h, c.shown, c.hides, frame)
		}
	}
}

// A body that is a few lines too long is shown in full, zR opens all bodies in full, and > opens
// them as l does; this is restored when the session is opened again.
func TestBodiesThatAreCut(t *testing.T) {
	items := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "- item %d\n", i)
		}
		return b.String() + "- item last"
	}
	for _, c := range []struct {
		lines int
		keys  string
		cut   bool
	}{{22, "j l", false}, {23, "j l", true}, {30, "j l", true}, {30, "j z o", false}, {30, "z R", false}, {30, ">", true}, {30, "z R z M > > >", true}, {30, "z R j h l", true}} {
		snap := model.FromMessages([]model.Message{say(model.User, 0, words("list them")), say(model.Assistant, 1, words(items(c.lines)))})
		b := newBench(t, snap, paneOptions(), 120, 40)
		b.press(c.keys)
		if frame := ansi.Strip(b.frame()); strings.Contains(frame, "shows all") != c.cut || strings.Contains(frame, "item last") == c.cut {
			t.Errorf("%d lines after %s, want cut %v:\n%s", c.lines, c.keys, c.cut, frame)
		}
		again := newBench(t, snap, paneOptions(), 120, 40)
		again.a.list.Restore(b.a.list.Save())
		again.press("z t")
		if frame := ansi.Strip(again.frame()); strings.Contains(frame, "shows all") != c.cut {
			t.Errorf("%d lines after %s, opened again, want cut %v:\n%s", c.lines, c.keys, c.cut, frame)
		}
	}
}
