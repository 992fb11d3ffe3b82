// Package human writes numbers, durations, times and tables as people read them, the same in every
// answer, pane and export: number.go has numbers and times, width.go cells of a terminal and cuts,
// table.go tables for terminals and Markdown, markup.go text that must not be taken for Markdown.
package human
