package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"turns/model"
)

const (
	maxRedirects = 10
	headerWait   = 30 * time.Second // for the first byte of an answer
	bodyTime     = 10 * time.Minute // for all of it
)

// isURL reports whether arg is an address rather than a path.
func isURL(arg string) bool {
	lower := strings.ToLower(arg[:min(len(arg), 8)])
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}

// getter fetches pages of one address; the pages of an endpoint that is paged
// are fetched by the same one.
type getter struct {
	client *http.Client
	header http.Header
	limits model.Limits
	cancel func()
}

func newGetter(opts Options) *getter {
	transport := &http.Transport{ // TLS is verified: the default
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: headerWait,
		MaxIdleConns:          2,
		IdleConnTimeout:       10 * time.Second,
		ForceAttemptHTTP2:     true,
	}
	timeout := opts.Timeout
	if timeout == 0 {
		timeout = bodyTime
	}
	g := &getter{header: opts.Header, limits: opts.Limits.WithDefaults(), cancel: transport.CloseIdleConnections}
	g.client = &http.Client{
		Transport: transport,
		Timeout:   timeout,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) >= maxRedirects {
				return fmt.Errorf("more than %d redirects", maxRedirects)
			}
			if req.URL.Scheme != "http" && req.URL.Scheme != "https" {
				return fmt.Errorf("redirected to %q", req.URL.Redacted())
			}
			if first := via[0].URL; req.URL.Host != first.Host || req.URL.Scheme != first.Scheme {
				for name := range opts.Header {
					req.Header.Del(name) // what was given for one host is a secret to others
				}
				req.Header.Del("Referer")
			}
			return nil
		},
	}
	return g
}

// get begins a request and gives its body, which is bounded and whose errors say
// what was wrong.
func (g *getter) get(ctx context.Context, address string) (io.ReadCloser, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("get %q: not a valid address", address)
	}
	name := u.Redacted()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("get %q: %w", name, err)
	}
	req.Header.Set("Accept", "application/json, application/x-ndjson, text/event-stream;q=0.8, */*;q=0.5")
	req.Header.Set("User-Agent", "turns")
	for key, values := range g.header {
		req.Header[http.CanonicalHeaderKey(key)] = values
		if strings.EqualFold(key, "Host") && len(values) > 0 {
			req.Host = values[0]
		}
	}
	resp, err := g.client.Do(req)
	if err != nil {
		return nil, httpError(name, err)
	}
	if err := acceptable(resp); err != nil {
		resp.Body.Close()
		return nil, fmt.Errorf("get %q: %w", name, err)
	}
	return &body{r: resp.Body, name: name, left: g.limits.Response, limit: g.limits.Response}, nil
}

// httpError says in words why no answer came, without the header values that a
// client's own message could hold.
func httpError(name string, err error) error {
	var ue *url.Error
	var ne net.Error
	switch {
	case errors.As(err, &ne) && ne.Timeout():
		return fmt.Errorf("get %q: no answer in time: %w", name, context.DeadlineExceeded)
	case errors.As(err, &ue):
		err = ue.Err
	}
	return fmt.Errorf("get %q: %w", name, err)
}

func acceptable(resp *http.Response) error {
	if resp.StatusCode != http.StatusOK {
		text := http.StatusText(resp.StatusCode)
		switch resp.StatusCode {
		case http.StatusUnauthorized, http.StatusForbidden:
			text += " (give credentials with -H)"
		}
		return fmt.Errorf("the server answered %d %s", resp.StatusCode, text)
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch major, _, _ := strings.Cut(kind, "/"); {
	case kind == "text/html", kind == "application/xhtml+xml", major == "image", major == "audio", major == "video", major == "font", kind == "text/css":
		return fmt.Errorf("the server answered with content of type %q, which is no transcript", kind)
	}
	return nil
}

// body is the body of an answer.
type body struct {
	r           io.ReadCloser
	name        string
	left, limit int64
	read        int64
}

func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		var one [1]byte
		if n, _ := b.r.Read(one[:]); n == 0 {
			return 0, io.EOF
		}
		return 0, fmt.Errorf("get %q: the answer is larger than the limit of %d bytes: %w", b.name, b.limit, errTooLarge)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	b.read += int64(n)
	var ne net.Error
	switch {
	case err == nil || err == io.EOF:
	case errors.As(err, &ne) && ne.Timeout():
		err = fmt.Errorf("get %q: the answer stopped after %d bytes: %w", b.name, b.read, context.DeadlineExceeded)
	default:
		err = fmt.Errorf("get %q: the answer broke off after %d bytes: %w", b.name, b.read, err)
	}
	return n, err
}

func (b *body) Close() error { return b.r.Close() }

// urlName is what to call an address: the last part of its path that says
// something.
func urlName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "url"
	}
	if name := path.Base(u.Path); name != "." && name != "/" {
		return name
	}
	return u.Host
}
