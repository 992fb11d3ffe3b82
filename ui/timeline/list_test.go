package timeline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/query/describe"
	"turns/themes"
	"turns/ui/paint"
	"turns/ui/screen"
)

// made returns a timeline of a session, on a screen that records its requests.
func made(t *testing.T, msgs ...model.Message) (l *List, asked *[]tea.Msg) {
	t.Helper()
	h := screen.NewHost(t.Context(), screen.Options{UTC: true, Now: func() time.Time { return time.Unix(1_770_000_000, 0) }})
	h.Bodies.Budget = time.Hour
	h.Bodies.Begin()
	h.SetStyles(paint.NewStyles(themes.Default(true), true, 0))
	asked = new([]tea.Msg)
	h.Ask = func(m tea.Msg) tea.Cmd { *asked = append(*asked, m); return nil }
	l = New(h)
	h.Rows = l
	h.Show(model.FromMessages(msgs))
	h.Reset(describe.Describer{})
	l.Reset()
	l.Resize(80, 10)
	l.Sync()
	return l, asked
}

func said(role model.Role, text string) model.Message {
	return model.Message{Role: role, Blocks: []model.Content{{Kind: model.Words, Text: text}}}
}

// TestAlone creates, draws and operates a timeline without the surrounding program.
func TestAlone(t *testing.T) {
	l, asked := made(t, said(model.User, "find the fault"), said(model.Assistant, "it is in the parser"), said(model.User, "mend it"), said(model.Assistant, "done"))
	frame := ansi.Strip(strings.Join(l.Render(true), "\n"))
	for _, want := range []string{"find the fault", "it is in the parser", "mend it", "done"} {
		if !strings.Contains(frame, want) {
			t.Errorf("no row says %q:\n%s", want, frame)
		}
	}
	for _, step := range []struct {
		do   func() tea.Cmd
		want model.ID
		says string // "": no request
	}{
		{func() tea.Cmd { l.LineDown(1); return nil }, 1, ""},
		{func() tea.Cmd { return l.Jump((*List).ToPrompt, 1, 1) }, 2, ""},
		{func() tea.Cmd { return l.Jump((*List).ToPrompt, 1, 1) }, 2, "no prompt after #2"},
		{l.Back, 1, ""},
		{l.Forward, 2, ""},
		{func() tea.Cmd { return l.GoIndex(9) }, 2, "no #9: the last message is #3"},
		{func() tea.Cmd { return l.GoBottom(0, false) }, 3, "the end of the indexed part; turns is still reading the file"},
	} {
		*asked = nil
		step.do()
		if id, _ := l.Selected(); id != step.want {
			t.Errorf("the cursor is on %d, want %d", id, step.want)
		}
		got := ""
		for _, m := range *asked {
			if s, ok := m.(screen.Status); ok {
				got = s.Text
			}
		}
		if got != step.says {
			t.Errorf("it says %q, want %q", got, step.says)
		}
	}
}

// TestATextIsUnreadAgain: on a busy machine no text is read while a frame is drawn. The place in a
// long text stays, and its lines return with the text.
func TestATextIsUnreadAgain(t *testing.T) {
	var long strings.Builder
	for n := range 400 {
		fmt.Fprintf(&long, "line %d of a long answer, which takes more than one part of its text\n\n", n)
	}
	l, _ := made(t, said(model.User, "explain"), said(model.Assistant, long.String()), said(model.User, "thanks"))
	l.GoIndex(1)
	l.SetCur(OpenWhole)
	l.Sync()
	l.Scroll(300, false)
	frame := func() string { return ansi.Strip(strings.Join(l.Render(true), "\n")) }
	before, top := frame(), l.Top
	if top.Chunk < 2 {
		t.Fatalf("the top is %+v: the test needs one behind the first part", top)
	}
	l.h.Bodies.Held.Clear()
	l.h.Bodies.Budget = 0
	l.Resize(80, 9)
	for range 2 {
		if got := frame(); !strings.Contains(got, "thanks") || l.Top != top {
			t.Errorf("top %+v, want %+v, on the screen:\n%s", l.Top, top, got)
		}
		l.Sync()
	}
	l.h.Bodies.Budget = time.Hour
	l.Resize(80, 10)
	if got := frame(); got != before {
		t.Errorf("with the text read again:\n%s\nbefore:\n%s", got, before)
	}
}

// TestContextOfResultsIsQuiet: context that a program sent with results has rows only among the
// events, or after a search.
func TestContextOfResultsIsQuiet(t *testing.T) {
	words := func(text string) model.Content { return model.Content{Kind: model.Words, Text: text} }
	call := model.Content{Kind: model.ToolCall, ID: "a", Name: "list_files", Text: `{"path":"quay"}`}
	result := model.Content{Kind: model.ToolResult, ID: "a", Name: "list_files", Text: "rope.txt"}
	l, _ := made(t, said(model.User, "count"), model.Message{Role: model.Assistant, Blocks: []model.Content{call}},
		model.Message{Role: model.Tool, Blocks: []model.Content{result, words("<environment_details>\nhigh tide\n</environment_details>")}},
		said(model.Assistant, "one rope"))
	l.RefreshOutline()
	tells := func() bool { return strings.Contains(ansi.Strip(strings.Join(l.Render(true), "\n")), "◦ injected") }
	for _, want := range []struct {
		rows   bool
		hidden string
	}{{false, "1 injected text hidden"}, {true, ""}, {true, ""}, {false, ""}} {
		if tells() != want.rows || l.Hidden() != want.hidden {
			t.Errorf("display %d: rows %v, hidden %q, want %+v", l.Events, tells(), l.Hidden(), want)
		}
		l.NextEvents()
	}
	if l.placeOf(hit{id: 2, call: screen.NoCall}); !tells() {
		t.Error("no row shows what a search found")
	}
}

// TestTurnIsSummedUpOnce: a prompt of several texts has several rows, and the first one its turn.
func TestTurnIsSummedUpOnce(t *testing.T) {
	text := func(s string) model.Content { return model.Content{Kind: model.Words, Text: s} }
	l, _ := made(t, model.Message{Role: model.User, Blocks: []model.Content{text("count the ropes"), text("files: rope.txt")}}, said(model.Assistant, "one rope"))
	l.RefreshOutline()
	frame := ansi.Strip(strings.Join(l.Render(true), "\n"))
	if strings.Count(frame, "▾") != 1 || strings.Count(frame, "❯ user") != 2 {
		t.Errorf("not one turn and two rows:\n%s", frame)
	}
}
