// Package human writes numbers, durations, times and tables as people read them, the same in every
// answer, pane and export.
package human
