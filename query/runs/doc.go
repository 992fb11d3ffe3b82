// Package runs answers questions about several runs: how two differ, how two folders of trials
// differ task by task, what was worked on by day, and what was left open.
package runs
