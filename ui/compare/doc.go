// Package compare shows two runs side by side, two folders of runs, and what the sessions of a
// folder left open.
package compare
