package label

import (
	"strings"
	"testing"
)

// TestShortIDsAreNotSure: IDs of less than 16 characters may be equal by chance.
func TestShortIDsAreNotSure(t *testing.T) {
	for n, want := range map[int]bool{15: false, 16: true} {
		id := strings.Repeat("7", n)
		a, b := &Run{Session: id, Path: "/a", Opens: "Fix it"}, &Run{Session: id, Path: "/b"}
		if got := a.same(b); got != want {
			t.Errorf("sessions with the same id of %d characters: %v, want %v", n, got, want)
		}
		b.Opens = "Something else"
		if a.same(b) {
			t.Errorf("sessions with the same id of %d characters and other openings are one", n)
		}
		if got := a.kin(b); got != want {
			t.Errorf("kin with the same id of %d characters: %v, want %v", n, got, want)
		}
	}
}
