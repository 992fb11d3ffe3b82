// Package querytest makes messages for tests of answers in readable notation. The tests of answers
// about recorded transcripts are in ui/library, in one binary that links every reader.
package querytest
