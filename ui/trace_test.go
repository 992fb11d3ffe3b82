package ui

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A trace has a line for each message with its time and the size of the frame, and no text of the
// session or typed text.
func TestTrace(t *testing.T) {
	var out strings.Builder
	b := newBench(t, sample(), testOptions(), 100, 30)
	clock := sampleStart
	m := traced(b.a, &out, func() time.Time { clock = clock.Add(time.Millisecond); return clock })
	for _, key := range []string{"j", "/", "s", "enter"} {
		m, _ = m.Update(keyPress(key))
	}
	m, _ = m.Update(tea.PasteMsg{Content: "secret"})
	if a, ok := appOf(m); !ok || a != b.a {
		t.Error("the program is not behind its tracer")
	}
	var keys []string
	for line := range strings.Lines(out.String()) {
		var l traceLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.Update != 1000 || l.At <= 0 || l.Frame < 1000 || !strings.HasPrefix(l.Message, "tea.") {
			t.Errorf("the line is %s", line)
		}
		keys = append(keys, l.Key)
	}
	if got := strings.Join(keys, " "); got != "j / text enter " {
		t.Errorf("the keys are %q", got)
	}
	if strings.Contains(out.String(), "secret") {
		t.Errorf("the trace tells what was pasted:\n%s", out.String())
	}
	if traced(b.a, nil, time.Now) != tea.Model(b.a) {
		t.Error("without a trace something precedes the program")
	}
}
