package load

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHolesAreNotRead: a line with a hole of a terabyte is skipped, and the text after it is read.
func TestHolesAreNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holes.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const hole = 1 << 40
	_, err = f.WriteString(claudeLines(0, 1))
	if err == nil {
		_, err = f.WriteAt([]byte("\n"+claudeLines(1, 1)), hole)
	}
	if err == nil {
		err = f.Truncate(2 * hole)
	}
	if err != nil {
		t.Skip("no such file can be made here: ", err)
	}
	before := cpuTime()
	snap := loadFile(t, path, Options{})
	if snap.Len() != 2 || snap.Unreadable() != 2 {
		t.Errorf("%d messages, %d lines that are too long", snap.Len(), snap.Unreadable())
	}
	if took := (cpuTime() - before).Seconds(); took > 10 { // it would be an hour
		t.Errorf("it took %.0f s", took)
	}
}
