package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/query/runs"
	"turns/ui/compare"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// threadOptions can list the unfinished work of a folder.
func threadOptions() screen.Options {
	files := fourRuns()
	files["/r/after/asked.jsonl"] = model.FromMessages([]model.Message{
		say(model.User, 100, words("Release it")), say(model.Assistant, 109, words("Tagged. Shall I push it \x1b[2Jnow?")),
	})
	o := compareOptions(files)
	fake(&o).threads = func(ctx context.Context, path string, progress func(done, total int64)) (*runs.ContinuityAnswer, error) {
		if path == "/r/gone.jsonl" {
			return nil, errors.New("no folder /r")
		}
		var names []string
		for name := range files {
			names = append(names, name)
		}
		slices.Sort(names)
		var list []runs.Conversation
		for _, name := range names {
			found, err := runs.Conversations(ctx, name, files[name], time.UTC)
			if err != nil {
				return nil, err
			}
			list = append(list, found...)
		}
		progress(1, 1)
		return runs.Continuity(list, runs.ContinuityOptions{Now: sampleStart.Add(time.Hour).UnixMilli(), Zone: time.UTC, Source: path}), nil
	}
	return o
}

func startThreads(t *testing.T, path string, w, h int) *bench {
	b := newBench(t, runBefore(), threadOptions(), w, h)
	b.send(updateMsg{b.a.feed, transcripts.State{Snap: b.a.h.Snap, Indexed: 1, Path: path}, nil})
	b.press("W")
	return b
}

func TestThreadFrames(t *testing.T) {
	for _, size := range sizes {
		name := fmt.Sprintf("threads-%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			b := startThreads(t, "/r/before/fix.jsonl", size[0], size[1])
			checkFrame(t, b, name)
			golden(t, "compare/"+name+".golden", ansi.Strip(b.frame())+"\n")
		})
	}
}

// Each unfinished item leads to its place, each session to its beginning, and leaving them returns.
func TestThreadsLeadToTheirPlaces(t *testing.T) {
	b := startThreads(t, "/r/before/fix.jsonl", 120, 40)
	frame := ansi.Strip(b.frame())
	for _, want := range []string{"last session", "Release it", "▸ ", "question", "Tagged. Shall I push it", "#1  Release it", "today"} {
		if !strings.Contains(frame, want) {
			t.Fatalf("%q is missing in\n%s", want, frame)
		}
	}
	d := b.a.dialogs[0].(*compare.Threads)
	at := slices.IndexFunc(d.Answer.Open, func(o runs.OpenThread) bool {
		return o.Source == "/r/before/fix.jsonl" && o.Kind == runs.OpenError
	})
	if at < 0 {
		t.Fatalf("the test that failed is not open: %+v", d.Answer.Open)
	}
	want := d.Answer.Open[at].Index
	b.press(fmt.Sprintf("%d G enter", at+1))
	if id, _ := b.a.h.Rows.Selected(); len(b.a.dialogs) > 0 || b.a.h.Snap.Pos(id) != int(want) {
		t.Errorf("enter selects #%d, want #%d", b.a.h.Snap.Pos(id), want)
	}
	b.press("q")
	if len(b.a.dialogs) != 1 || b.a.dialogs[0] != screen.Dialog(d) {
		t.Fatalf("q does not lead back:\n%s", ansi.Strip(b.frame()))
	}
	b.press("tab")
	if frame := ansi.Strip(b.frame()); !strings.Contains(frame, "▸ 6 sessions by day") || !strings.Contains(frame, "Write the notes") {
		t.Errorf("tab does not show the conversations:\n%s", frame)
	}
	b.press("j k tab > R esc")
	if len(b.a.dialogs) != 0 {
		t.Error("esc does not close it")
	}
}

func TestThreadsSayWhatCannotBeRead(t *testing.T) {
	b := startThreads(t, "/r/gone.jsonl", 100, 30)
	if frame := ansi.Strip(b.frame()); !strings.Contains(frame, "no folder /r") {
		t.Errorf("not said:\n%s", frame)
	}
	b.press("j enter tab")
	checkFrame(t, b, "without an answer")
	o := paneOptions()
	o.Store = nil
	b = newBench(t, runBefore(), o, 100, 30)
	b.press("W")
	if b.a.status != "the sessions of a folder cannot be read here" {
		t.Errorf("W says %q", b.a.status)
	}
}

// Over the session list the unfinished items are those of all folders, and = switches to the folder
// and back.
func TestThreadsOfAllFolders(t *testing.T) {
	o := threadOptions()
	of := fake(&o).threads
	var asked []string
	fake(&o).threads = func(ctx context.Context, path string, progress func(done, total int64)) (*runs.ContinuityAnswer, error) {
		asked = append(asked, path)
		return of(ctx, path, progress)
	}
	fake(&o).list = listOf("/r/before.jsonl")
	b := newBench(t, runBefore(), o, 120, 30)
	b.press("S W")
	if frameWith(b, "sessions of all folders") == "" {
		t.Errorf("W in the list shows\n%s", ansi.Strip(b.frame()))
	}
	b.press("=")
	if frameWith(b, "sessions in the folder of before.jsonl") == "" || !slices.Equal(asked, []string{"", "/r/before.jsonl"}) {
		t.Errorf("of %q are shown\n%s", asked, ansi.Strip(b.frame()))
	}
}
