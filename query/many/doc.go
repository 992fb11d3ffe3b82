// Package many answers questions about many sessions: totals by tool, model, day and so on. It does
// no I/O. It sums up each session once, with the functions for one session, and the sum is small
// enough to cache.
package many
