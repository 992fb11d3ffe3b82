package web

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"turns/model"
)

// TestCompressedAnswersAreBounded: a compressed answer is decompressed, and may grow as far as a
// compressed file. Refused parts are reported.
func TestCompressedAnswersAreBounded(t *testing.T) {
	text := strings.Repeat("{\"role\":\"user\",\"content\":\"x\"}\n", 50_000)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	io.WriteString(w, text)
	w.Close()
	var asked string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Header.Get("Accept-Encoding")
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(packed.Bytes())
	}))
	defer server.Close()

	got, err := answerOf(t, server.URL, model.Limits{})
	if got != text || err != nil || asked != "gzip" {
		t.Errorf("%d of %d bytes, %v; asked for %q", len(got), len(text), err, asked)
	}
	limits := model.Limits{Unpacked: 10_000, Ratio: 2}
	got, err = answerOf(t, server.URL, limits)
	var limit *model.LimitError
	if !errors.As(err, &limit) || limit.Name != "unpacked" || strings.Contains(err.Error(), "broke off") {
		t.Errorf("error %v", err)
	}
	if most := int(limits.MayGrow(int64(packed.Len()))); len(got) > most || !strings.HasPrefix(text, got) || got == "" {
		t.Errorf("%d bytes of at most %d", len(got), most)
	}
}
