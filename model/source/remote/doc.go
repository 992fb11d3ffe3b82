// Package remote reads files in buckets and on other hosts like local files. Names that [Is]
// recognises are addresses, all others are local paths. It never writes.
package remote
