package console

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// heapRoom is how many bytes are allocated between two collections. The index is most of the heap,
// lives long and contains no pointers, so a collection costs the same for any size. The runtime's
// default, in proportion to the heap, would need hundreds of megabytes for a large transcript.
const heapRoom = 6 << 20

// liveRoom is heapRoom for a program that runs for hours with a nearly constant heap: there, fewer
// collections are worth more than the memory.
const liveRoom = 24 << 20

// Heap controls the allocations between two collections.
type Heap struct{ room atomic.Uint64 }

// KeepHeapSmall adjusts the room after every collection to the live heap. The cleanup of an
// unreferenced object detects a collection.
func KeepHeapSmall() *Heap {
	h := &Heap{}
	h.room.Store(heapRoom)
	h.watch()
	return h
}

// Live increases the room from now on, for a program that follows files.
func (h *Heap) Live() {
	h.room.Store(liveRoom)
	h.set()
}

func (h *Heap) watch() {
	h.set()
	runtime.AddCleanup(new([16]byte), func(h *Heap) { h.watch() }, h)
}

func (h *Heap) set() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := 100
	if live[0].Value.Kind() == metrics.KindUint64 {
		percent = gcPercent(live[0].Value.Uint64(), h.room.Load())
	}
	debug.SetGCPercent(percent)
}

// gcPercent returns the GC percentage for about this room.
func gcPercent(live, room uint64) int {
	most := 100 * room / heapRoom
	return int(min(max(100*room/max(live, 1), 4), most))
}
