//go:build !race

package token

// generated is how many texts TestOracle compares in either encoding.
const generated = 100_000
