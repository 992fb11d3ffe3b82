// Package many answers questions about many sessions: totals by tool, model, day and so on. It
// does no I/O. Each session is summed up once, by the functions that answer about one session, and
// is small enough to cache.
package many
