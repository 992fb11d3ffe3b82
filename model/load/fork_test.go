package load

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"turns/model"
)

// own counts the conversation's own calls and output tokens, and the copied messages.
func own(s *model.Snapshot) (calls, copied int, output int64) {
	for i := range s.CallCount() {
		if s.Counted(s.Call(model.CallID(i))) {
			calls++
		}
	}
	for n := range s.Rows() {
		id := model.ID(n)
		if h := s.HeadRow(id); h.Op == model.Say && h.Flags&model.Inherited != 0 {
			copied++
		}
		if u, ok := s.Tokens(id); ok {
			output += int64(u.Output)
		}
	}
	for _, t := range s.Totals() {
		output += t.Usage.Output
	}
	return calls, copied, output
}

// zstded returns the text compressed with zstd, or "" for "".
func zstded(t *testing.T, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if text == "" {
		return ""
	}
	return string(w.EncodeAll([]byte(text), nil))
}

func TestForkMarksWhatItCopied(t *testing.T) {
	sample, err := os.ReadFile("../../testdata/formats/codex/rollout-fork.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	const parent, fork = "019e7583-0b33-7912-a209-4c0407cfa243", "019e7584-5201-7901-b1e7-a3f0c990c12f"
	lines := strings.SplitAfter(string(sample), "\n")
	nested := strings.Replace(lines[1], `"timestamp":"2026-05-29T20:53:02`, `"forked_from_id":"019e7580-0000-7000-8000-000000000000","timestamp":"2026-05-29T20:53:02`, 1) +
		strings.ReplaceAll(lines[1], parent, "019e7580-0000-7000-8000-000000000000")
	unnamed := strings.NewReplacer(fork, "child-session", parent, "parent-session", "019e7583-e0fb-7d81-898c-c4c112fa627d", "turn-1", "019e7584-6fc9-76b3-98ee-2503ea81cf12", "turn-2")
	tests := []struct {
		name, text, parent    string
		calls, copied, output int
	}{
		{"ids with times", string(sample), "", 1, 3, 7},
		{"a fork of a fork", lines[0] + nested + strings.Join(lines[2:], ""), "", 1, 3, 7},
		{"without the parent's line", lines[0] + strings.Join(lines[2:], ""), "", 1, 3, 7},
		{"a subagent that repeats its parent", strings.Replace(string(sample), "forked_from_id", "parent_thread_id", 1), "", 1, 3, 7},
		{"a subagent of its own", strings.Replace(lines[0], "forked_from_id", "parent_thread_id", 1) + strings.Join(lines[10:], ""), "", 1, 0, 57},
		{"no fork", strings.Replace(lines[0], "forked_from_id", "x", 1) + strings.Join(lines[2:], ""), "", 2, 0, 57},
		{"the parent beside it", unnamed.Replace(string(sample)), unnamed.Replace(strings.Join(lines[1:10], "")), 1, 3, 7},
		{"a parent that went on", unnamed.Replace(string(sample)), unnamed.Replace(strings.Join(lines[1:10], "") + strings.NewReplacer("1300", "1400", "turn-2", "turn-9").Replace(lines[16])), 1, 3, 7},
		{"another's transcript beside it", unnamed.Replace(string(sample)), strings.ReplaceAll(strings.Join(lines[1:10], ""), parent, "other-session"), 1, 3, 7},
	}
	for i := range 2 * len(tests) {
		test, end := tests[i/2], ""
		if i%2 == 1 { // an archive also has compressed files
			end = ".zst"
			test.name, test.text, test.parent = test.name+", compressed", zstded(t, test.text), zstded(t, test.parent)
		}
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if test.parent != "" {
				write(t, filepath.Join(dir, "a.jsonl"+end), test.parent)
			}
			path := filepath.Join(dir, "b.jsonl"+end)
			write(t, path, test.text)
			s := loadFile(t, path, Options{})
			calls, copied, output := own(s)
			if got, want := fmt.Sprint(calls, copied, output), fmt.Sprint(test.calls, test.copied, test.output); got != want {
				t.Errorf("own calls, copied messages, own output: %s, want %s", got, want)
			}
			if id := s.Sessions()[0].Field("session"); id != fork && id != "child-session" {
				t.Errorf("it is called %q", id)
			}
			if sum, err := Summarise(t.Context(), path); err != nil || sum.Calls != test.calls {
				t.Errorf("listed with %d calls, %v", sum.Calls, err)
			}
		})
	}
}
