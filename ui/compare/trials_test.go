package compare

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/human"
	"turns/query/many"
	"turns/query/querytest"
	"turns/query/runs"
	"turns/query/trials"
	"turns/themes"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// trialStore contains trials of three tasks in two configurations.
type trialStore struct {
	screen.Store // unused methods
	list         []trials.Trial
	read         int
	err          error
}

func (s *trialStore) Trials(_ context.Context, _ transcripts.TrialsOptions, took func(done, all int, a *transcripts.Answer[[]*many.Run]) bool) (*trials.Answer, error) {
	s.read++
	took(1, 2, &transcripts.Answer[[]*many.Run]{})
	if s.err != nil {
		return nil, s.err
	}
	return trials.New(s.list, []string{"gpt-4o", "sonnet"}), nil
}

func (s *trialStore) Run(_ context.Context, path string, _ func(done, total int64)) (runs.DiffRun, error) {
	tool := "get_user_details"
	if strings.Contains(path, "sonnet") {
		tool = "transfer_to_human"
	}
	return runs.DiffRun{Selection: query.Everything(model.FromMessages([]model.Message{
		querytest.Message(model.User, "change my seat"), querytest.Null(model.Assistant, querytest.Call("1", tool, `{}`)), querytest.Tool(querytest.Result("1", "ok")),
	}))}, nil
}

func (s *trialStore) Problems(_ context.Context, paths []string) iter.Seq[transcripts.Answer[transcripts.Problems]] {
	return func(yield func(transcripts.Answer[transcripts.Problems]) bool) {
		for i, path := range paths {
			found := transcripts.Problems{}
			if i%2 == 0 {
				found.Failures = []many.Failure{{Tool: "book_seat", Outcome: "failure", Line: "seat taken", Path: path, Index: 7}}
			}
			if !yield(transcripts.Answer[transcripts.Problems]{Path: path, Answer: found}) {
				return
			}
		}
	}
}

func trialSample() []trials.Trial {
	var list []trials.Trial
	for _, row := range []string{"4 one way, two passengers|✓✓✓✓|✓✓✓✓", "17 change seat and add a bag|✓✓✗✓|✗✗✗✗", "31 cancel with insurance|✗✗✗✗|✓✓✓✓"} {
		cells := strings.Split(row, "|")
		for i, config := range []string{"gpt-4o", "sonnet"} {
			for n, mark := range []rune(cells[1+i]) {
				score := float64(paint.BoolInt(mark == '✓'))
				t := trials.Trial{Task: cells[0], Configuration: config, Trial: human.TextOrNull(strconv.Itoa(n)), Path: "/r/" + config + "/" + cells[0][:2] + strconv.Itoa(n), Title: human.TextOrNull("Trial of " + cells[0]), Score: &score, Verdict: trials.Failed}
				if mark == '✓' {
					t.Verdict = trials.Passed
				}
				t.Set(trials.Calls, float64(5+n))
				t.Set(trials.Errors, float64(n%2))
				t.Set(trials.Cost, 0.125*float64(1+i))
				list = append(list, t)
			}
		}
	}
	return list
}

// trialScreen is a matrix with its store and its requests to the program.
type trialScreen struct {
	t     *testing.T
	d     *Trials
	store *trialStore
	asked []tea.Msg
}

func startTrials(t *testing.T, store *trialStore) *trialScreen {
	s := &trialScreen{t: t, store: store}
	h := screen.NewHost(t.Context(), screen.Options{UTC: true, Store: store, Now: func() time.Time { return time.Unix(1_770_000_000, 0) }})
	h.SetStyles(paint.NewStyles(themes.Default(true), true, 0))
	h.Ask = func(m tea.Msg) tea.Cmd { s.asked = append(s.asked, m); return nil }
	h.Timer = func(_ time.Duration, msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }
	s.d = NewTrials(h, transcripts.TrialsOptions{})
	s.run(s.d, s.d.Begin())
	return s
}

// run runs a command and its follow-ups, except trialsTick.
func (s *trialScreen) run(d screen.Messenger, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, trialsTick:
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(d, c)
		}
	default:
		s.run(d, d.Message(msg))
	}
}

// press presses keys of a dialog, and returns its last request.
func (s *trialScreen) press(d interface {
	screen.Dialog
	screen.Messenger
}, keys ...string) tea.Msg {
	s.t.Helper()
	s.asked = nil
	for _, k := range keys {
		msg := tea.KeyPressMsg{Text: k, Code: []rune(k)[0]}
		switch k {
		case "enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "tab":
			msg = tea.KeyPressMsg{Code: tea.KeyTab}
		}
		_, cmd := d.Key(msg)
		s.run(d, cmd)
	}
	if len(s.asked) == 0 {
		return nil
	}
	return s.asked[len(s.asked)-1]
}

func frameOf(d screen.Dialog, w, h int) string {
	return ansi.Strip(strings.Join(d.Render(w, h), "\n")) + "\n"
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	modeltest.Golden(t, path, got)
}

func TestTrialsOnTheScreen(t *testing.T) {
	s := startTrials(t, &trialStore{list: trialSample()})
	s.press(s.d, "j", "v")
	s.press(s.d, "k", "k", "j")
	for _, size := range [][2]int{{80, 24}, {120, 20}, {40, 12}} {
		frame := frameOf(s.d, size[0], size[1])
		golden(t, "trials-"+strconv.Itoa(size[0])+".txt", frame)
		for line := range strings.Lines(frame) {
			if n := ansi.StringWidth(strings.TrimSuffix(line, "\n")); n > size[0] {
				t.Errorf("a line has %d cells of %d: %q", n, size[0], line)
			}
		}
	}
	if got := s.d.Status(); got != "first difference: #1 get_user_details / #1 transfer_to_human" {
		t.Errorf("the status line says %q", got)
	}
}

func TestKeysOfTrials(t *testing.T) {
	s := startTrials(t, &trialStore{list: trialSample()})
	s.press(s.d, "j")
	if m, ok := s.press(s.d, "D").(screen.Compare); !ok || !m.Apart || m.A != "/r/gpt-4o/170" || m.B != "/r/sonnet/170" {
		t.Errorf("D compares %+v", m)
	}
	show, ok := s.press(s.d, "tab", "enter").(screen.Show)
	list, isList := show.Dialog.(*trialList)
	if !ok || !isList || len(list.list) != 4 || list.list[0].Configuration != "sonnet" {
		t.Fatalf("enter shows %+v", show)
	}
	golden(t, "trial-list.txt", frameOf(list, 100, 8))
	if m, ok := s.press(list, "enter").(screen.OpenPlace); !ok || m.Path != "/r/sonnet/170" {
		t.Errorf("enter opens %+v", m)
	}
	if _, ok := s.press(list, "D").(screen.Status); !ok {
		t.Error("D compares a trial with nothing")
	}
	if m, ok := s.press(list, "v", "j", "D").(screen.Compare); !ok || !m.Apart || m.A != "/r/sonnet/170" || m.B != "/r/sonnet/172" {
		t.Errorf("D compares %+v", m)
	}
	if m, ok := s.press(list, "v", "k", "k", "D").(screen.Compare); !ok || m.A != "/r/sonnet/170" || m.B != "/r/sonnet/172" {
		t.Errorf("D compares %+v of the two selected", m)
	}
	show, _ = s.press(s.d, "v", "!").(screen.Show)
	failures, ok := show.Dialog.(*trialFailures)
	if !ok || len(failures.paths) != 8 {
		t.Fatalf("! shows %+v", show)
	}
	s.run(failures, failures.Begin())
	golden(t, "trial-failures.txt", frameOf(failures, 100, 6))
	if m, ok := s.press(failures, "enter").(screen.OpenPlace); !ok || m.At != "7" {
		t.Errorf("enter opens %+v", m)
	}
	if m, ok := s.press(s.d, "x").(screen.Export); !ok || !strings.Contains(m.Text, "| 31 cancel with insurance |") {
		t.Errorf("x writes %+v", m)
	}
}

func TestTrialsAreSorted(t *testing.T) {
	s := startTrials(t, &trialStore{list: trialSample()})
	s.d.Render(120, 20)
	first := map[string]string{}
	for range len(s.d.Table.Cols) {
		s.press(s.d, ">")
		first[s.d.Table.SortName()] = s.d.Answer.Tasks[s.d.Table.At(0)].Name[:2]
	}
	for name, want := range map[string]string{"flips ▾": "31", "pass rate ▴": "17", "gpt-4o ▾": "4 ", "sonnet ▾": "4 ", "task ▴": "4 "} {
		if first[name] != want {
			t.Errorf("sorted by %s, %q is first, want %q (%v)", name, first[name], want, first)
		}
	}
}

func TestRunningTrialsAreFollowed(t *testing.T) {
	list := trialSample()
	list[0].Verdict = trials.Running
	store := &trialStore{list: list}
	s := startTrials(t, store)
	s.press(s.d, "j")
	list[0].Verdict = trials.Failed
	s.run(s.d, s.d.Message(trialsTick{s.d}))
	if store.read != 2 || s.d.Answer.Configurations[0].Running != 0 || s.d.Table.Cur != 1 {
		t.Errorf("read %d times, %+v, cursor at %d", store.read, s.d.Answer.Configurations[0], s.d.Table.Cur)
	}
	if s.d.again() != nil {
		t.Error("finished trials are read again")
	}
}

func TestTrialsThatCannotBeRead(t *testing.T) {
	s := startTrials(t, &trialStore{err: errors.New("no such folder")})
	if frame := frameOf(s.d, 60, 6); !strings.Contains(frame, "no such folder") {
		t.Errorf("nothing says why:\n%s", frame)
	}
	if done, _ := s.d.Key(tea.KeyPressMsg{Text: "q", Code: 'q'}); !done {
		t.Error("q does not close it")
	}
	empty := startTrials(t, &trialStore{})
	for _, key := range []string{"enter", "D", "v", "!", "tab"} {
		empty.press(empty.d, key)
	}
	frameOf(empty.d, 80, 24)
}
