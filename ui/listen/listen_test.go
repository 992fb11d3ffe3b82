package listen

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// open returns a receiver and its file.
func open(t *testing.T, token string) (*Receiver, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "received", "spool.jsonl")
	spool, err := OpenSpool(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { spool.Close() })
	r := NewReceiver(spool, token)
	r.most, r.pieces = 2000, 300
	return r, path
}

// span returns a request with one span.
func span(trace, id, name string) *traces.TracesData {
	return &traces.TracesData{ResourceSpans: []*traces.ResourceSpans{{ScopeSpans: []*traces.ScopeSpans{{Spans: []*traces.Span{{
		TraceId: []byte(trace), SpanId: []byte(id), Name: name, StartTimeUnixNano: 1781295600000000000,
		Attributes: []*common.KeyValue{{Key: "gen_ai.operation.name", Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: "chat"}}}},
		Links:      []*traces.Span_Link{{TraceId: []byte(trace), SpanId: []byte(id)}},
	}}}}}}}
}

func binary(t *testing.T, m proto.Message) string {
	t.Helper()
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

// send posts a request and returns the response.
func send(r *Receiver, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	return w
}

const trace16, span8 = "0123456789abcdef", "01234567"

const spanJSON = "{ \"resourceSpans\": [\n{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"30313233343536373839616263646566\", \"spanId\":\"3031323334353637\",\"startTimeUnixNano\":\"1781295600000000000\",\"intValue\":12345678901234567890}]}]}]}"

func TestWhatIsSentIsKept(t *testing.T) {
	const proto = "application/x-protobuf"
	for _, c := range []struct {
		name, path, body string
		headers          []string
		want             string // stored lines
	}{
		{"JSON", "/v1/traces", spanJSON, nil, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"30313233343536373839616263646566","spanId":"3031323334353637","startTimeUnixNano":"1781295600000000000","intValue":12345678901234567890}]}]}]`},
		{"JSON by gzip", "/v1/logs", zipped(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"x"}}]}]}]}`), []string{"Content-Encoding", "gzip", "Content-Type", "application/json; charset=utf-8"}, `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"x"}}]}]}]`},
		{"protobuf", "/v1/traces", binary(t, span(trace16, span8, "chat")), []string{"Content-Type", proto}, `"traceId":"30313233343536373839616263646566"`},
		{"protobuf by gzip", "/v1/traces", zipped(binary(t, span(trace16, span8, "chat"))), []string{"Content-Type", proto, "Content-Encoding", "gzip"}, `"links":[{"spanId":"3031323334353637"`},
		{"nothing", "/v1/traces", `{}`, nil, ""},
		{"nothing as protobuf", "/v1/logs", "", []string{"Content-Type", proto}, ""},
	} {
		r, path := open(t, "")
		w := send(r, "POST", c.path, c.body, c.headers...)
		kept, err := os.ReadFile(path)
		if err != nil || w.Code != http.StatusOK || !strings.Contains(string(kept), c.want) || (c.want == "") != (len(kept) == 0) || bytes.Count(kept, []byte("\n")) > 1 {
			t.Errorf("%s: %d %q, kept %s", c.name, w.Code, w.Body, kept)
		}
		if got, want := asReceived(kept), plain(t, c.body); c.want != "" && got != want {
			t.Errorf("%s: kept %q of the body %q", c.name, got, want)
		}
	}
}

// asReceived returns the original body of a line, byte for byte.
func asReceived(line []byte) string {
	var kept struct{ Received []byte }
	if json.Unmarshal(line, &kept) == nil && kept.Received != nil {
		return string(kept.Received)
	}
	return strings.TrimSuffix(string(line), "\n")
}

// plain decompresses a body.
func plain(t *testing.T, body string) string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		return body
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWhatIsRefused(t *testing.T) {
	const proto = "application/x-protobuf"
	for _, c := range []struct {
		name, method, path, body string
		headers                  []string
		code                     int
		want                     string
	}{
		{"half a body", "POST", "/v1/traces", `{"resourceSpans":[`, nil, 400, "unexpected EOF"},
		{"two values", "POST", "/v1/traces", `{}{}`, nil, 400, "more than one value"},
		{"no list", "POST", "/v1/traces", `{"resourceSpans":7}`, nil, 400, "is not a list"},
		{"broken protobuf", "POST", "/v1/traces", "\xff\xff\xff", []string{"Content-Type", proto}, 400, "reading /v1/traces"},
		{"no gzip", "POST", "/v1/traces", "{}", []string{"Content-Encoding", "gzip"}, 400, "unpacking"},
		{"a bomb", "POST", "/v1/traces", zipped(strings.Repeat(" ", 2001)), []string{"Content-Encoding", "gzip"}, 413, "over 2000 bytes"},
		{"too long", "POST", "/v1/traces", strings.Repeat(" ", 2001), nil, 413, "over 2000 bytes"},
		{"deflate", "POST", "/v1/traces", "{}", []string{"Content-Encoding", "deflate"}, 415, "turns reads gzip and zstd"},
		{"a page in a browser", "POST", "/v1/traces", "{}", []string{"Content-Type", "text/plain"}, 415, "application/x-protobuf"},
		{"a page whose name leads here", "POST", "/v1/traces", spanJSON, []string{"Origin", "http://evil.example:4318"}, 403, "a browser"},
		{"a page that hides where it is from", "POST", "/v1/traces", spanJSON, []string{"Sec-Fetch-Site", "same-origin"}, 403, "a browser"},
		{"many values", "POST", "/v1/traces", `{"resourceSpans":[` + strings.Repeat("0,", 300) + `0]}`, nil, 413, "over 300 pieces"},
		{"many objects", "POST", "/v1/logs", `{"resourceLogs":["\"",` + strings.Repeat("{},", 300) + `0]}`, nil, 413, "over 300 pieces"},
		{"many empty spans", "POST", "/v1/traces", manySpans(t, 300), []string{"Content-Type", proto}, 413, "over 300 pieces"},
		{"deep values", "POST", "/v1/logs", deepLog(t), []string{"Content-Type", proto}, 413, "over 300 pieces"},
		{"profiles", "POST", "/v1/profiles", "{}", nil, 404, "/v1/logs"},
		{"asked for", "GET", "/v1/traces", "", nil, 405, "accepts POST"},
	} {
		r, path := open(t, "")
		w := send(r, c.method, c.path, c.body, c.headers...)
		kept, err := os.ReadFile(path)
		if err != nil || w.Code != c.code || !strings.Contains(w.Body.String(), c.want) || len(kept) > 0 {
			t.Errorf("%s: %d %q, want %d %q; kept %q", c.name, w.Code, w.Body, c.code, c.want, kept)
		}
	}
}

// manySpans returns a request with n empty spans.
func manySpans(t *testing.T, n int) string {
	spans := make([]*traces.Span, n)
	for i := range spans {
		spans[i] = &traces.Span{}
	}
	return binary(t, &traces.TracesData{ResourceSpans: []*traces.ResourceSpans{{ScopeSpans: []*traces.ScopeSpans{{Spans: spans}}}}})
}

// deepLog returns a request with deeply nested lists.
func deepLog(t *testing.T) string {
	v := &common.AnyValue{}
	for range 60 {
		v = &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: &common.ArrayValue{Values: []*common.AnyValue{v}}}}
	}
	return binary(t, &logs.LogsData{ResourceLogs: []*logs.ResourceLogs{{ScopeLogs: []*logs.ScopeLogs{{LogRecords: []*logs.LogRecord{{Body: v}}}}}}})
}

// slow is a body that blocks after its beginning.
type slow struct {
	begin io.Reader
	came  chan<- struct{}
	wait  <-chan struct{}
}

func (s *slow) Read(p []byte) (int, error) {
	if n, err := s.begin.Read(p); err == nil {
		return n, nil
	}
	s.came <- struct{}{}
	<-s.wait
	return 0, io.ErrUnexpectedEOF
}

// TestBodiesAreBoundedTogether: many slow senders use no more memory than the common limit, and
// further ones are asked to retry later.
func TestBodiesAreBoundedTogether(t *testing.T) {
	r, _ := open(t, "")
	r.most = maxHeld
	came, wait := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		req := httptest.NewRequest("POST", "/v1/traces", &slow{io.LimitReader(blanks{}, maxHeld-10), came, wait})
		req.Header.Set("Content-Type", "application/json")
		r.ServeHTTP(httptest.NewRecorder(), req)
	})
	<-came
	if w := send(r, "POST", "/v1/traces", spanJSON); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	close(wait)
	wg.Wait()
	if w := send(r, "POST", "/v1/traces", spanJSON); w.Code != http.StatusOK {
		t.Errorf("when there is room again: %d %s", w.Code, w.Body)
	}
}

// blanks is an endless stream of blanks.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestSendersMustShowTheToken(t *testing.T) {
	r, path := open(t, "secret")
	for _, c := range []struct {
		header string
		code   int
	}{{"", 401}, {"Bearer wrong", 401}, {"secret2", 401}, {"Bearer secret", 200}} {
		if w := send(r, "POST", "/v1/traces", spanJSON, "Authorization", c.header); w.Code != c.code {
			t.Errorf("%q: %d %s", c.header, w.Code, w.Body)
		}
	}
	if kept, _ := os.ReadFile(path); bytes.Count(kept, []byte("\n")) != 1 {
		t.Errorf("kept %q", kept)
	}
}

// Spans without valid ids are reported as rejected; the others are stored.
func TestPartialSuccess(t *testing.T) {
	good, bad := span(trace16, span8, "chat"), span("short", span8, "chat")
	good.ResourceSpans = append(good.ResourceSpans, bad.ResourceSpans...)
	r, path := open(t, "")
	w := send(r, "POST", "/v1/traces", binary(t, good), "Content-Type", "application/x-protobuf")
	if want := "\nI\b\x01\x12E" + reason; w.Code != 200 || w.Body.String() != want {
		t.Errorf("%d %q, want %q", w.Code, w.Body, want)
	}
	w = send(r, "POST", "/v1/traces", strings.Replace(spanJSON, `[{"traceId"`, `[{"traceId":"00"},7,{"traceId"`, 1))
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"rejectedSpans":"2"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	kept, _ := os.ReadFile(path)
	if bytes.Count(kept, []byte("\n")) != 2 || bytes.Count(kept, []byte(`"startTimeUnixNano"`)) != 2 || bytes.Contains(kept, []byte(`"00"`)) {
		t.Errorf("kept %s", kept)
	}
}

// Requests of many concurrent senders are stored once each, although all are sent twice and the
// receiver was killed while writing.
func TestNothingIsLostAndNothingIsTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spool.jsonl")
	const senders, each = 8, 50
	for life := range 2 {
		spool, err := OpenSpool(path)
		if err != nil {
			t.Fatal(err)
		}
		r := NewReceiver(spool, "")
		var wg sync.WaitGroup
		for s := range senders {
			wg.Go(func() {
				for i := range each {
					body := binary(t, span(fmt.Sprintf("%016d", s), fmt.Sprintf("%08d", i), "chat"))
					if w := send(r, "POST", "/v1/traces", body, "Content-Type", "application/x-protobuf"); w.Code != 200 {
						t.Errorf("life %d: %d %s", life, w.Code, w.Body)
					}
				}
			})
		}
		wg.Wait()
		spool.Close()
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.WriteString(`{"resourceSpans":[{"sco`) // killed here
		f.Close()
	}
	spool, err := OpenSpool(path)
	if err != nil {
		t.Fatal(err)
	}
	spool.Close()
	kept, _ := os.ReadFile(path)
	spans := map[string]bool{}
	for line := range bytes.Lines(kept) {
		if !json.Valid(line) {
			t.Fatalf("kept half: %s", line)
		}
		spans[string(line)] = true
	}
	if n := bytes.Count(kept, []byte("\n")); n != senders*each || len(spans) != n {
		t.Errorf("%d lines, %d different, want %d", n, len(spans), senders*each)
	}
}

// A file with other content is not written to.
func TestSpoolIsNoOtherFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(path, []byte("dear diary\nhalf"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenSpool(path); err == nil {
		t.Error("taken")
	}
	if text, _ := os.ReadFile(path); string(text) != "dear diary\nhalf" {
		t.Errorf("it is %q now", text)
	}
}

// BenchmarkReceive measures a span as protobuf, from the request to the file.
func BenchmarkReceive(b *testing.B) {
	spool, err := OpenSpool(filepath.Join(b.TempDir(), "spool.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer spool.Close()
	r := NewReceiver(spool, "")
	for i := 0; b.Loop(); i++ {
		body, _ := proto.Marshal(span(trace16, fmt.Sprintf("%08d", i), "chat"))
		send(r, "POST", "/v1/traces", string(body), "Content-Type", "application/x-protobuf")
	}
}

// SDKs send metrics, paths with a trailing slash, and bodies compressed with zstd; refused requests
// are reported with the reason.
func TestWhatSDKsSend(t *testing.T) {
	r, path := open(t, "")
	var refused []string
	r.Refused = func(sender, path string, reason error) {
		refused = append(refused, path+": "+reason.Error())
	}
	for i, contentType := range []string{"application/json", "application/x-protobuf"} {
		if w := send(r, "POST", "/v1/metrics", "whatever", "Content-Type", contentType); w.Code != 200 || r.Metrics() != int64(i+1) {
			t.Errorf("metrics as %s: %d, %d counted", contentType, w.Code, r.Metrics())
		}
	}
	if w := send(r, "POST", "/v1/traces/", spanJSON); w.Code != 200 {
		t.Errorf("a slash at the end: %d %s", w.Code, w.Body)
	}
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if w := send(r, "POST", "/v1/traces", string(z.EncodeAll([]byte(strings.ReplaceAll(spanJSON, "3031323334353637", "3131323334353637")), nil)), "Content-Encoding", "zstd"); w.Code != 200 {
		t.Errorf("zstd: %d %s", w.Code, w.Body)
	}
	for i, encoding := range []string{"ZSTD", "Gzip", "gzip, zstd", "identity,zstd"} {
		body := strings.ReplaceAll(spanJSON, "3031323334353637", fmt.Sprintf("4%d31323334353637", i))
		if strings.Contains(strings.ToLower(encoding), "gzip") {
			body = zipped(body)
		}
		if strings.Contains(strings.ToLower(encoding), "zstd") {
			body = string(z.EncodeAll([]byte(body), nil))
		}
		if w := send(r, "POST", "/v1/traces", body, "Content-Encoding", encoding); w.Code != 200 {
			t.Errorf("%s: %d %s", encoding, w.Code, w.Body)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil || bytes.Count(kept, []byte("\n")) != 6 {
		t.Errorf("kept %q, %v", kept, err)
	}
	if len(refused) > 0 {
		t.Errorf("refused: %q", refused)
	}
	bomb := string(z.EncodeAll(make([]byte, 1<<20), nil))
	send(r, "POST", "/v1/traces", bomb, "Content-Encoding", "zstd")
	send(r, "POST", "/v1/nothing", spanJSON)
	for _, encoding := range []string{"br", "gzip, br", "gzip, gzip, gzip"} {
		if w := send(r, "POST", "/v1/traces", zipped(spanJSON), "Content-Encoding", encoding); w.Code != http.StatusUnsupportedMediaType {
			t.Errorf("%s: %d %s", encoding, w.Code, w.Body)
		}
	}
	if len(refused) != 5 || !strings.Contains(refused[0], "/v1/traces: the body is over 2000 bytes") || !strings.Contains(refused[1], `unknown path "/v1/nothing"`) {
		t.Errorf("refused: %q", refused)
	}
}

// A batch of 24 MB, as SDKs send for long histories, is accepted.
func TestLargeBatches(t *testing.T) {
	r, path := open(t, "")
	r.most, r.pieces = maxBody, maxPieces
	body := strings.Replace(spanJSON, `"intValue"`, `"name":"`+strings.Repeat("x", 24<<20)+`","intValue"`, 1)
	if w := send(r, "POST", "/v1/traces", body); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if info, err := os.Stat(path); err != nil || info.Size() < 24<<20 {
		t.Errorf("kept %v, %v", info, err)
	}
}
