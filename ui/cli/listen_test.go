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

// A sender's spans are a transcript: a prompt, the call of a tool, what came of it and how
// long it took, and the answer, though each was sent twice.
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
	if code := <-ended; code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
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
