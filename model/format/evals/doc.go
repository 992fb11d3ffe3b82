// Package evals reads the records of evaluations: trajectories of Harbor (ATIF), SWE-agent and
// mini-swe-agent, logs of Inspect AI, results of τ-bench and τ²-bench. Each is one file; a log of
// many samples becomes a session per sample, with its scores. inspect_sample.go reads a sample of
// Inspect.
package evals
