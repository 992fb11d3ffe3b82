// Package compare holds the dialogs about several runs: two side by side (Runs), two folders of
// them (Folders), and what the sessions of a folder left open (Threads). Package query/runs
// answers; here it is only drawn.
package compare
