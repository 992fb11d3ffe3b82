// Package summary answers what one conversation amounts to: stats, tools, the timeline of its
// turns, the work log, and what it cost. Each answer is a struct with JSON names, a String for
// people and a WriteJSON that streams the texts it refers to.
package summary
