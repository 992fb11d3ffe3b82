// Package panes is what can stand beside the timeline: tools and their calls, statistics, turns,
// the context window, the detail of a row.
package panes
