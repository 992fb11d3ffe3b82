// Package evals reads the transcripts of evaluations: ATIF, Inspect, SWE-agent, mini-SWE,
// tau-bench.
package evals
