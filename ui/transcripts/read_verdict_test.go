package transcripts_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"turns/model"
	"turns/model/load"
	"turns/model/modeltest"
	"turns/query/session"
)

// TestCorpusVerdicts checks that every failed session of the corpus has a reason.
func TestCorpusVerdicts(t *testing.T) {
	corpus := modeltest.Corpus(t)
	modeltest.Long(t, "it reads a corpus")
	failed, all := 0, 0
	err := filepath.WalkDir(corpus, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() > 2<<20 {
			return err
		}
		c, err := load.Open(context.Background(), path, load.Options{Workers: 1})
		if err != nil {
			return nil // not a transcript
		}
		defer c.Close()
		snap, _ := c.Load(context.Background())
		if snap == nil {
			return nil
		}
		for i := range snap.Sessions() {
			out := snap.Ending(i, 0)
			v, err := session.Judge(context.Background(), snap, i, false)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			all++
			if testing.Verbose() {
				t.Logf("%-11s %s %d: %s", out.State, filepath.Base(path), i, v.Why)
			}
			if out.State != model.RunFailed || snap.Sessions()[i].Count == 0 {
				continue
			}
			failed++
			if v.Why == "" || v.Cause == "" || v.At == model.NoID || strings.ContainsAny(v.Why, "\n\x1b") {
				t.Errorf("%s, session %d: failed, and the verdict is %+v", path, i, v)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d runs failed", failed, all)
}
