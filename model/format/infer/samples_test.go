package infer_test

import (
	"testing"

	"turns/model/format"
	"turns/model/format/formattest"
)

// TestSamples reads the samples of all formats: the registry asks this package last for the format of a sample.
func TestSamples(t *testing.T) { formattest.Samples(t, format.Detect) }
