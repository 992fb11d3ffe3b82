package sendertest

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"turns/model"
	"turns/model/load"
	"turns/query"
	"turns/query/summary"
	"turns/ui/listen"
)

// receiver runs a receiver on a server that sometimes fails, and returns its URL and spool.
func receiver(t *testing.T, fails func(n int64) bool) (url, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "spool.jsonl")
	spool, err := listen.OpenSpool(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { spool.Close() })
	r := listen.NewReceiver(spool, "secret")
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.ServeHTTP(w, req)
		if fails(n.Add(1)) { // it is stored, but the sender gets no confirmation
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, path
}

// sender returns a tracer of the OpenTelemetry SDK for Go that sends each span when it ends.
func sender(t *testing.T, url string) (trace.Tracer, func()) {
	t.Helper()
	exporter, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL(url+"/v1/traces"), otlptracehttp.WithCompression(otlptracehttp.GzipCompression),
		otlptracehttp.WithHeaders(map[string]string{"Authorization": "Bearer secret"}),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: true, InitialInterval: time.Millisecond, MaxInterval: time.Millisecond, MaxElapsedTime: time.Minute}))
	if err != nil {
		t.Fatal(err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter, sdktrace.WithMaxExportBatchSize(64)))
	return provider.Tracer("agent"), func() {
		if err := provider.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}
}

const (
	asks = `[{"role":"user","parts":[{"type":"text","content":"How warm is it in Graz? (#)"}]}]`
	call = `[{"role":"assistant","parts":[{"type":"tool_call","id":"call_#","name":"weather","arguments":{"city":"Graz"}}],"finish_reason":"tool_call"}]`
	told = `[{"role":"user","parts":[{"type":"text","content":"How warm is it in Graz? (#)"}]},{"role":"assistant","parts":[{"type":"tool_call","id":"call_#","name":"weather","arguments":{"city":"Graz"}}]},{"role":"tool","parts":[{"type":"tool_call_response","id":"call_#","response":"7 degrees"}]}]`
	says = `[{"role":"assistant","parts":[{"type":"text","content":"It is 7 degrees. (#)"}],"finish_reason":"stop"}]`
)

// converse sends a prompt, a call that may fail and an answer, by the semantic conventions.
func converse(tracer trace.Tracer, n int, fails bool) {
	at := time.Date(2026, 6, 12, 20, 20, 0, 0, time.UTC).Add(time.Duration(n) * time.Minute)
	text := func(k, format string) attribute.KeyValue {
		return attribute.String(k, strings.ReplaceAll(format, "#", strconv.Itoa(n)))
	}
	conversation := text("gen_ai.conversation.id", "conversation-#")
	ctx, run := tracer.Start(context.Background(), "invoke_agent weather", trace.WithTimestamp(at), trace.WithAttributes(conversation, attribute.String("gen_ai.operation.name", "invoke_agent"), attribute.String("gen_ai.agent.name", "weather")))
	chat := func(after int, in, out string, tokens ...int64) {
		_, s := tracer.Start(ctx, "chat gpt-5.2", trace.WithTimestamp(at.Add(time.Duration(after)*time.Second)), trace.WithAttributes(conversation,
			attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.provider.name", "openai"), attribute.String("gen_ai.request.model", "gpt-5.2"),
			text("gen_ai.input.messages", in), text("gen_ai.output.messages", out), attribute.Int64("gen_ai.usage.input_tokens", tokens[0]), attribute.Int64("gen_ai.usage.output_tokens", tokens[1])))
		s.End(trace.WithTimestamp(at.Add(time.Duration(after+2) * time.Second)))
	}
	chat(0, asks, call, 100, 10)
	_, s := tracer.Start(ctx, "execute_tool weather", trace.WithTimestamp(at.Add(2*time.Second)), trace.WithAttributes(conversation,
		attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", "weather"), text("gen_ai.tool.call.id", "call_#"), attribute.String("gen_ai.tool.call.result", "7 degrees")))
	if fails {
		s.RecordError(errors.New("no such city"))
		s.SetStatus(codes.Error, "no such city")
	}
	s.End(trace.WithTimestamp(at.Add(5 * time.Second)))
	chat(5, told, says, 130, 8)
	run.End(trace.WithTimestamp(at.Add(8 * time.Second)))
}

// The spans sent by the SDK form the original session: each message, call and token once, although
// responses got lost and senders restarted.
func TestSDKSendsAConversation(t *testing.T) {
	const runs, each = 40, 4 // spans per session: two chats, a call, the agent
	url, path := receiver(t, func(n int64) bool { return n%3 == 2 })
	for n := 0; n < runs; {
		a, endA := sender(t, url)
		b, endB := sender(t, url)
		for range 10 {
			converse(a, n, false)
			converse(b, n+1, n%20 == 4)
			n += 2
		}
		endA()
		endB()
	}
	c, err := load.Open(t.Context(), path, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	snap, err := c.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stats, err := summary.Stats(t.Context(), query.Everything(snap), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := load.Summarise(t.Context(), path)
	if err != nil || s.Messages != 4*runs || s.Calls != runs || s.Errors != 2 {
		t.Errorf("%v: %d messages, %d calls, %d errors; want %d, %d, 2", err, s.Messages, s.Calls, s.Errors, 4*runs, runs)
	}
	if u := stats.Usage; u.Input == nil || *u.Input != 230*runs || u.Output == nil || *u.Output != 18*runs {
		t.Errorf("the tokens are %+v; want %d in, %d out", u, 230*runs, 18*runs)
	}
	for id := range model.CallID(snap.CallCount()) {
		if took := snap.Call(id).Took; took != 3000 {
			t.Errorf("call %d took %d ms", id, took)
			break
		}
	}
}
