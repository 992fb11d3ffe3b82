package modeltest

import "runtime/debug"

// CollectLess lets the tests of a package make more garbage before each collection, which is a
// third of the work of tests that read much.
func CollectLess() { debug.SetGCPercent(400) }
