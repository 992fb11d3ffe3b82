package format

import "testing"

// TestFoldersAreMarked compiles every description: exactly those that read a folder have the names
// of its files, so that opening a folder compiles no others.
func TestFoldersAreMarked(t *testing.T) {
	count := 0
	for i, d := range shipped() {
		f := d.format()
		reads := f.Unroll != nil && f.Unroll.Members != nil
		if reads != (d.files != nil) || reads && f.Unroll.Members(d.files) == nil {
			t.Errorf("description %d, %s: reads folders: %t, with files %q", i, f.Name, reads, d.files)
		}
		if reads {
			count++
		}
	}
	if len(folders([]string{"other.json"})) != len(foldersInGo()) {
		t.Error("a folder compiles descriptions whose files it lacks")
	}
	if count < 2 {
		t.Errorf("%d descriptions read folders; at least fx and posit do", count)
	}
}
