package envelope_test

import (
	"testing"

	"turns/model/format"
	"turns/model/format/formattest"
)

// TestSamples reads the samples of all formats, because the registry opens envelopes with this
// package.
func TestSamples(t *testing.T) { formattest.Samples(t, format.Detect) }
