package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"turns/model"
)

// answerMost limits how much of an answer is read.
const answerMost = 64 << 10

// Sender posts to one address. It sends headers only there: a redirect is an error.
type Sender struct {
	address, kind string
	get           *getter
}

// NewSender returns a sender of bodies of a media type to an address.
func NewSender(address, kind string, opts Options) (*Sender, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || !IsURL(address) {
		return nil, fmt.Errorf("send to %q: not a valid address", Shown(address))
	}
	s := &Sender{address: address, kind: kind, get: newGetter(opts)}
	s.get.client.CheckRedirect = func(req *http.Request, _ []*http.Request) error {
		return fmt.Errorf("redirected to %q", Shown(req.URL.String()))
	}
	return s, nil
}

// Send posts a body and returns the beginning of the answer. A status other than success is an
// error.
func (s *Sender) Send(ctx context.Context, data []byte) ([]byte, error) {
	name := Shown(s.address)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address, bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("send to %q: %w", name, err)
	}
	for key, values := range s.get.header {
		req.Header[http.CanonicalHeaderKey(key)] = values
		if strings.EqualFold(key, "Host") && len(values) > 0 {
			req.Host = values[0]
		}
	}
	req.Header.Set("Content-Type", s.kind)
	req.Header.Set("User-Agent", "turns")
	resp, err := s.get.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("sending: %w", httpError(name, err))
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return nil, fmt.Errorf("send to %q: %w", name, refusal(resp))
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, answerMost))
	if err != nil {
		return nil, fmt.Errorf("send to %q: reading the answer: %w", name, err)
	}
	return []byte(model.CleanLine(string(answer))), nil
}

// Close ends the connections.
func (s *Sender) Close() { s.get.cancel() }
