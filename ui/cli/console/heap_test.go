package console

import "testing"

func TestGCPercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 100, 1 << 20: 100, heapRoom: 100, 4 * heapRoom: 25, 20 * heapRoom: 5, 1 << 40: 4} {
		if got := gcPercent(live); got != want {
			t.Errorf("%d live bytes: %d %%, want %d", live, got, want)
		}
	}
}
