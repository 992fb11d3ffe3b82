// Package label is what people say of runs: notes, labels, verdicts and scores, how they
// are written in a line, and how one finds its message again after the transcript has
// grown, was cut, moved or converted. Where labels are kept is not known here.
package label
