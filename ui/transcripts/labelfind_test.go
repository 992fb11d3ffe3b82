package transcripts

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"turns/export"
	"turns/export/formats"
	"turns/export/keep"
	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/describe"
	"turns/query/label"
)

// labelledRun invents a session: prompts, answers, calls and results, some with equal texts.
func labelledRun(rnd *rand.Rand, turns int) (msgs []model.Message) {
	say := func(role model.Role, text string, blocks ...model.Content) {
		m := model.Message{Role: role}
		if text != "" {
			m.Blocks = append(m.Blocks, model.Content{Kind: model.Words, Text: text})
		}
		m.Blocks = append(m.Blocks, blocks...)
		msgs = append(msgs, m)
	}
	say(model.System, "You are careful.")
	for n := range turns {
		prompt := fmt.Sprintf("prompt %d of %x: fix the watcher", n, rnd.Uint32())
		if rnd.IntN(3) == 0 && n > 0 {
			prompt = "go on"
		}
		say(model.User, prompt)
		for range rnd.IntN(3) {
			id := fmt.Sprintf("call_%x", rnd.Uint64())
			args := fmt.Sprintf(`{"path":"f%d.go","lines":[1,%d]}`, rnd.IntN(3), rnd.IntN(3))
			text := ""
			if rnd.IntN(2) == 0 {
				text = "Let me look."
			}
			say(model.Assistant, text, model.Content{Kind: model.ToolCall, ID: id, Name: "read", Text: args, JSON: true})
			say(model.Tool, "", model.Content{Kind: model.ToolResult, ID: id, Name: "read", Text: fmt.Sprintf("line %x", rnd.Uint32())})
		}
		say(model.Assistant, fmt.Sprintf("answer %d: it is %x now", n, rnd.Uint32()))
	}
	return msgs
}

// saidAt returns the text at the place of a label, in the form of all formats.
func saidAt(t *testing.T, s *model.Snapshot, p *label.Placed) string {
	t.Helper()
	m, err := s.Body(context.Background(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range m.Blocks {
		all = append(all, m.Blocks[i].ID, m.Blocks[i].Text)
	}
	return strings.Join(all, "\n")
}

// converted writes a session in a format and reads it again.
func converted(t *testing.T, s *model.Snapshot, format, path string) *model.Snapshot {
	t.Helper()
	f, err := formats.Find(format)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := f.Write(t.Context(), &b, describe.NewView(query.Everything(s), nil), export.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return opened(t, path)
}

// archived returns a session from an archive, and the same session restored.
func archived(t *testing.T, path, into, to string) (kept, back *model.Snapshot) {
	t.Helper()
	s, err := keep.Open(into, keep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, e, err := s.Keep(context.Background(), path, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Restore(context.Background(), e, to, false); err != nil {
		t.Fatal(err)
	}
	return opened(t, filepath.Join(into, e.Kept)), opened(t, filepath.Join(to, path))
}

func opened(t *testing.T, path string) *model.Snapshot {
	t.Helper()
	c, err := load.Open(t.Context(), path, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	s, err := c.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Labels of a session that grew, was cut, rewritten, converted, moved, archived or restored find
// their message, or are listed as lost with its text; none is at a message with another text.
func TestLabelsFindTheirMessages(t *testing.T) {
	modeltest.Long(t, "it writes many labels")
	dir := t.TempDir()
	ctx := context.Background()
	for seed := range uint64(24) {
		rnd := rand.New(rand.NewPCG(seed, 22))
		msgs := labelledRun(rnd, 3+rnd.IntN(8))
		s := model.FromMessages(msgs)
		pen := &label.Pen{By: "ana", Now: time.Unix(1e9, 0), ID: func() string { return fmt.Sprintf("%x", rnd.Uint64()) }}
		var lines []label.Line
		texts := map[string]string{}
		at := SourceOf(filepath.Join(dir, "run.json"))
		for i := range 12 {
			id := s.At(rnd.IntN(s.Len()))
			call := model.CallID(model.NoRow)
			scope := label.OfMessage
			if calls := s.Calls(id); len(calls) > 0 && rnd.IntN(2) == 0 {
				call, scope = calls[0].ID, label.OfCall
			}
			said := label.Typed{Add: []label.Mark{{Kind: label.Note, Text: fmt.Sprint("note ", i)}}}
			for _, l := range pen.Write(label.RunOf(ctx, s, 0, at), scope, label.PlaceOf(ctx, s, id, call), nil, said) {
				lines = append(lines, l)
				m, _ := s.Body(ctx, id)
				for _, b := range m.Blocks {
					texts[l.ID] += b.Text + "\n"
				}
			}
		}
		set := label.NewSet(lines)
		cut := 2 + rnd.IntN(len(msgs)-2)
		out := rnd.IntN(len(msgs))
		rest := append(append([]model.Message{}, msgs[:out]...), msgs[min(out+1+rnd.IntN(3), len(msgs)):]...)
		grown := append(append([]model.Message{}, msgs...), labelledRun(rnd, 2)[1:]...)
		openai := converted(t, s, "openai", filepath.Join(dir, fmt.Sprintf("%d-openai.json", seed)))
		anthropic := converted(t, openai, "anthropic", filepath.Join(dir, fmt.Sprintf("%d-anthropic.json", seed)))
		kept, back := archived(t, filepath.Join(dir, fmt.Sprintf("%d-openai.json", seed)), filepath.Join(dir, "kept"), filepath.Join(dir, fmt.Sprint("back", seed)))
		for name, c := range map[string]struct {
			run *model.Snapshot
			all bool // every message is there
		}{
			"grown": {model.FromMessages(grown), true}, "cut": {model.FromMessages(msgs[:cut]), false}, "written anew": {model.FromMessages(rest), false},
			"openai": {openai, true}, "anthropic": {anthropic, true},
			"json":  {converted(t, anthropic, "json", filepath.Join(dir, fmt.Sprintf("%d.json", seed))), true},
			"moved": {s, true}, "kept": {kept, true}, "restored": {back, true},
		} {
			to := SourceOf(filepath.Join(dir, name))
			if name == "cut" || name == "written anew" {
				to = at
			}
			here, err := set.Find(ctx, c.run, to)
			if err != nil {
				t.Fatal(err)
			}
			if len(here.Placed)+len(here.Lost) != len(lines) || c.all && len(here.Lost) > 0 {
				t.Errorf("seed %d, %s: %d of %d found, %d lost", seed, name, len(here.Placed), len(lines), len(here.Lost))
			}
			for i := range here.Placed {
				p := &here.Placed[i]
				text := saidAt(t, c.run, p)
				for want := range strings.SplitSeq(strings.TrimSpace(texts[p.Line.ID]), "\n") {
					if !strings.Contains(strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(want, " ", "")) {
						t.Errorf("seed %d, %s: the label of %q is at %q", seed, name, want, text)
					}
				}
				if p.Scope == label.OfCall && p.Call == model.CallID(model.NoRow) {
					t.Errorf("seed %d, %s: the label of a call found no call", seed, name)
				}
			}
			for _, l := range here.Lost {
				if l.At.Text == "" {
					t.Errorf("seed %d, %s: a lost label does not say of what", seed, name)
				}
			}
		}
	}
}
