package console

import "testing"

func TestGCPercent(t *testing.T) {
	for _, test := range []struct {
		live, room uint64
		want       int
	}{
		{0, heapRoom, 100}, {1 << 20, heapRoom, 100}, {heapRoom, heapRoom, 100}, {4 * heapRoom, heapRoom, 25}, {20 * heapRoom, heapRoom, 5}, {1 << 40, heapRoom, 4},
		{0, liveRoom, 400}, {liveRoom, liveRoom, 100}, {10 * liveRoom, liveRoom, 10},
	} {
		if got := gcPercent(test.live, test.room); got != test.want {
			t.Errorf("%d live bytes, room for %d: %d %%, want %d", test.live, test.room, got, test.want)
		}
	}
}
