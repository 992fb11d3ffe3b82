package ui

import (
	"context"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query/human"
)

// TestTheCauseIsOnTheFirstScreen draws every failed session of the corpus at 80×24: the first words
// of the recorded error are visible before a key is pressed.
func TestTheCauseIsOnTheFirstScreen(t *testing.T) {
	corpus := modeltest.Corpus(t)
	files, runs := 0, 0
	err := filepath.WalkDir(corpus, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if files++; !modeltest.Some(files, 15) {
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > 2<<20 {
			return err
		}
		snap := runOf(t, path, load.Options{Workers: 1})
		if snap == nil {
			return nil
		}
		for i := range snap.Sessions() {
			if snap.Ending(i, 0).State == model.RunFailed {
				runs++
				causeSeen(t, path, i)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d failed runs", runs)
}

// runOf loads a transcript, nil for other files.
func runOf(t *testing.T, path string, o load.Options) *model.Snapshot {
	t.Helper()
	c, err := load.Open(t.Context(), path, o)
	if err != nil {
		return nil
	}
	t.Cleanup(func() { _ = c.Close() })
	snap, err := c.Load(t.Context())
	if err != nil {
		return nil
	}
	return snap
}

func causeSeen(t *testing.T, path string, session int) {
	t.Helper()
	snap := runOf(t, path, load.Options{Workers: 1, Session: &session})
	causes := recordedCauses(t, snap)
	if len(causes) == 0 {
		t.Errorf("%s, %d: no record says why it failed", path, session)
		return
	}
	b := newBench(t, snap, paneOptions(), 80, 24)
	frame := strings.Join(strings.Fields(ansi.Strip(b.frame())), " ")
	for _, c := range causes {
		if strings.Contains(frame, firstFew(c)) {
			return
		}
		if words := human.Reason(c); words != "" && strings.Contains(frame, firstFew(words)) {
			return
		}
	}
	t.Errorf("%s, %d: none of %.200q is on the screen:\n%s", path, session, causes, ansi.Strip(b.frame()))
}

// firstFew returns enough first words of a text to recognise it.
func firstFew(text string) string {
	few := ""
	for w := range strings.FieldsSeq(text) {
		if few != "" && len(few)+len(w) > 40 {
			break
		}
		few = strings.TrimSpace(few + " " + w)
	}
	return few
}

// recordedCauses returns the error texts in the records of a session, the last first. It reads the
// recorded JSON, so the program's own rules do not decide which texts count. On the screen, words
// may replace codes.
func recordedCauses(t *testing.T, snap *model.Snapshot) (causes []string) {
	t.Helper()
	for row := snap.Rows() - 1; row >= 0 && len(causes) < 2; row-- {
		m, err := snap.Body(context.Background(), snap.Row(row))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range m.Records {
			var v any
			if json.Unmarshal(r.Data, &v) == nil {
				causes = append(causes, causesIn(v)...)
			}
		}
	}
	return causes
}

// causesIn returns the texts in a JSON value that explain a failure.
func causesIn(v any) (out []string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			out = append(out, causesIn(e)...)
		}
	case map[string]any:
		for key, e := range v {
			switch e := e.(type) {
			case string:
				kind, _ := v["type"].(string)
				switch {
				case key == "finishReason":
					out = append(out, finishes[e]...)
				case key == "error", key == "refusal", key == "blockReasonMessage", strings.HasPrefix(strings.ToLower(kind), "error") && (key == "content" || key == "message"):
					out = append(out, e)
				}
			case map[string]any:
				switch text, _ := e["message"].(string); {
				case key == "error":
					out = append(out, text)
				case key == "match" && e["value"] == "I":
					out = append(out, "match: I")
				}
				if v["isApiErrorMessage"] == true {
					out = append(out, textsIn(e)...)
				}
				out = append(out, causesIn(e)...)
			case []any:
				if key == "errors" {
					out = append(out, textsIn(e)...)
				}
				out = append(out, causesIn(e)...)
			}
		}
	}
	return out
}

// finishes are the words for a response that stopped before its end.
var finishes = map[string][]string{"MAX_TOKENS": {"output limit"}, "SAFETY": {"refusal"}}

// textsIn returns the texts in a JSON value.
func textsIn(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v {
			out = append(out, textsIn(e)...)
		}
	case map[string]any:
		for key, e := range v {
			if _, ok := e.(string); !ok || key == "text" {
				out = append(out, textsIn(e)...)
			}
		}
	}
	return out
}
