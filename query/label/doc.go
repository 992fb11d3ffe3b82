// Package label defines annotations of sessions: notes, labels, verdicts and scores, their notation
// in a line, and how an annotation finds its message again after the transcript has grown, was cut,
// moved or converted. It does not depend on the store.
package label
