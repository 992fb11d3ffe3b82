// Package many answers about many runs: sums of what the answers about single ones
// say, by tool, model, day and the like. It reads nothing; each run is summed once,
// by the same functions that answer about it alone, and small enough to be kept.
package many
