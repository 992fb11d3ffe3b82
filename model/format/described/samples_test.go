package described_test

import (
	"testing"

	"turns/model/format"
	"turns/model/format/formattest"
)

// TestSamples reads the samples of all formats, because many formats are descriptions.
func TestSamples(t *testing.T) { formattest.Samples(t, format.Detect) }
