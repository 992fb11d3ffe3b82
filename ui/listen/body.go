package listen

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// signal is a kind of what is sent, and the names that it has in JSON.
type signal struct {
	path                            string
	groups, scopes, items, rejected string
	spans                           bool // must have ids
}

// request is an empty message of the kind. A request is what a file of the kind holds; the
// messages that are named for requests would link a whole gRPC.
func (s *signal) request() proto.Message {
	if s.spans {
		return new(traces.TracesData)
	}
	return new(logs.LogsData)
}

// encoding is how requests and answers are written.
type encoding struct {
	media  string
	pieces func(s *signal, body []byte, most int) int
	// line is a body as a line of JSON, and how many items it had that say nothing; nil
	// where it has no others.
	line    func(s *signal, body []byte) (line []byte, rejected int, err error)
	success func(s *signal, rejected int) []byte
	status  func(message string) []byte
}

func encodingOf(media string) *encoding {
	switch media {
	case "application/json":
		return &encoding{media, piecesOfJSON, lineOfJSON, successJSON, statusJSON}
	case "application/x-protobuf":
		return &encoding{media, piecesOfProto, lineOfProto, successProto, statusProto}
	}
	return nil
}

// lineOfJSON keeps a body as it came, on one line. What has no ids cannot be put
// anywhere, and is left out.
func lineOfJSON(s *signal, body []byte) ([]byte, int, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber() // numbers stay as they are written
	var request map[string]any
	if err := dec.Decode(&request); err != nil {
		return nil, 0, err
	}
	if _, err := dec.Token(); err == nil {
		return nil, 0, errors.New("more than one value")
	}
	groups, ok := request[s.groups].([]any)
	if !ok && request[s.groups] != nil {
		return nil, 0, fmt.Errorf("%q is not a list", s.groups)
	}
	kept, rejected := sift(s, groups)
	if kept == 0 {
		return nil, rejected, nil
	}
	if rejected == 0 {
		var line bytes.Buffer
		err := json.Compact(&line, body)
		return line.Bytes(), 0, err
	}
	line, err := json.Marshal(request)
	return line, rejected, err
}

// withBody is a line, with the body as it came where that is something else than the line.
func withBody(line, body []byte) []byte {
	if bytes.Equal(line, body) || len(line) < 2 {
		return line
	}
	out := make([]byte, 0, len(line)+base64.StdEncoding.EncodedLen(len(body))+len(bodyName)+2)
	out = append(append(out, line[:len(line)-1]...), bodyName...)
	out = base64.StdEncoding.AppendEncode(out, body)
	return append(out, `"}`...)
}

// bodyName is where a line keeps the body as it came.
const bodyName = `,"received":"`

// sift takes the spans without ids out of a decoded request, and counts.
func sift(s *signal, groups []any) (kept, rejected int) {
	for _, g := range groups {
		group, _ := g.(map[string]any)
		scopes, _ := group[s.scopes].([]any)
		for _, sc := range scopes {
			scope, _ := sc.(map[string]any)
			items, _ := scope[s.items].([]any)
			good := items[:0]
			for _, item := range items {
				fields, ok := item.(map[string]any)
				if !ok || s.spans && !(hasID(fields["traceId"], 16) && hasID(fields["spanId"], 8)) {
					rejected++
					continue
				}
				good = append(good, item)
			}
			if scope != nil {
				scope[s.items] = good
			}
			kept += len(good)
		}
	}
	return kept, rejected
}

// hasID reports whether a value is an id of so many bytes, not all zero, in hex.
func hasID(v any, size int) bool {
	text, _ := v.(string)
	id, err := hex.DecodeString(text)
	return err == nil && len(id) == size && !bytes.Equal(id, make([]byte, size))
}

// lineOfProto writes a body as the JSON of OTLP, which has ids in hex where protobuf's
// own has base64.
func lineOfProto(s *signal, body []byte) ([]byte, int, error) {
	request := s.request()
	if err := proto.Unmarshal(body, request); err != nil {
		return nil, 0, err
	}
	text, err := protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(request)
	if err != nil {
		return nil, 0, err
	}
	var decoded map[string]any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&decoded); err != nil {
		return nil, 0, err
	}
	groups, _ := decoded[s.groups].([]any)
	inHex(groups, s)
	kept, rejected := sift(s, groups)
	if kept == 0 {
		return nil, rejected, nil
	}
	line, err := json.Marshal(decoded)
	return line, rejected, err
}

// inHex writes the ids of items, and those of their links, in hex.
func inHex(v any, s *signal) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			inHex(e, s)
		}
	case map[string]any:
		for name, e := range v {
			switch name {
			case "traceId", "spanId", "parentSpanId":
				if text, ok := e.(string); ok {
					if id, err := base64.StdEncoding.DecodeString(text); err == nil {
						v[name] = hex.EncodeToString(id)
					}
				}
			case s.scopes, s.items, "links":
				inHex(e, s)
			}
		}
	}
}

// reason is what is said of items that were rejected.
const reason = "turns ignored spans without a trace id of 16 bytes and a span id of 8"

func successJSON(s *signal, rejected int) []byte {
	if rejected == 0 {
		return []byte("{}")
	}
	answer, _ := json.Marshal(map[string]any{"partialSuccess": map[string]any{s.rejected: fmt.Sprint(rejected), "errorMessage": reason}})
	return answer
}

// successProto is an ExportTraceServiceResponse, or that of logs, which has the same numbers:
// 1 is the partial success, and in it 1 the count and 2 the reason.
func successProto(_ *signal, rejected int) []byte {
	if rejected == 0 {
		return nil
	}
	partial := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(rejected))
	partial = protowire.AppendString(protowire.AppendTag(partial, 2, protowire.BytesType), reason)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), partial)
}

func statusJSON(message string) []byte {
	answer, _ := json.Marshal(map[string]string{"message": message})
	return answer
}

// statusProto is a google.rpc.Status, whose field 2 is the message.
func statusProto(message string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, 2, protowire.BytesType), message)
}
