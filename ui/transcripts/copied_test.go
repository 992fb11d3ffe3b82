package transcripts_test

import (
	"os"
	"testing"

	"turns/query/human"
	"turns/ui/transcripts"
)

// A just copied folder of old sessions has no running session.
func TestACopiedFolderHasNothingLive(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/formats")); err != nil {
		t.Fatal(err)
	}
	list, err := transcripts.New(transcripts.Options{Dirs: []string{dir}}).Sessions(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for s, err := range list.Rows {
		if err != nil {
			continue
		}
		rows++
		if s.Live || s.Stage == human.Waiting || s.Stage == human.Stuck || s.Stage == human.Running {
			t.Errorf("%s: live %v, %v: %s", s.Path, s.Live, s.Stage, s.Reason)
		}
	}
	if rows < 50 {
		t.Errorf("only %d sessions are listed", rows)
	}
}
