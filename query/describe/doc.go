// Package describe writes what happened in a message as lines of a list: of a call its tool, what
// it was about and how it ended; of a message its first words; of bookkeeping its rule. family.go
// knows the tools of the agents, shell.go reads commands and their output, view.go tells which of
// the lines a filter shows.
package describe
