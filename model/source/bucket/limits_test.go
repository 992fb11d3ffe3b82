package bucket

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// TestElementsOfAnAnswer: an answer has at most 40,000 elements, and 32 in each other.
func TestElementsOfAnAnswer(t *testing.T) {
	for _, test := range []struct {
		text string
		want error
	}{
		{strings.Repeat("<a></a>", 40_000), nil},
		{strings.Repeat("<a></a>", 40_001), errDeep},
		{strings.Repeat("<a/>", 40_000), nil},
		{strings.Repeat("<a>", 32) + strings.Repeat("</a>", 32), nil},
		{strings.Repeat("<a>", 33), errDeep},
	} {
		if _, err := io.Copy(io.Discard, &shallow{ReadCloser: io.NopCloser(strings.NewReader(test.text))}); !errors.Is(err, test.want) {
			t.Errorf("%.20q (%d bytes): %v, want %v", test.text, len(test.text), err, test.want)
		}
	}
}
