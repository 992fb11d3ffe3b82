// Package describe turns a message into lines of a list: a call into its tool, its subject and its
// outcome; a message into its first words; bookkeeping into a rule. family.go knows the tools of
// the agents, shell.go reads commands and their output, view.go decides which lines a filter
// shows.
package describe
