package listen

import (
	"compress/gzip"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

// Receiver implements OTLP/HTTP as specified (https://opentelemetry.io/docs/specs/otlp/#otlphttp):
// traces and logs, as protobuf or JSON, plain or compressed with gzip or zstd. It accepts and
// discards metrics.
type Receiver struct {
	spool *Spool
	token []byte // required from senders; empty: none required
	most  int64  // bytes of a request, both as sent and unpacked
	// Memory limits: pieces of one request, bytes of all; only one request is parsed at a time.
	pieces int
	bytes  atomic.Int64
	turn   sync.Mutex

	// Refused receives the sender, the path and the reason of each refused request; nil: only the
	// sender gets the reason. It is called from several goroutines.
	Refused func(sender, path string, reason error)
	// Ignored receives the number of requests with metrics so far; nil: not reported. It is called
	// from several goroutines.
	Ignored func(requests int64)
	metrics atomic.Int64
}

// Metrics returns the number of requests with metrics. They are accepted, so that SDKs report no
// errors, but discarded.
func (r *Receiver) Metrics() int64 { return r.metrics.Load() }

// metricsPath is the path of metrics.
const metricsPath = "/v1/metrics"

// NewReceiver makes a receiver that stores requests in a spool. If token is not empty, senders must
// send it as "Authorization: Bearer TOKEN".
func NewReceiver(spool *Spool, token string) *Receiver {
	return &Receiver{spool: spool, token: []byte(token), most: maxBody, pieces: maxPieces}
}

// signals returns the kinds of stored requests.
func signals() []*signal {
	return []*signal{
		{path: "/v1/traces", groups: "resourceSpans", scopes: "scopeSpans", items: "spans", rejected: "rejectedSpans", spans: true},
		{path: "/v1/logs", groups: "resourceLogs", scopes: "scopeLogs", items: "logRecords", rejected: "rejectedLogRecords"},
	}
}

// signalAt returns the kind of request for a path, nil for none.
func signalAt(path string) *signal {
	if path == metricsPath {
		return &signal{path: metricsPath}
	}
	for _, s := range signals() {
		if s.path == path {
			return s
		}
	}
	return nil
}

// ServeHTTP answers one request.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	s, encoding, err := r.admit(req)
	switch {
	case err == nil && s.path == metricsPath:
		if n := r.metrics.Add(1); r.Ignored != nil {
			r.Ignored(n)
		}
		w.Header().Set("Content-Type", encoding.media)
		_, _ = w.Write(encoding.success(s, 0))
		return
	case err == nil:
		err = r.take(w, req, s, encoding)
	}
	if err == nil {
		return
	}
	if r.Refused != nil {
		r.Refused(req.RemoteAddr, req.URL.Path, err)
	}
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{http.StatusServiceUnavailable, err} // senders will retry
		w.Header().Set("Retry-After", "5")
	}
	if f.code == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if encoding == nil {
		http.Error(w, "turns: error: "+f.Error(), f.code)
		return
	}
	w.Header().Set("Content-Type", encoding.media)
	w.WriteHeader(f.code)
	_, _ = w.Write(encoding.status(f.Error()))
}

// failure is an error with its HTTP status code.
type failure struct {
	code int
	error
}

func (f *failure) Unwrap() error { return f.error }

func fail(code int, format string, args ...any) error {
	return &failure{code, fmt.Errorf(format, args...)}
}

// admit returns the kind and the encoding of a request, or why it is refused.
func (r *Receiver) admit(req *http.Request) (*signal, *encoding, error) {
	media, _, _ := mime.ParseMediaType(req.Header.Get("Content-Type"))
	encoding := encodingOf(media)
	if len(r.token) > 0 {
		given := sha256.Sum256([]byte(strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")))
		if want := sha256.Sum256(r.token); subtle.ConstantTimeCompare(given[:], want[:]) != 1 {
			return nil, encoding, fail(http.StatusUnauthorized, "wrong token: use the one from the command line of turns listen")
		}
	}
	s := signalAt(strings.TrimRight(req.URL.Path, "/"))
	switch {
	case req.Header.Get("Origin") != "" || req.Header.Get("Sec-Fetch-Site") != "":
		// DNS rebinding makes a page's requests same-origin: the browser then sends no preflight.
		return nil, encoding, fail(http.StatusForbidden, "a page in a browser may not send")
	case s == nil:
		return nil, encoding, fail(http.StatusNotFound, "unknown path %q; traces are at /v1/traces, logs at /v1/logs", req.URL.Path)
	case req.Method != http.MethodPost:
		return nil, encoding, fail(http.StatusMethodNotAllowed, "%s accepts POST, not %s", s.path, req.Method)
	case encoding == nil:
		// A page in a browser can send other media types without a preflight, but not these.
		return nil, nil, fail(http.StatusUnsupportedMediaType, "%s accepts application/x-protobuf or application/json, not %q", s.path, media)
	}
	return s, encoding, nil
}

// take stores a request, then responds.
func (r *Receiver) take(w http.ResponseWriter, req *http.Request, s *signal, encoding *encoding) error {
	in := &held{all: &r.bytes}
	defer in.drop()
	body, err := r.unpacked(w, req, in)
	if err == nil {
		err = r.bounded(s, encoding, body)
	}
	if err != nil {
		return err
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	line, rejected, err := encoding.line(s, body)
	if err != nil {
		return fail(http.StatusBadRequest, "reading %s of %d bytes: %w", s.path, len(body), err)
	}
	if line != nil {
		if err := r.spool.add(withBody(line, body)); err != nil {
			return err
		}
	}
	w.Header().Set("Content-Type", encoding.media)
	_, _ = w.Write(encoding.success(s, rejected))
	return nil
}

// unpacked returns the body of a request; in counts its bytes.
func (r *Receiver) unpacked(w http.ResponseWriter, req *http.Request, in *held) ([]byte, error) {
	var body io.Reader = http.MaxBytesReader(w, req.Body, r.most)
	codings := strings.Split(strings.ToLower(strings.Join(req.Header.Values("Content-Encoding"), ",")), ",")
	if len(codings) > maxCodings {
		return nil, fail(http.StatusUnsupportedMediaType, "the body has %d encodings; turns reads %d", len(codings), maxCodings)
	}
	for _, coding := range slices.Backward(codings) { // the last one was applied last
		z, err := r.decoder(strings.TrimSpace(coding), body)
		if err != nil {
			return nil, err
		}
		defer z.Close()
		body = z
	}
	in.Reader = body
	data, err := io.ReadAll(in)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large) || int64(len(data)) > r.most:
		return nil, fail(http.StatusRequestEntityTooLarge, "the body is over %d bytes; send fewer at a time", r.most)
	case errors.Is(err, errBusy):
		return nil, err
	case err != nil:
		return nil, fail(http.StatusBadRequest, "reading the body: %w", err)
	}
	return data, nil
}

// maxCodings bounds the encodings of a body: each can make it a thousand times as large.
const maxCodings = 2

// decoder unpacks a body by one of its encodings, up to a byte more than a body may have.
func (r *Receiver) decoder(coding string, body io.Reader) (io.ReadCloser, error) {
	var z io.ReadCloser
	var err error
	switch coding {
	case "", "identity":
		return io.NopCloser(body), nil
	case "gzip", "x-gzip":
		z, err = gzip.NewReader(body)
	case "zstd":
		var d *zstd.Decoder
		if d, err = zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20)); err == nil {
			z = d.IOReadCloser()
		}
	default:
		return nil, fail(http.StatusUnsupportedMediaType, "the body has the encoding %q; turns reads gzip and zstd", coding)
	}
	if err != nil {
		return nil, fail(http.StatusBadRequest, "unpacking the body: %w", err)
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(z, r.most+1), z}, nil
}
