package bucket

import (
	"errors"
	"io"
	"net/http"
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

// answering answers requests with a text.
type answering string

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(a)))}, nil
}

// TestLongestAnswer: the answer of a server has at most 8 MiB.
func TestLongestAnswer(t *testing.T) {
	for size, want := range map[int]error{8 << 20: nil, 8<<20 + 1: errLong} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://example.test/", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := bounded{answering(strings.Repeat("x", size))}.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); !errors.Is(err, want) {
			t.Errorf("an answer of %d bytes: %v, want %v", size, err, want)
		}
		answer.Body.Close()
	}
}
