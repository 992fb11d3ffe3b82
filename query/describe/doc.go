// Package describe turns messages into lines of a list: a call into its tool, subject and outcome;
// a message into its first words; bookkeeping into a rule. family.go lists the tools of the agents,
// shell.go reads commands and their output, view.go decides which lines a filter shows.
package describe
