package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"turns/model/source/web"
)

// posting sends each written line.
type posting struct {
	ctx           context.Context
	s             *web.Sender
	line          []byte
	sent, refused int
	why           string
}

// Write sends the complete lines.
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

// learn parses a partial success.
func (p *posting) learn(answer []byte) {
	var a struct {
		PartialSuccess struct {
			RejectedSpans json.Number `json:"rejectedSpans"`
			ErrorMessage  string      `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(answer, &a) != nil {
		return // the specification allows any body in a success
	}
	n, _ := a.PartialSuccess.RejectedSpans.Int64()
	p.refused += int(n)
	p.why = cmp.Or(p.why, a.PartialSuccess.ErrorMessage)
}
