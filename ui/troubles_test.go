package ui

import (
	"testing"

	"turns/query/many"
	"turns/query/session"
	"turns/ui/transcripts"
)

// TestTroublesOverTheList: failures by kind, and loops, of the listed sessions or those selected
// with v; they follow the list and lead to the calls of a row.
func TestTroublesOverTheList(t *testing.T) {
	o := paneOptions()
	o.Context = t.Context() // ends the list
	read := 0
	fake(&o).trouble = func(path string) (found transcripts.Problems) {
		read++
		found.Failures = []many.Failure{{Tool: "write", Outcome: "failure", Line: "error · no such text: `" + path + "`", Path: path, Index: 4}}
		if read == 1 {
			found.Loops = []many.Loop{{Kind: "repeat", Path: "/tmp/8463c716.jsonl", From: 3, Times: 5, About: "shell go test"}}
		}
		return found
	}
	news := make(chan transcripts.Update)
	fake(&o).list = newsOf(news)
	d := driveFeed(t, transcripts.StaticFeed("/tmp/8463c716.jsonl", sample()), o, 120, 30)
	d.WaitFor("Fix the flaky").Press("S")
	news <- transcripts.Update{Sessions: []session.Session{sessionNo(0), sessionNo(1), sessionNo(2)}, Listed: true}
	d.WaitFor("title 2").Press("!").WaitFor("Failures, 3 sessions · 3 failures in 1 group").WaitFor("no such text: …").WaitFor("100 %").
		WaitGone("unreadable") // it belongs to the transcript behind the list
	news <- transcripts.Update{Sessions: []session.Session{sessionNo(3)}, Listed: true}
	d.WaitFor("4 failures in 1 group").Press("enter").WaitFor("write failure · no such text").WaitFor("title 1")
	d.Press("q").WaitFor("4 failures in 1 group").Press("I").WaitFor("Loops, 4 sessions").WaitFor("shell go test")
	if read != 4 {
		t.Errorf("%d sessions were read for four tables", read)
	}
	d.Press("enter").WaitFor("Fix the flaky").Press("q").WaitFor("Loops, 4 sessions") // back
	d.Press("q").WaitFor("title 3").Press("v !").WaitFor("Failures, 1 session · 1 failure in 1 group · selected")
}
