package console

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// heapRoom is how many bytes are allocated between two collections. The index is
// most of the heap, lives long and holds no pointers, so that a collection costs
// the same whatever its size; room in proportion to it, which is the runtime's
// default, would be hundreds of megabytes for a large transcript.
const heapRoom = 6 << 20

// KeepHeapSmall sets the room anew after every collection, from what has lived
// through it. A cleanup of an object that nobody holds is what tells of one.
func KeepHeapSmall() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var watch func()
	watch = func() {
		metrics.Read(live)
		percent := 100
		if live[0].Value.Kind() == metrics.KindUint64 {
			percent = gcPercent(live[0].Value.Uint64())
		}
		debug.SetGCPercent(percent)
		runtime.AddCleanup(new([16]byte), func(struct{}) { watch() }, struct{}{})
	}
	watch()
}

// gcPercent is the share of a heap that leaves about heapRoom.
func gcPercent(live uint64) int {
	return int(min(max(100*heapRoom/max(live, 1), 4), 100))
}
