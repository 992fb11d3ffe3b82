// Package panes has the panes next to the timeline: tools and their calls, statistics, turns, the
// context window, lanes, the files, the detail of a row. panes.go is their registry. Each pane has
// a file (pane_tools.go), asks package query for its answer and draws it. A pane reads screen.Host
// and never writes to it.
package panes
