// Package web requests transcripts from servers, and the results that these servers store
// separately. The pages of a history become one document. Errors describe the answer of the server,
// never the credentials of the request.
package web

import (
	"cmp"
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
	"turns/model/jsonspan"
)

const (
	maxRedirects = 10
	headerWait   = 30 * time.Second // for the first byte of an answer
	bodyTime     = 10 * time.Minute // for the entire answer
)

// IsURL reports whether arg is an address rather than a path.
func IsURL(arg string) bool {
	lower := strings.ToLower(arg[:min(len(arg), 8)])
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}

// Options configure requests. The zero value is useful.
type Options struct {
	Limits  model.Limits
	Header  http.Header   // sent to the host of the address, and to no other
	Timeout time.Duration // for an entire response; zero is ten minutes
}

// getter requests pages of one address; one getter fetches all pages of a history.
type getter struct {
	client *http.Client
	near   bool // refuse redirects to other hosts
	header http.Header
	limits model.Limits
	cancel func()
}

func newGetter(opts Options) *getter {
	transport := &http.Transport{ // TLS verification is on by default
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dial,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: headerWait,
		MaxIdleConns:          2,
		IdleConnTimeout:       10 * time.Second,
		ForceAttemptHTTP2:     true,
		DisableCompression:    true, // inflating decompresses within limits
	}
	timeout := cmp.Or(opts.Timeout, bodyTime)
	g := &getter{header: opts.Header, limits: opts.Limits.WithDefaults(), cancel: transport.CloseIdleConnections}
	g.client = &http.Client{
		Transport: inflating{transport, g.limits},
		Timeout:   timeout,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return fmt.Errorf("more than %d redirects", maxRedirects)
			}
			if req.URL.Scheme != "http" && req.URL.Scheme != "https" {
				return fmt.Errorf("redirected to %q", Shown(req.URL.String()))
			}
			if metadata(req.URL.Hostname()) && !metadata(via[0].URL.Hostname()) {
				return fmt.Errorf("redirected to %q: %w", Shown(req.URL.String()), errMetadata)
			}
			if first := via[0].URL; req.URL.Host != first.Host || req.URL.Scheme != first.Scheme {
				if g.near {
					return fmt.Errorf("redirected to another server, %q", Shown(req.URL.String()))
				}
				for name := range opts.Header {
					req.Header.Del(name) // headers for one host are secret to others
				}
				req.Header.Del("Referer")
				req.Host = "" // net/http keeps -H's Host if a Location has no scheme
			}
			return nil
		},
	}
	return g
}

// get starts a request and returns its body. The body is limited in size, and its errors name the
// cause.
func (g *getter) get(ctx context.Context, address string) (*body, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("get %q: not a valid address", Shown(address))
	}
	name := Shown(address)
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
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return &body{r: resp.Body, name: name, kind: kind, left: g.limits.Response, over: g.limits.Beyond("response", "what follows of the answer is left out")}, nil
}

// answerError is a server's answer without a transcript, or a missing answer.
type answerError struct {
	Msg    string
	Advice string // possible actions of the user
	Err    error  // nil: none
}

// Error returns the server's reaction.
func (e *answerError) Error() string {
	if e.Err == nil {
		return e.Msg
	}
	if e.Msg == "" {
		return e.Err.Error()
	}
	return e.Msg + ": " + e.Err.Error()
}

func (e *answerError) Unwrap() error { return e.Err }

// Hint returns possible actions of the user.
func (e *answerError) Hint() string { return e.Advice }

// httpError explains in words why no answer arrived, without the header values that the HTTP
// client's message could contain.
func httpError(name string, err error) error {
	var ue *url.Error
	var ne net.Error
	switch {
	case errors.As(err, &ne) && ne.Timeout():
		return fmt.Errorf("get %q: %w", name, &answerError{
			Msg: "no answer in time", Err: context.DeadlineExceeded, Advice: "the server was reached but is slow, or a proxy holds it up: try again",
		})
	case errors.As(err, &ue):
		err = ue.Err
	}
	advice := ""
	if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "dial" {
		advice = "is the server running there, and is the port right?"
	}
	return fmt.Errorf("get %q: %w", name, &answerError{Err: err, Advice: advice})
}

func acceptable(resp *http.Response) error {
	if resp.StatusCode != http.StatusOK {
		return refusal(resp)
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch major, _, _ := strings.Cut(kind, "/"); {
	case kind == "text/html", kind == "application/xhtml+xml", major == "image", major == "audio", major == "video", major == "font", kind == "text/css":
		return &answerError{
			Msg:    fmt.Sprintf("the server answered with content of type %q, which is no transcript", kind),
			Advice: "give the address of the data, such as …/api/dialogs/ID/history, not of the page that shows it",
		}
	}
	return nil
}

// refusal returns the error for a status, with the server's explanation if that is JSON.
func refusal(resp *http.Response) error {
	e := &answerError{}
	text := http.StatusText(resp.StatusCode)
	switch {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		text += " (give credentials with -H)"
		e.Advice = "turns -H 'Authorization: Bearer …' URL"
	case resp.StatusCode == http.StatusNotFound:
		e.Advice = "check the address and the id; a dialog's history is at …/api/dialogs/ID/history"
	case resp.StatusCode >= 500:
		e.Advice = "the server failed: its own log says why; try again later"
	}
	e.Msg = strings.TrimSpace(fmt.Sprintf("the server answered %d %s", resp.StatusCode, text))
	if reason := refusalText(resp.Body); reason != "" {
		e.Msg += fmt.Sprintf(": %q", reason)
	}
	return e
}

// refusalText returns the reason in a short JSON answer, "" if there is none.
func refusalText(r io.Reader) string {
	data, err := io.ReadAll(io.LimitReader(r, 4<<10))
	if err != nil {
		return ""
	}
	for _, path := range [][]string{{"detail"}, {"error", "message"}, {"error"}, {"message"}} {
		v := jsonspan.Get(data, path...)
		// FastAPI lists its validation errors
		if c := jsonspan.New(v); c.Kind() == jsonspan.Array {
			if c.Array(); c.More() {
				v = jsonspan.Get(c.Skip(), "msg")
			}
		}
		if jsonspan.KindOf(v) == jsonspan.String {
			reason := model.ValueText(v).String()
			return strings.ToValidUTF8(reason[:min(len(reason), 200)], "")
		}
	}
	return ""
}

// body is the body of an answer.
type body struct {
	r          io.ReadCloser
	name, kind string // address and media type
	left, read int64
	over       error // the error for an answer over the limit
}

func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		var one [1]byte
		if n, _ := b.r.Read(one[:]); n == 0 {
			return 0, io.EOF
		}
		return 0, fmt.Errorf("get %q: %w", b.name, b.over)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	b.read += int64(n)
	var ne net.Error
	var limit *model.LimitError
	switch {
	case err == nil || err == io.EOF:
	case errors.As(err, &limit):
		err = fmt.Errorf("get %q: %w", b.name, err)
	case errors.As(err, &ne) && ne.Timeout():
		err = fmt.Errorf("get %q: the answer stopped after %d bytes: %w", b.name, b.read, context.DeadlineExceeded)
	default:
		err = fmt.Errorf("get %q: the answer broke off after %d bytes: %w", b.name, b.read, err)
	}
	return n, err
}

func (b *body) Close() error { return b.r.Close() }

// Name returns a short name for an address: the last part of its path, or its host.
func Name(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "url"
	}
	if name := path.Base(u.Path); name != "." && name != "/" {
		return name
	}
	return u.Host
}
