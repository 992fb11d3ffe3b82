package listen

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// TestRawRequests sends requests that no HTTP client makes: false lengths, bodies in pieces, odd
// headers, paths and methods. Each gets a response, and only spans are stored.
func TestRawRequests(t *testing.T) {
	const (
		long = "Content-Length: LENGTH\r\n"
		json = "Content-Type: application/json\r\n"
	)
	for name, c := range map[string]struct {
		line, headers, body string
		code                int
	}{
		"a plain request":          {"", json + long, spanJSON, 200},
		"two lengths":              {"", json + "Content-Length: 5\r\n" + long, spanJSON, 400},
		"a length below zero":      {"", json + "Content-Length: -5\r\n", spanJSON, 400},
		"a length in hex":          {"", json + "Content-Length: 0x10\r\n", spanJSON, 400},
		"a length of 20 digits":    {"", json + "Content-Length: 99999999999999999999\r\n", spanJSON, 400},
		"a length and pieces":      {"", json + long + "Transfer-Encoding: chunked\r\n", "0\r\n\r\nPOST /v1/traces HTTP/1.1\r\n", 400},
		"a piece below zero":       {"", json + "Transfer-Encoding: chunked\r\n", "-1\r\nx", 400},
		"a piece with a long name": {"", json + "Transfer-Encoding: chunked\r\n", "1;" + strings.Repeat("a", 100_000) + "\r\n", 400},
		"two packings of pieces":   {"", json + "Transfer-Encoding: identity, chunked\r\n", spanJSON, 501},
		"an unknown packing":       {"", json + "Transfer-Encoding: xchunked\r\n", spanJSON, 501},
		"a header of 2 MB":         {"", "X: " + strings.Repeat("a", 2<<20) + "\r\n", "", 431},
		"many headers":             {"", strings.Repeat("X: a\r\n", 400_000), "", 431},
		"a path of 2 MB":           {"POST /" + strings.Repeat("a", 2<<20), json, "", 431},
		"a NUL in a header":        {"", json + long + "X: a\x00b\r\n", spanJSON, 400},
		"a return in a header":     {"", json + long + "X: a\rY: b\r\n", spanJSON, 400},
		"a header without a colon": {"", json + long + "nonsense\r\n", spanJSON, 400},
		"a blank before the colon": {"", "Content-Type : application/json\r\n" + long, spanJSON, 400},
		"an escape in the host":    {"", json + long + "Host: \x1b[2J\r\n", spanJSON, 400},
		"two hosts":                {"", json + long + "Host: b\r\n", spanJSON, 400},
		"two types":                {"", "Content-Type: text/plain\r\n" + json + long, spanJSON, 415},
		"types in a list":          {"", "Content-Type: application/json, text/plain\r\n" + long, spanJSON, 415},
		"no type":                  {"", long, spanJSON, 415},
		"three encodings":          {"", json + long + "Content-Encoding: gzip, gzip, gzip\r\n", zipped(zipped(zipped(spanJSON))), 415},
		"a body after the packed":  {"", json + long + "Content-Encoding: gzip\r\n", zipped(spanJSON) + "garbage", 400},
		"a packed body as text":    {"", json + long, zipped(spanJSON), 400},
		"a mark of byte order":     {"", json + long, "\ufeff" + spanJSON, 400},
		"UTF-16":                   {"", json + long, "\xff\xfe{\x00}\x00", 400},
		"deep JSON":                {"", json + long, `{"resourceSpans":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + "}", 413},
		"CONNECT":                  {"CONNECT evil:80", json + long, spanJSON, 404},
		"TRACE":                    {"TRACE /v1/traces", json + long, spanJSON, 405},
		"a method in small":        {"post /v1/traces", json + long, spanJSON, 405},
		"another method in it":     {"GET /v1/traces", json + long + "X-HTTP-Method-Override: POST\r\n", spanJSON, 405},
		"a path that climbs":       {"POST /v1/../v1/traces", json + long, spanJSON, 404},
		"two slashes":              {"POST //v1/traces", json + long, spanJSON, 404},
		"a path with NUL":          {"POST /v1/traces%00", json + long, spanJSON, 404},
		"no origin that tells":     {"", json + long + "Origin: null\r\n", spanJSON, 403},
		"an origin here":           {"", json + long + "Origin: http://127.0.0.1\r\n", spanJSON, 403},
		"a question before":        {"OPTIONS /v1/traces", "Origin: http://evil\r\nAccess-Control-Request-Method: POST\r\n", "", 403},
		"another site":             {"", json + long + "Sec-Fetch-Site: cross-site\r\n", spanJSON, 403},
	} {
		r, path := open(t, "")
		server := httptest.NewServer(r)
		line := c.line
		if line == "" {
			line = "POST /v1/traces"
		}
		host := "Host: h\r\n"
		if strings.Contains(name, "escape in the host") {
			host = ""
		}
		headers := strings.ReplaceAll(c.headers, "LENGTH", fmt.Sprint(len(c.body)))
		conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		// a server may answer before it has read all
		go fmt.Fprintf(conn, "%s HTTP/1.1\r\n%sConnection: close\r\n%s\r\n%s", line, host, headers, c.body)
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || answer.StatusCode != c.code {
			t.Errorf("%s: %+v, %v, want %d", name, answer, err, c.code)
		}
		conn.Close()
		server.Close()
		if kept, err := os.ReadFile(path); err != nil || (len(kept) > 0) != (c.code == 200) {
			t.Errorf("%s: kept %.200q, %v", name, kept, err)
		}
	}
}
