package console

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// heapRoom is how many bytes are allocated between two collections. The index is
// most of the heap, lives long and holds no pointers, so that a collection costs
// the same whatever its size; room in proportion to it, which is the runtime's
// default, would be hundreds of megabytes for a large transcript.
const heapRoom = 6 << 20

// liveRoom is the same of a program that goes on for hours over a heap that hardly grows: fewer
// collections are worth more there than the memory.
const liveRoom = 24 << 20

// Heap is how much room is left between two collections.
type Heap struct{ room atomic.Uint64 }

// KeepHeapSmall sets the room anew after every collection, from what has lived
// through it. A cleanup of an object that nobody holds is what tells of one.
func KeepHeapSmall() *Heap {
	h := &Heap{}
	h.room.Store(heapRoom)
	h.watch()
	return h
}

// Live leaves more room from now on: the program follows what others write.
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

// gcPercent is the share of a heap that leaves about so much room.
func gcPercent(live, room uint64) int {
	most := 100 * room / heapRoom
	return int(min(max(100*room/max(live, 1), 4), most))
}
