package load

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"turns/model"
)

// recordsName is the fallback format, for transcripts of unknown formats.
const recordsName = "records"

// promised maps extensions of transcripts to their expected content.
var promised = map[string]string{
	".jsonl": "JSON", ".ndjson": "JSON", ".parquet": "Parquet", ".eval": "a zip archive", ".zip": "a zip archive",
	".db": "a database", ".sqlite": "a database", ".sqlite3": "a database", ".vscdb": "a database",
}

// Misfit returns why a file without a known format is likely a damaged transcript and not an
// unrelated file: its contents contradict its name. It is nil for other files.
func (c *Conversation) Misfit() error { return misfit(c.src.Sample()) }

func misfit(s *model.Sample) error {
	name := plainName(strings.TrimSuffix(strings.ToLower(filepath.ToSlash(s.Path)), ".gz"))
	what := promised[path.Ext(name)]
	if what == "" || s.Shape != model.Binary && s.Shape != model.Prose {
		return nil
	}
	return fmt.Errorf("read %q: nothing in it is %s, as its name says it is", s.Path, what)
}
