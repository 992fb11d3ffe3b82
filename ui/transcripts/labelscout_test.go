package transcripts

import (
	"testing"

	"turns/query/label"
)

// Results of a scanner of Inspect Scout name a transcript, a value and an explanation.
func TestScannerResultsAreImported(t *testing.T) {
	rows, err := Imports([]byte("transcript_id,value,explanation\nabc-1,true,it tested\nabc-2,0.5,\n"))
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	want := []label.Mark{{Kind: label.Note, Text: "it tested"}, {Kind: label.Verdict, Name: label.Good}, {Kind: label.Score, Name: "value", Value: "0.5"}}
	for i, id := range []string{"abc-1", "abc-1", "abc-2"} {
		if got := rows[i]; got.Line.Mark != want[i] || got.Line.Run.Session != id || got.IDs[0] != id {
			t.Errorf("row %d: %+v", i, got)
		}
	}
}
