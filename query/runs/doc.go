// Package runs answers questions about several sessions: how two differ, how two folders of trials
// differ task by task, the work by day, and unfinished business.
package runs
