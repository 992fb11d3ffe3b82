package model

import "testing"

// The placeholder at the beginning of a stream is not the output of a message.
func TestPlaceholdersAreNoOutput(t *testing.T) {
	for _, c := range []struct {
		recorded int64
		size     uint32
		want     int64
	}{
		{1, 4000, 1000}, {6, 40, 6}, {8, 2000, 500}, {900, 4000, 900}, {17, 4000, 17}, {-1, 40, 0}, {0, 0, 0}, {16, 171, 42}, {16, 170, 16}, {0, 11, 2}, {0, 10, 0},
	} {
		if got := (&Head{Size: c.size}).OutputLeast(c.recorded); got != c.want {
			t.Errorf("%d recorded for %d bytes: %d, want %d", c.recorded, c.size, got, c.want)
		}
	}
}

// The flags of a usage row are distinct.
func TestFlagsOfUsage(t *testing.T) {
	for _, u := range []Usage{{Scope: Each, Cost: 1, HasCost: true}, {Scope: Each, HourCache: true}, {Scope: Each}} {
		row := TokensOf(&u)
		if got := row.Usage(); got.HasCost != u.HasCost || got.HourCache != u.HourCache || got.Cost != u.Cost {
			t.Errorf("%+v becomes %+v", u, got)
		}
	}
}
