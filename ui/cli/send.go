package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"turns/export"
	"turns/model/source/web"
	"turns/query/human"
)

// tracesPath is where a receiver of OTLP over HTTP takes spans (opentelemetry.io/docs/specs/otlp).
const tracesPath = "/v1/traces"

// post sends what an export writes, a request for each line, and reports on stderr how many spans
// the receiver refused.
func (a *exportCommand) post(ctx context.Context, f export.Format, write func(w io.Writer) error) error {
	if f.Name != "otlp" {
		return hinted{fmt.Errorf("--send sends spans, and %s has none", f.Name), "--to otlp writes spans"}
	}
	for _, path := range a.inputs {
		if web.IsURL(path) && len(a.header) > 0 {
			return hinted{errors.New("-H would go to the server of the transcript and to the one of --send"), "export to a file first, and send that"}
		}
	}
	header, err := parseHeaders(a.header)
	if err != nil {
		return err
	}
	to := a.send
	if u, err := url.Parse(to); err == nil && strings.Trim(u.Path, "/") == "" {
		u.Path = tracesPath
		to = u.String()
	}
	s, err := web.NewSender(to, "application/json", web.Options{Header: header})
	if err != nil {
		return err
	}
	defer s.Close()
	p := &posting{ctx: ctx, s: s}
	if err := write(p); err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "turns: sent %s to %s\n", human.Plural(p.sent, "request"), web.Shown(to))
	if p.refused > 0 {
		return fmt.Errorf("sending spans: the server left out %s: %s", human.Plural(p.refused, "span"), cmp.Or(p.why, "it names no reason"))
	}
	return nil
}

// posting sends each line that is written.
type posting struct {
	ctx           context.Context
	s             *web.Sender
	line          []byte
	sent, refused int
	why           string
}

// Write sends the lines that are whole.
func (p *posting) Write(data []byte) (int, error) {
	p.line = append(p.line, data...)
	for {
		end := bytes.IndexByte(p.line, '\n')
		if end < 0 {
			return len(data), nil
		}
		answer, err := p.s.Send(p.ctx, p.line[:end])
		if err != nil {
			return 0, err
		}
		p.sent++
		p.learn(answer)
		p.line = append(p.line[:0], p.line[end+1:]...)
	}
}

// learn reads a partial success.
func (p *posting) learn(answer []byte) {
	var a struct {
		PartialSuccess struct {
			RejectedSpans json.Number `json:"rejectedSpans"`
			ErrorMessage  string      `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(answer, &a) != nil {
		return // the specification lets a receiver answer anything with a success
	}
	n, _ := a.PartialSuccess.RejectedSpans.Int64()
	p.refused += int(n)
	p.why = cmp.Or(p.why, a.PartialSuccess.ErrorMessage)
}
