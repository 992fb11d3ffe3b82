package runs

import (
	"fmt"
	"strings"
	"testing"

	"turns/query/answer"
)

// TestSummaryOfADifference: each number of two sessions, in the short form of the screen and in
// full, with the tone of the difference.
func TestSummaryOfADifference(t *testing.T) {
	score, cost := 0.5, 0.25
	d := &DiffAnswer{
		A: DiffTotals{Messages: 4, Turns: 2, Calls: 3, Errors: 0, Tokens: 12_345, Took: 1500, Model: "claude-opus-4-6"},
		B: DiffTotals{Messages: 4, Turns: 1, Calls: 5, Errors: 2, Tokens: 13_579, Took: 3500, Score: &score, Cost: &cost, Measured: 70_000},
	}
	want := `
outcome unknown unknown 0
score – 0.5 changed 5
model opus-4-6/claude-opus-4-6 – changed 5
messages 4 4 · 1
turns 2 1 -1 5
calls 3 5 +2 5
errors 0 2 +2 4
tokens 12.3k/12,345 13.6k/13,579 +1.2k/+1,234 5
usage 0/0 70.0k/70,000 +70.0k/+70,000 5
time 1.5s 3.5s +2.0s 5
cost – $0.25 changed 5`
	if got := summaryText(d); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	d.A.Cost = new(9.5)
	if got := summaryText(d); !strings.Contains(got, fmt.Sprintf("cost $9.50 $0.25 -$9.25 %d", answer.Warn)) {
		t.Errorf("a smaller cost: %s", got)
	}
	d.A.Errors, d.B.Errors = 2, 0
	if got := summaryText(d); !strings.Contains(got, fmt.Sprintf("errors 2 0 -2 %d\n", answer.Good)) {
		t.Errorf("fewer errors: %s", got)
	}
}

// summaryText returns the cells of a summary (short form/full form if they differ), and the tone of
// the last cell.
func summaryText(d *DiffAnswer) string {
	var b strings.Builder
	for _, row := range d.Summary().Rows {
		b.WriteString("\n" + row.Cells[0].Text)
		for _, c := range row.Cells[1:] {
			if c.Text != "" {
				b.WriteString(" " + c.Text)
			}
			if c.Long != "" {
				b.WriteString("/" + c.Long)
			}
		}
		fmt.Fprint(&b, " ", row.Cells[3].Tone)
	}
	return b.String()
}

// TestNeighboursOfDifferences: one equal item is shown on each side of a different one.
func TestNeighboursOfDifferences(t *testing.T) {
	d := &DiffAnswer{Rows: make([]DiffRow, 9)}
	for i := range d.Rows {
		d.Rows[i].How = DiffSame
	}
	d.Rows[4].How = DiffAdded
	for i := range d.Rows {
		if got, want := d.near(i), i >= 3 && i <= 5; got != want {
			t.Errorf("item %d next to a difference at 4 is shown: %v", i, got)
		}
	}
}
