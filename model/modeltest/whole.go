package modeltest

import (
	"hash/fnv"
	"os"
	"testing"
)

// Whole says whether tests that sample what they could try shall try all of it: TURNS_TEST=all asks
// for that.
func Whole() bool { return os.Getenv("TURNS_TEST") == "all" }

// shortShare is how much less a short run tries of what tests sample: it is for the minute between
// edits, and the plain run tries the rest.
const shortShare = 16

// Some says whether a test tries the i-th of many things, of which it tries one of each so many,
// and with -short fewer of them.
func Some(i, each int) bool {
	if testing.Short() {
		each *= shortShare
	}
	return i%each == 0 || Whole()
}

// SomeNamed is Some for things that have names, by which they are chosen: what is added
// beside them changes no choice.
func SomeNamed(name string, each int) bool {
	h := fnv.New32a()
	h.Write([]byte(name))
	return Some(int(h.Sum32()>>1), each)
}

// Fewer is how much of something a test tries: all of it, or little where a part of it tells as
// much, and with -short less of that.
func Fewer(all, few int) int {
	switch {
	case Whole():
		return all
	case testing.Short():
		return max(few/shortShare, 1)
	}
	return few
}

// Corpus is the folder of transcripts that TURNS_CORPUS names. A test of theirs is
// skipped where it names none.
func Corpus(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("TURNS_CORPUS")
	if dir == "" {
		t.Skip("TURNS_CORPUS names no corpus")
	}
	return dir
}

// Long leaves a test out of a short run, and says what is long about it.
func Long(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("not in a short run: " + why)
	}
}
