package modeltest

import "os"

// Whole says whether tests that sample what they could try shall try all of it: TURNS_TEST=all asks for that.
func Whole() bool { return os.Getenv("TURNS_TEST") == "all" }

// Some says whether a test tries the i-th of many things, of which it tries one of each so many.
func Some(i, each int) bool { return i%each == 0 || Whole() }

// Fewer is how much of something a test tries: all of it, or little where a part of it tells as much.
func Fewer(all, few int) int {
	if Whole() {
		return all
	}
	return few
}
