package compare

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/querytest"
	"turns/query/runs"
	"turns/themes"
	"turns/ui/paint"
	"turns/ui/screen"
)

// TestSidesHaveTheSignsOfTheirCalls compares a call that succeeded with one of each outcome, and
// expects the signs of both calls as turns show prints them, at both widths of the comparison, and
// the sign of a changed outcome.
func TestSidesHaveTheSignsOfTheirCalls(t *testing.T) {
	h, pane := screen.NewHost(t.Context(), screen.Options{UTC: true}), &trialScreen{t: t}
	h.SetStyles(paint.NewStyles(themes.Default(true), true, 0))
	h.Timer = func(_ time.Duration, msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }
	run := func(tool string, outcome model.Outcome, answered bool) (runs.DiffRun, string) {
		messages := []model.Message{querytest.Message(model.User, "do"), querytest.Null(model.Assistant, querytest.Call("1", tool, `{}`))}
		if answered {
			result := querytest.Result("1", "out")
			result.Outcome = outcome
			messages = append(messages, querytest.Tool(result))
		}
		sel := query.Everything(model.FromMessages(messages))
		call, err := query.NewPairs(sel.Snap).Read(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		line := describe.NewDescriber(sel.Snap.Session(call.Row.Msg)).Row(&call)
		return runs.DiffRun{Selection: sel}, line.Glyph()
	}
	wide, narrow := regexp.MustCompile(`#1 (\S) \S.*?([!~]?) +#1 (\S) \S`), regexp.MustCompile(`(?m)^.([!~]?) +#1 (\S) \S`)
	for _, tool := range []string{"Bash", "AskUserQuestion"} {
		good, goodSign := run(tool, model.Success, true)
		for outcome := model.Unknown; outcome <= model.Background; outcome++ {
			for _, answered := range []bool{true, false} {
				other, sign := run(tool, outcome, answered)
				d := NewRuns(h, "a", "b")
				d.Runs = [2]runs.DiffRun{good, other}
				pane.run(d, d.Begin())
				changed := ""
				if d.Answer.Flips > 0 {
					changed = "!"
				}
				for w, want := range map[int][]string{140: {goodSign, changed, sign}, 80: {changed, goodSign}} {
					signs := narrow
					if w >= compareSplit {
						signs = wide
					}
					frame := ansi.Strip(strings.Join(d.Render(w, 40), "\n"))
					if got := signs.FindStringSubmatch(frame); len(got) == 0 || !slices.Equal(got[1:], want) {
						t.Errorf("%s, %v, answered %t, %d columns: the signs are %q, want %q:\n%s", tool, outcome, answered, w, got, want, frame)
					}
				}
			}
		}
	}
}
