package ui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/load"
	"turns/ui/timeline"
)

// treeOf loads a session of Claude Code whose lines name their parents.
func treeOf(t *testing.T, lines [][3]string) *model.Snapshot {
	t.Helper()
	var b strings.Builder
	for i, l := range lines {
		kind, text := "assistant", l[2]
		message := map[string]any{"role": "assistant", "id": "m" + l[0], "type": "message", "model": "claude-opus-4-6", "content": []any{map[string]any{"type": "text", "text": text}}}
		if text, ok := strings.CutPrefix(text, "> "); ok {
			kind, message = "user", map[string]any{"role": "user", "content": text}
		}
		parent := any(l[1])
		if l[1] == "" {
			parent = nil
		}
		record := map[string]any{
			"parentUuid": parent, "isSidechain": false, "type": kind, "sessionId": "s", "cwd": "/work", "version": "2.1.39", "uuid": l[0],
			"timestamp": sampleStart.Add(1e9*60*1).Format("2006-01-02T15:04:") + string(rune('0'+i/10)) + string(rune('0'+i%10)) + "Z", "message": message,
		}
		data, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(data, '\n'))
	}
	return loaded(t, "run.jsonl", b.String())
}

// loaded loads a transcript as the program does.
func loaded(t *testing.T, name, text string) *model.Snapshot {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := load.Open(t.Context(), path, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	snap, err := c.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func TestBranchesAreChosen(t *testing.T) {
	snap := treeOf(t, [][3]string{
		{"u1", "", "> plan the work"}, {"a1", "u1", "here is the plan"},
		{"u2", "a1", "> do it in one step"}, {"a2", "u2", "done in one step"}, {"u3", "a2", "> now test it"}, {"a3", "u3", "the tests fail"},
		{"u4", "a1", "> do it in two steps"}, {"a4", "u4", "the first step is done"},
		{"u5", "a1", "> do it in three steps"}, {"a5", "u5", "one of three"},
	})
	b := newBench(t, snap, testOptions(), 100, 30)
	text := func() string { return ansi.Strip(b.frame()) }
	if s := text(); !strings.Contains(s, "do it in three steps") || strings.Contains(s, "do it in one step") {
		t.Fatalf("the live branch is not what is shown first:\n%s", s)
	}
	b.press("B")
	checkFrame(t, b, "branches")
	golden(t, "frames/branches.golden", text()+"\n")
	b.press("j enter")
	if s := text(); !strings.Contains(s, "do it in one step") || !strings.Contains(s, "the tests fail") || !strings.Contains(s, "plan the work") || strings.Contains(s, "three steps") {
		t.Errorf("the first branch shows\n%s", s)
	} else if names := regexp.MustCompile(`branch \d of \d`).FindAllString(s, -1); len(slices.Compact(names)) != 1 {
		t.Errorf("the first branch is %q, want one name:\n%s", names, s)
	}
	b.press("B j enter")
	if s := text(); !strings.Contains(s, "the first step is done") || strings.Contains(s, "the tests fail") || strings.Contains(s, "three steps") {
		t.Errorf("the second branch shows\n%s", s)
	}
	b.press("B G enter")
	if s := text(); !strings.Contains(s, "the first step is done") || !strings.Contains(s, "the tests fail") || !strings.Contains(s, "three steps") {
		t.Errorf("all branches show\n%s", s)
	}
	b.press("B g enter")
	if s := text(); strings.Contains(s, "the first step is done") || !strings.Contains(s, "three steps") {
		t.Errorf("the live branch shows\n%s", s)
	}
	b.press("f")
	typeIn(b, "role:user")
	b.press("enter B")
	if !strings.Contains(b.a.status, "& switches it off") {
		t.Errorf("B under a filter says %q", b.a.status)
	}
}

func TestNoBranches(t *testing.T) {
	b := newBench(t, sample(), testOptions(), 100, 30)
	b.press("B")
	if b.a.status != "no other branch in this conversation" {
		t.Errorf("B says %q", b.a.status)
	}
}

// aTree is a session with regenerated and edited messages: id, parent, text; the ids of prompts
// begin with u.
func aTree(name string) (tree [][3]string) {
	for _, m := range [][3]string{
		{"u1", "", "plan "}, {"a1", "u1", "the plan of "}, {"u2", "a1", "one step "}, {"a2", "u2", "done in one "}, {"u4", "a1", "two steps "},
		{"a4", "u4", "the first of two "}, {"a4b", "u4", "another first of two "}, {"u5", "a1", "three steps "}, {"a5", "u5", "one of three "},
	} {
		tree = append(tree, [3]string{m[0], m[1], m[2] + name})
	}
	return tree
}

func roleOf(id string) string {
	if id[0] == 'u' {
		return "user"
	}
	return "assistant"
}

// chatGPT returns an export of ChatGPT with sessions that each end at a leaf.
func chatGPT(t *testing.T, leaves map[string]string, titles ...string) string {
	t.Helper()
	var all []any
	for n, title := range titles {
		nodes := map[string]map[string]any{"root": {"id": "root", "message": nil, "parent": nil, "children": []string{}}}
		for i, m := range aTree(title) {
			parent := m[1]
			if parent == "" {
				parent = "root"
			}
			nodes[m[0]] = map[string]any{"id": m[0], "parent": parent, "children": []string{}, "message": map[string]any{
				"id": m[0], "author": map[string]any{"role": roleOf(m[0])}, "create_time": 1_700_000_000 + n*1000 + i,
				"content": map[string]any{"content_type": "text", "parts": []string{m[2]}}, "status": "finished_successfully", "recipient": "all"}}
			nodes[parent]["children"] = append(nodes[parent]["children"].([]string), m[0])
		}
		all = append(all, map[string]any{"title": title, "create_time": 1_700_000_000 + n*1000, "mapping": nodes, "current_node": leaves[title], "conversation_id": title})
	}
	return encoded(t, all)
}

// openWebUI returns an export of Open WebUI with one chat per title.
func openWebUI(t *testing.T, leaves map[string]string, titles ...string) string {
	t.Helper()
	var all []any
	for n, title := range titles {
		messages := map[string]map[string]any{}
		for i, m := range aTree(title) {
			messages[m[0]] = map[string]any{"id": m[0], "parentId": nil, "childrenIds": []string{}, "role": roleOf(m[0]), "content": m[2], "timestamp": 1_760_000_000 + n*1000 + i, "done": true}
			if m[1] != "" {
				messages[m[0]]["parentId"] = m[1]
				messages[m[1]]["childrenIds"] = append(messages[m[1]]["childrenIds"].([]string), m[0])
			}
		}
		var in []string // in their order of time
		for _, m := range aTree(title) {
			in = append(in, encoded(t, m[0])+":"+encoded(t, messages[m[0]]))
		}
		history := map[string]any{"messages": json.RawMessage("{" + strings.Join(in, ",") + "}"), "currentId": leaves[title]}
		all = append(all, map[string]any{"id": title, "user_id": "u", "title": title, "created_at": 1_760_000_000 + n*1000, "chat": map[string]any{"title": title, "models": []string{"llama"}, "history": history}})
	}
	return encoded(t, all)
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// In a file with several sessions, B selects a branch of the session at the cursor and does not
// change the others.
func TestBranchesOfOneConversation(t *testing.T) {
	leaves := map[string]string{"First": "a5", "Second": "a4b", "Third": "a5"}
	for name, text := range map[string]string{"chatgpt": chatGPT(t, leaves, "First", "Second", "Third"), "open-webui": openWebUI(t, leaves, "First", "Second", "Third")} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, loaded(t, "export.json", text), testOptions(), 100, 50)
			frame := func() string { return ansi.Strip(b.frame()) }
			shows := func(what string, want, not []string) {
				t.Helper()
				for _, w := range want {
					if !strings.Contains(frame(), w) {
						t.Errorf("%s does not show %q:\n%s", what, w, frame())
					}
				}
				for _, w := range not {
					if strings.Contains(frame(), w) {
						t.Errorf("%s shows %q:\n%s", what, w, frame())
					}
				}
			}
			second := []string{"plan Second", "two steps Second", "another first of two Second"}
			shows("the file", append(second, "three steps First", "three steps Third"), []string{"one step First", "one step Second", "three steps Second"})
			b.press("g B")
			shows("the list", []string{"Branches   First", "live  three steps First", "one step First", "another first of two First"}, []string{"live  two", "│    one step Second"})
			if got := b.a.dialogs[0].(*timeline.BranchList); len(got.All) != 3 || len(got.Live) != 4 {
				t.Errorf("%d branches besides a live one of %d messages", len(got.All), len(got.Live))
			}
			b.press("j enter")
			shows("the first branch of the first", append(second, "done in one First", "three steps Third"), []string{"three steps First", "two steps First"})
			b.press("G B")
			shows("the list of the third", []string{"Branches   Third", "●"}, nil)
			b.press("j j j enter")
			shows("the last branch of the third", append(second, "three steps First", "another first of two Third"), []string{"three steps Third", "the first of two Third"})
			b.press("B g enter")
			shows("the file again", append(second, "three steps First", "three steps Third"), []string{"two steps Third", "one step First"})
		})
	}
}
