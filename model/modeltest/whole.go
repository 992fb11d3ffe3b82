package modeltest

import "os"

// Whole says whether tests that sample what they could try shall try all of it: TURNS_TEST=all asks for that.
func Whole() bool { return os.Getenv("TURNS_TEST") == "all" }
