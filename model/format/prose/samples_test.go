package prose_test

import (
	"testing"

	"turns/model/format"
	"turns/model/format/formattest"
)

// TestSamples reads the samples of all formats: texts and terminals are read by this package.
func TestSamples(t *testing.T) { formattest.Samples(t, format.Detect) }
