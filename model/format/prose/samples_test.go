package prose_test

import (
	"testing"

	"turns/model/format"
	"turns/model/format/formattest"
)

// TestSamples reads the samples of all formats: this package reads texts and terminals.
func TestSamples(t *testing.T) { formattest.Samples(t, format.Detect) }
