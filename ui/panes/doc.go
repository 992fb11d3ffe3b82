// Package panes is what can stand beside the timeline: tools and their calls, statistics, turns,
// the context window, the files, the detail of a row. panes.go is the registry of them; each is a
// file of its own (pane_tools.go) that asks package query for its answer and draws it. A pane reads
// screen.Host and never writes to it.
package panes
