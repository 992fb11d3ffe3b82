package dialect

import (
	"bytes"
	"strings"

	"turns/model"
	"turns/query/provider"
)

// next writes a message. If the request must end with the user, it delays the model's last messages
// until another one follows.
func (s *sheet) next(d dialect, m *provider.Wire) error {
	if s.opts.UntilUser || s.endsWithModel {
		return s.hold(d, m)
	}
	return s.writeMessage(d, m)
}

func (s *sheet) writeMessage(d dialect, m *provider.Wire) error {
	for i := range m.Blocks {
		b := &m.Blocks[i]
		if b.Kind == model.ToolCall && !b.Keep {
			s.called(b)
			if s.noIDs && !b.MadeID {
				s.idless++
			}
		}
		s.signatures(b)
		if b.Result != nil {
			s.signatures(b.Result)
		}
	}
	s.ended = m.Role
	if m.Role == model.Assistant && answered(m) == len(m.Blocks) {
		s.ended = model.Tool
	}
	d.message(m)
	return s.flush()
}

// answered returns the number of blocks of a message up to its last call with a result.
func answered(m *provider.Wire) int {
	for i := len(m.Blocks); i > 0; i-- {
		if b := &m.Blocks[i-1]; b.Kind == model.ToolCall && b.Result != nil {
			return i
		}
	}
	return 0
}

// hold writes the delayed messages, and delays those that could be after the end: answers of the
// model if the user must have the last word, all others if the model must.
func (s *sheet) hold(d dialect, m *provider.Wire) error {
	if m.Session != s.holding && s.rules.Each {
		s.drop()
	}
	s.holding = m.Session
	// results are with its calls
	if k := answered(m); !s.endsWithModel && k > 0 && k < len(m.Blocks) {
		head, rest := *m, *m
		head.Blocks, head.Raw = m.Blocks[:k:k], nil
		rest.Blocks, rest.Raw = m.Blocks[k:], nil
		if err := s.hold(d, &head); err != nil {
			return err
		}
		return s.hold(d, &rest)
	}
	if (m.Role == model.Assistant) != s.endsWithModel && answered(m) == 0 {
		s.held = append(s.held, *m)
		return nil
	}
	if err := s.release(d); err != nil {
		return err
	}
	return s.writeMessage(d, m)
}

func (s *sheet) release(d dialect) error {
	for i := range s.held {
		if err := s.writeMessage(d, &s.held[i]); err != nil {
			return err
		}
	}
	s.held = s.held[:0]
	return nil
}

// drop omits the messages that were delayed up to the end of a conversation.
func (s *sheet) drop() {
	s.cut += len(s.held)
	s.held = s.held[:0]
}

// replaceHalves replaces lone surrogates, which JSON can express but no provider accepts.
func (s *sheet) replaceHalves(out []byte) []byte {
	for from := 0; ; {
		i := bytes.Index(out[from:], []byte(`\u`))
		if i < 0 {
			return out
		}
		i += from
		from = i + 2
		if escapes(out, i)%2 == 1 || !surrogate(out, i, "89abAB") && !surrogate(out, i, "cdefCDEF") {
			continue
		}
		if surrogate(out, i, "89abAB") && surrogate(out, i+6, "cdefCDEF") {
			from = i + 12
			continue
		}
		copy(out[i+2:], "fffd")
		s.broken++
	}
}

// escapes returns the number of backslashes before an index.
func escapes(out []byte, i int) (n int) {
	for i--; i >= 0 && out[i] == '\\'; i-- {
		n++
	}
	return n
}

// surrogate reports whether \ud and one of the digits are at an index.
func surrogate(out []byte, i int, digits string) bool {
	return i+6 <= len(out) && out[i] == '\\' && out[i+1] == 'u' && (out[i+2] == 'd' || out[i+2] == 'D') && strings.IndexByte(digits, out[i+3]) >= 0
}
