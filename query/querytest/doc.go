// Package querytest makes messages for tests of answers, so that a conversation in a test reads
// like one. The tests of answers about recorded transcripts are in ui/library, in one binary that
// links every reader.
package querytest
