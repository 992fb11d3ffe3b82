// Package human formats numbers, durations, times and tables for people, the same in every answer,
// pane and export: number.go has numbers and times, width.go cells of a terminal and cuts, table.go
// tables for terminals and Markdown, markup.go escapes for Markdown and CSV.
package human
