package dump_test

import (
	"testing"

	"turns/model/format"
	"turns/model/format/formattest"
)

// TestSamples reads the samples of all formats, because this package prints their golden files.
func TestSamples(t *testing.T) { formattest.Samples(t, format.Detect) }
