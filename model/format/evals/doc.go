// Package evals reads what evaluations record: trajectories of Harbor (ATIF), SWE-agent and
// mini-swe-agent, logs of Inspect AI, results of τ-bench and τ²-bench. One file each; a log of many
// samples has a session for each, with its scores. inspect_sample.go reads a sample of Inspect.
package evals
