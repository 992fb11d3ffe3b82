package cli

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"turns/ui/listen"
)

func TestWhoMayBeHeard(t *testing.T) {
	for _, c := range []struct {
		addr string
		f    listenCommand
		want string // the error; "" if it is allowed
	}{
		{"127.0.0.1:4318", listenCommand{}, ""},
		{"localhost:0", listenCommand{}, ""},
		{"[::1]:4318", listenCommand{}, ""},
		{"0.0.0.0:4318", listenCommand{}, "which other machines can reach"},
		{":4318", listenCommand{}, "which other machines can reach"},
		{"10.0.0.1:4318", listenCommand{token: "x"}, "which other machines can reach"},
		{":4318", listenCommand{public: true}, "--public needs --token"},
		{":4318", listenCommand{public: true, token: "x"}, ""},
		{"4318", listenCommand{}, "missing port"},
		{"[::]:4318", listenCommand{}, "which other machines can reach"},
		{"[::ffff:10.0.0.1]:4318", listenCommand{}, "which other machines can reach"},
		{"[fe80::1]:4318", listenCommand{}, "which other machines can reach"},
		{"127.0.0.2:4318", listenCommand{}, ""},
		{"localhost.evil.example:4318", listenCommand{}, "which other machines can reach"},
		{"127.0.0.1.evil.example:4318", listenCommand{}, "which other machines can reach"},
		{"0:4318", listenCommand{}, "which other machines can reach"},
	} {
		err := c.f.mayListen(c.addr)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %+v: %v, want %q", c.addr, c.f, err, c.want)
		}
	}
}

// listening runs a receiver until stop is called, and returns its address and spool.
func listening(t *testing.T) (url, spool string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	told, errs := io.Pipe()
	spool = filepath.Join(t.TempDir(), "spool.jsonl")
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, []string{"listen", "127.0.0.1:0", "-o", spool}, IO{In: strings.NewReader(""), Out: io.Discard, Err: errs, Env: func(string) string { return "" }})
		errs.Close()
	}()
	lines := bufio.NewScanner(told)
	lines.Scan()
	go func() { _, _ = io.Copy(io.Discard, told) }()
	return regexp.MustCompile(`http://\S+\d`).FindString(lines.Text()), spool, func() {
		cancel()
		if code := <-ended; code != exitInterrupted {
			t.Errorf("exit code %d", code)
		}
	}
}

// A session sent as spans is received unchanged, and once even if it is sent twice.
func TestSentIsHeard(t *testing.T) {
	const demo = "../../testdata/demo.jsonl"
	url, spool, stop := listening(t)
	for range 2 {
		if code, _, errs := run(t, "", "export", demo, "--to", "otlp", "--send", url); code != exitOK || !strings.Contains(errs, "sent ") {
			t.Errorf("exit code %d: %s", code, errs)
		}
	}
	stop()
	_, want, _ := run(t, "", "tools", demo, "--long")
	// spans include durations
	want = regexp.MustCompile(`(?m)^.*upper bounds\n\n`).ReplaceAllString(want, "")
	if _, got, _ := run(t, "", "tools", spool, "--long"); got != want {
		t.Errorf("heard\n%s\nsaid\n%s", got, want)
	}
	for _, c := range []struct{ args, want string }{
		{"--to json --send " + url, "--send sends spans"},
		{"--to otlp --send 127.0.0.1:9", "not a valid address"},
		{"--to otlp --send http://127.0.0.1:1/", "connection refused"},
	} {
		code, _, errs := run(t, "", append([]string{"export", demo}, strings.Fields(c.args)...)...)
		if code != exitError || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit code %d, %s", c.args, code, errs)
		}
	}
}

// An export reports a receiver that rejects spans, and sends no headers to a redirect's target.
func TestSendersSayWhatWasLeftOut(t *testing.T) {
	const demo = "../../testdata/demo.jsonl"
	for _, c := range []struct {
		answer http.HandlerFunc
		want   string
	}{
		{func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, `{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}`)
		}, "left out"},
		{func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusServiceUnavailable) }, "answered 503"},
		{func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://localhost:1/", http.StatusTemporaryRedirect)
		}, "redirected"},
	} {
		asked := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked++; r.URL.Path != tracesPath || r.Header.Get("X-Key") != "k" || r.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s with %v", r.URL, r.Header)
			}
			c.answer(w, r)
		}))
		code, _, errs := run(t, "", "export", demo, "--to", "otlp", "--send", server.URL, "-H", "X-Key: k")
		server.Close()
		if code != exitError || !strings.Contains(errs, c.want) || asked == 0 {
			t.Errorf("exit code %d after %d requests: %s", code, asked, errs)
		}
	}
}

// A sender's spans are a transcript: a prompt, a tool call, its result and duration, and the
// answer, although each was sent twice.
func TestListen(t *testing.T) {
	url, spool, stop := listening(t)
	const head = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"30313233343536373839616263646566",`
	for _, body := range []string{
		`"spanId":"3031323334353631","name":"chat m","startTimeUnixNano":"1781295600000000000","endTimeUnixNano":"1781295601000000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"hi\"}]}]"}},{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"ls\",\"arguments\":{}}]}]"}}]}]}]}]}`,
		`"spanId":"3031323334353632","name":"execute_tool ls","startTimeUnixNano":"1781295601000000000","endTimeUnixNano":"1781295602500000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.name","value":{"stringValue":"ls"}},{"key":"gen_ai.tool.call.id","value":{"stringValue":"c1"}},{"key":"gen_ai.tool.call.result","value":{"stringValue":"a b"}}]}]}]}]}`,
		`"spanId":"3031323334353633","name":"chat m","startTimeUnixNano":"1781295603000000000","endTimeUnixNano":"1781295604000000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"hi\"}]},{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"ls\",\"arguments\":{}}]},{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_call_response\",\"id\":\"c1\",\"response\":\"a b\"}]}]"}},{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"two\"}]}]"}}]}]}]}]}`,
	} {
		for range 2 {
			answer, err := http.Post(url+"/v1/traces", "application/json", strings.NewReader(head+body))
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				t.Errorf("%s", answer.Status)
			}
		}
	}
	stop()
	_, out, _ := run(t, "", "show", spool, "--utc")
	for _, want := range []string{"0 20:20:00 ❯ user       hi", "✓ ls", "3 20:20:04 ● assistant  two"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if _, out, _ = run(t, "", "tools", spool); !regexp.MustCompile(`(?m)^ls +1 .* 1\.5s`).MatchString(out) {
		t.Errorf("not one call of 1.5s:\n%s", out)
	}
	if _, out, _ = run(t, "", "stats", spool); !regexp.MustCompile(`(?m)^  results +1$`).MatchString(out) {
		t.Errorf("not one result:\n%s", out)
	}
}

// TestReportsOfAReceiver: refused requests with their reason and the number of ignored metrics are
// printed; while there is a screen, first on the screen.
func TestReportsOfAReceiver(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		var errs strings.Builder
		a := newApp(IO{Env: func(string) string { return "" }, Err: &errs, Terminal: terminal})
		c := &listenCommand{app: a}
		spool, err := listen.OpenSpool(filepath.Join(t.TempDir(), "spool.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		receiver, reports := c.receiver(spool)
		send := func(path, body string) int {
			req := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
			req.Header.Set("Content-Type", "application/json")
			answer := httptest.NewRecorder()
			receiver.ServeHTTP(answer, req)
			return answer.Code
		}
		if code := send("/v1/metrics/", "{}"); code != http.StatusOK {
			t.Errorf("metrics are answered with %d", code)
		}
		shown := func() string {
			select {
			case text := <-a.notices:
				return text
			default:
				return ""
			}
		}
		first := shown()
		for range 25 {
			if code := send("/v1/traces", "{"); code != http.StatusBadRequest {
				t.Errorf("half an object is answered with %d", code)
			}
		}
		second := shown()
		send("/v1/metrics", "{}")
		if printed := errs.String(); terminal == (printed != "") {
			t.Errorf("terminal %t: printed before the end: %q", terminal, printed)
		}
		reports.end()
		if err := spool.Close(); err != nil {
			t.Error(err)
		}
		refused, want := strings.Count(errs.String(), "turns: refused /v1/traces from 192.0.2.1:1234: reading /v1/traces of 1 bytes: "), 25
		if terminal {
			want = 20
			if first != "ignoring metrics: turns shows traces and logs" || !strings.HasPrefix(second, "refused /v1/traces") || !strings.Contains(errs.String(), "turns: 6 reports before these\n") {
				t.Errorf("the screen shows %q, then %q; then %q", first, second, errs.String())
			}
		}
		if refused != want || !strings.HasSuffix(errs.String(), "turns: ignored 2 requests with metrics\n") {
			t.Errorf("terminal %t: %d of 25 refusals, in %q", terminal, refused, errs.String())
		}
	}
}
