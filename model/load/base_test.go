package load

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
)

const parentID, childID = "01a011e2-21e4-71f2-a354-0495db06869c", "01a011e2-9999-71f2-a354-0495db06869d"

func codexMeta(id, base string) string {
	return fmt.Sprintf(`{"timestamp":"2026-08-17T22:40:35.000Z","ordinal":0,"type":"session_meta","payload":{"id":%q,"cwd":"/src/%.12s","history_mode":"paginated"%s}}`, id, id[9:], base) + "\n"
}

func codexSay(n int, role, text string) string {
	kind := "input_text"
	if role == "assistant" {
		kind = "output_text"
	}
	return fmt.Sprintf(`{"timestamp":"2026-08-17T22:41:%02d.000Z","ordinal":%d,"type":"response_item","payload":{"type":"message","role":%q,"content":[{"type":%q,"text":%q}]}}`, n, n, role, kind, text) + "\n"
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func texts(t *testing.T, s *model.Snapshot) string {
	t.Helper()
	var out []string
	for _, id := range s.LiveIDs() {
		m, err := s.Body(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := m.Content()
		out = append(out, text)
	}
	return strings.Join(out, "|")
}

func TestForkGoesOnFromItsParent(t *testing.T) {
	parent := codexMeta(parentID, "") + codexSay(1, "user", "one") + codexSay(2, "assistant", "two")
	end := len(parent)
	parent += codexSay(3, "user", "after the fork")
	child := func(base string) string {
		return codexMeta(childID, `,"history_base":{"thread_id":"`+parentID+`"`+base+`}`) + codexSay(3, "user", "three")
	}
	byOffset, byOrdinal := fmt.Sprintf(`,"end_ordinal_exclusive":3,"end_byte_offset":%d`, end), `,"end_ordinal_exclusive":3`
	tests := []struct{ name, base, parent, want, err string }{
		{"beside", byOffset, "rollout-2026-08-17T22-40-27-" + parentID + ".jsonl", "one|two|three", ""},
		{"by ordinal", byOrdinal, "rollout-2026-08-17T22-40-27-" + parentID + ".jsonl", "one|two|three", ""},
		{"another day", byOffset, "../16/rollout-2026-08-16T22-40-27-" + parentID + ".jsonl", "one|two|three", ""},
		{"another year", byOffset, "../../../2025/12/31/rollout-2025-12-31T22-40-27-" + parentID + ".jsonl", "one|two|three", ""},
		{"archived", byOffset, "../../../../archived_sessions/rollout-2025-12-31T22-40-27-" + parentID + ".jsonl", "one|two|three", ""},
		{"nowhere", byOffset, "", "three", "whose transcript is not next to this one"},
		{"no such end", `,"end_byte_offset":999999`, "rollout-" + parentID + ".jsonl", "one|two|after the fork|three", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "sessions", "2026", "08", "17")
			path := filepath.Join(dir, "rollout-2026-08-17T23-00-00-"+childID+".jsonl")
			write(t, path, child(test.base))
			if test.parent != "" {
				write(t, filepath.Join(dir, test.parent), parent)
			}
			c, err := Open(t.Context(), path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			s, err := c.Load(t.Context())
			if s == nil || test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Fatalf("error %v, want %q", err, test.err)
			}
			if got := texts(t, s); got != test.want {
				t.Errorf("messages %q, want %q", got, test.want)
			}
			for n, id := range s.LiveIDs() {
				if got, want := s.HeadRow(id).Flags&model.Inherited != 0, n < s.Len()-1; got != want {
					t.Errorf("message %d is inherited: %v", n, got)
				}
			}
			se := &s.Sessions()[0]
			if se.Field("session") != childID || se.Field("parent") != parentID || se.Field("cwd") != "/src/9999-71f2-a3" {
				t.Errorf("session %+v", se.Fields)
			}
			// The screen loads the transcript in steps.
			f, err := Open(t.Context(), path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			var last Update
			for {
				u, err := f.Next(t.Context())
				if err != nil {
					break
				}
				last = u
			}
			if last.Snap == nil || texts(t, last.Snap) != test.want || (last.Err != nil) != (test.err != "") {
				t.Errorf("in steps: %+v", last)
			}
		})
	}
}

func TestForksInACircleEnd(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "rollout-"+childID+".jsonl"), filepath.Join(dir, "rollout-"+parentID+".jsonl")
	write(t, a, codexMeta(childID, `,"history_base":{"thread_id":"`+parentID+`"}`)+codexSay(3, "user", "a"))
	write(t, b, codexMeta(parentID, `,"history_base":{"thread_id":"`+childID+`"}`)+codexSay(3, "user", "b"))
	c, err := Open(t.Context(), a, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := c.Load(t.Context())
	if err == nil || !strings.Contains(err.Error(), "leads back to itself") || texts(t, s) != "b|a" {
		t.Errorf("%v, %q", err, texts(t, s))
	}
}

// TestChainOfForks: a conversation continues its 32 nearest parents, and reports that there are
// more.
func TestChainOfForks(t *testing.T) {
	const parents, most = 33, 32
	dir := t.TempDir()
	id := func(i int) string { return fmt.Sprintf("01a011e2-21e4-71f2-a354-%012d", i) }
	var want []string
	for i := range parents + 1 {
		text, base := fmt.Sprint("text ", i), ""
		if i > 0 {
			base = `,"history_base":{"thread_id":"` + id(i-1) + `"}`
		}
		if i >= parents-most {
			want = append(want, text)
		}
		write(t, filepath.Join(dir, "rollout-"+id(i)+".jsonl"), codexMeta(id(i), base)+codexSay(3, "user", text))
	}
	c, err := Open(t.Context(), filepath.Join(dir, "rollout-"+id(parents)+".jsonl"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := c.Load(t.Context())
	if got := texts(t, s); got != strings.Join(want, "|") || err == nil || !strings.Contains(err.Error(), "which has more than 32 parents") {
		t.Errorf("%v, %q", err, got)
	}
}

func TestOneConversationOfMany(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tuning.jsonl")
	var b strings.Builder
	for i := range 5 {
		fmt.Fprintf(&b, `{"messages":[{"role":"user","content":"question %d"},{"role":"assistant","content":"answer %d"}]}`+"\n", i, i)
	}
	write(t, path, b.String())
	all := loadFile(t, path, Options{})
	parts := Parts(t.Context(), all)
	if len(parts) != 5 || parts[3].Title != "question 3" || parts[3].Messages != 2 {
		t.Fatalf("parts %+v", parts)
	}
	for i := range parts {
		one := loadFile(t, path, Options{Session: &parts[i].Number})
		if got, want := texts(t, one), fmt.Sprintf("question %d|answer %d", i, i); got != want || len(one.Sessions()) != 1 {
			t.Errorf("conversation %d: %q of %d, want %q", i, got, len(one.Sessions()), want)
		}
	}
	none := 9
	if s := loadFile(t, path, Options{Session: &none}); s.Len() != 0 {
		t.Errorf("conversation 9 has %d messages", s.Len())
	}
}

// TestBaseEndsWithoutNewline: the last line of a parent counts even without a newline.
func TestBaseEndsWithoutNewline(t *testing.T) {
	dir := t.TempDir()
	parent := codexMeta(parentID, "") + codexSay(1, "user", "one") + codexSay(2, "assistant", "two")
	write(t, filepath.Join(dir, "rollout-2026-08-17T22-40-35-"+parentID+".jsonl"), strings.TrimSuffix(parent, "\n"))
	child := codexMeta(childID, `,"history_base":{"thread_id":"`+parentID+`","end_ordinal_exclusive":9}`) + codexSay(3, "user", "three")
	path := filepath.Join(dir, "rollout-2026-08-18T22-40-35-"+childID+".jsonl")
	write(t, path, child)
	if got := texts(t, loadFile(t, path, Options{})); got != "one|two|three" {
		t.Errorf("the conversation is %q", got)
	}
}

// TestSiblingsOfAFork: the search for a base checks 256 transcripts in the folder.
func TestSiblingsOfAFork(t *testing.T) {
	dir := t.TempDir()
	base := filepath.Join(dir, "base.jsonl")
	write(t, base, "base\n")
	for others := range 257 {
		if want := others < 256; others >= 255 {
			got := baseNearby(t.Context(), filepath.Join(dir, "fork.jsonl"), func(line []byte) bool { return string(line) == "base" })
			if (got == base) != want {
				t.Errorf("behind %d others: %q", others, got)
			}
		}
		write(t, filepath.Join(dir, fmt.Sprintf("%03d.jsonl", others)), "")
	}
}
