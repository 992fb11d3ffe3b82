package kit_test

import (
	"testing"

	"turns/model/format"
	"turns/model/format/formattest"
)

// TestSamples reads the samples of all formats, because all of them use this package.
func TestSamples(t *testing.T) { formattest.Samples(t, format.Detect) }

// TestChanges reads the samples of all formats with one change each.
func TestChanges(t *testing.T) { formattest.Changes(t, format.All()...) }
