//go:build race

package token

// The race detector makes tiktoken-go ten times slower, and TestOracle has no
// goroutines of its own to find races between.
const generated = 5_000
