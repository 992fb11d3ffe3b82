package modeltest

import "runtime/debug"

// CollectLess lets the tests of a package make more garbage before it is collected: that is a third
// of the work of those that read much.
func CollectLess() { debug.SetGCPercent(400) }
