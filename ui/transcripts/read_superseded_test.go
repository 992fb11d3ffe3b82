package transcripts_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"turns/model"
	"turns/model/load"
	"turns/query"
)

// TestSupersededAsRecorded: the chain of a transcript that records it.
func TestSupersededAsRecorded(t *testing.T) {
	const messages = `[{"id":"m1","role":"user","content":[{"type":"text","text":"Update"}],"created_at":"2025-08-06T14:00:00Z","interaction_id":"i-1","validity_state":"active"},
{"id":"m2","role":"assistant","content":[{"type":"text","text":"First."}],"created_at":"2025-08-06T14:00:01Z","interaction_id":"i-1","validity_state":"superseded","superseded_by":"m3"},
{"id":"m3","role":"assistant","content":[{"type":"text","text":"Second."}],"created_at":"2025-08-06T14:00:02Z","interaction_id":"i-1","validity_state":"superseded","superseded_by":"m4"},
{"id":"m4","role":"assistant","content":[{"type":"text","text":"Third."}],"created_at":"2025-08-06T14:00:03Z","interaction_id":"i-1","validity_state":"active"}]`
	path := filepath.Join(t.TempDir(), "messages.json")
	if err := os.WriteFile(path, []byte(messages), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	c, err := load.Open(ctx, path, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := c.Load(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r, err := query.NewReplaced(ctx, s)
	if err != nil || s.Len() != 4 {
		t.Fatal(s.Len(), err)
	}
	if a, b := r.By(s.At(1)), r.By(s.At(2)); a != s.At(2) || b != s.At(3) || r.By(s.At(3)) != model.NoID {
		t.Errorf("m2 is superseded by %d, m3 by %d", a, b)
	}
	if got := r.Of(s.At(3)); !slices.Equal(got, []model.ID{s.At(2)}) || r.Next(s.At(3)) != s.At(1) {
		t.Errorf("m4 supersedes %v, and leads to %d", got, r.Next(s.At(3)))
	}
}
