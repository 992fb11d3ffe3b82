// Package label defines annotations of sessions: notes, labels, verdicts and scores, how to write
// them in a line, and how one finds its message again after the transcript has grown, was cut,
// moved or converted. It does not know the store.
package label
