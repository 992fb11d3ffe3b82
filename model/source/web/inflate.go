package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"

	"turns/model"
)

// inflating requests compressed answers and decompresses them. The standard library also does so,
// but without a limit: 2 MB of an answer filled 1 GB of disk.
type inflating struct {
	http.RoundTripper
	limits model.Limits
}

// RoundTrip sends a request. If a header requests an encoding, the answer stays as sent.
func (t inflating) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("Accept-Encoding") != "" {
		return t.RoundTripper.RoundTrip(req)
	}
	req = req.Clone(req.Context())
	req.Header.Set("Accept-Encoding", "gzip")
	resp, err := t.RoundTripper.RoundTrip(req)
	if err == nil && strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		resp.Body = &inflated{packed: resp.Body, limits: t.limits}
		resp.ContentLength, resp.Uncompressed = -1, true
	}
	return resp, err
}

// inflated is a body that is decompressed as it is read.
type inflated struct {
	packed  io.ReadCloser
	text    *gzip.Reader // nil before the first read
	limits  model.Limits
	in, out int64
}

func (b *inflated) Read(p []byte) (n int, err error) {
	if b.text == nil { // not earlier: it waits for the header
		if b.text, err = gzip.NewReader(counting{b.packed, &b.in}); err != nil {
			return 0, err
		}
	}
	left := b.limits.MayGrow(b.in) - b.out
	if left <= 0 {
		return 0, b.limits.Beyond("unpacked", "what follows of the compressed answer is left out")
	}
	n, err = b.text.Read(p[:min(int64(len(p)), left)])
	b.out += int64(n)
	return n, err
}

// Close closes the answer.
func (b *inflated) Close() error { return b.packed.Close() }

// counting counts the bytes read.
type counting struct {
	io.Reader
	n *int64
}

func (c counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	*c.n += int64(n)
	return n, err
}
