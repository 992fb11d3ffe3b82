package cli

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestWhoMayBeHeard(t *testing.T) {
	for _, c := range []struct {
		addr string
		f    listenFlags
		want string // the error; "" where it is allowed
	}{
		{"127.0.0.1:4318", listenFlags{}, ""},
		{"localhost:0", listenFlags{}, ""},
		{"[::1]:4318", listenFlags{}, ""},
		{"0.0.0.0:4318", listenFlags{}, "others can reach"},
		{":4318", listenFlags{}, "others can reach"},
		{"10.0.0.1:4318", listenFlags{token: "x"}, "others can reach"},
		{":4318", listenFlags{public: true}, "takes a --token"},
		{":4318", listenFlags{public: true, token: "x"}, ""},
		{"4318", listenFlags{}, "missing port"},
	} {
		err := c.f.mayListen(c.addr)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %+v: %v, want %q", c.addr, c.f, err, c.want)
		}
	}
}

// A sender's spans are a transcript: the call of a tool and what came of it, which came in
// the other order and twice.
func TestListen(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	told, errs := io.Pipe()
	spool := filepath.Join(t.TempDir(), "spool.jsonl")
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, []string{"listen", "127.0.0.1:0", "-o", spool}, IO{In: strings.NewReader(""), Out: io.Discard, Err: errs, Env: func(string) string { return "" }})
		errs.Close()
	}()
	lines := bufio.NewScanner(told)
	lines.Scan()
	url := regexp.MustCompile(`http://\S+\d`).FindString(lines.Text())
	go func() { _, _ = io.Copy(io.Discard, told) }()
	const head = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"30313233343536373839616263646566",`
	for _, body := range []string{
		`"spanId":"3031323334353632","name":"execute_tool ls","startTimeUnixNano":"1781295601000000000","endTimeUnixNano":"1781295602500000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.name","value":{"stringValue":"ls"}},{"key":"gen_ai.tool.call.id","value":{"stringValue":"c1"}},{"key":"gen_ai.tool.call.result","value":{"stringValue":"a b"}}]}]}]}]}`,
		`"spanId":"3031323334353631","name":"chat m","startTimeUnixNano":"1781295600000000000","endTimeUnixNano":"1781295601000000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"hi\"}]}]"}},{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"ls\",\"arguments\":{}}]}]"}}]}]}]}]}`,
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
	if code := <-ended; code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	_, out, _ := run(t, "", "tools", spool)
	if !regexp.MustCompile(`(?m)^ls +1 `).MatchString(out) {
		t.Errorf("not one call with its result:\n%s", out)
	}
	if _, out, _ = run(t, "", "stats", spool); !regexp.MustCompile(`(?m)^messages +3$`).MatchString(out) || !regexp.MustCompile(`(?m)^  results +1$`).MatchString(out) {
		t.Errorf("not three messages:\n%s", out)
	}
}
