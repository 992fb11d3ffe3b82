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

// signal is a kind of request, and its field names in JSON.
type signal struct {
	path                            string
	groups, scopes, items, rejected string
	spans                           bool // items need ids
}

// request returns an empty message of the kind. A request has the same form as a file of the kind;
// the types named for requests would link all of gRPC.
func (s *signal) request() proto.Message {
	if s.spans {
		return new(traces.TracesData)
	}
	return new(logs.LogsData)
}

// encoding is the format of requests and responses.
type encoding struct {
	media  string
	pieces func(s *signal, body []byte, most int) int
	// line converts a body to a line of JSON, and counts the useless items it drops; nil if no
	// others are left.
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

// lineOfJSON converts a body to one line, otherwise unchanged. It drops spans without ids, which
// cannot be placed anywhere.
func lineOfJSON(s *signal, body []byte) ([]byte, int, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber() // numbers stay unchanged
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

// withBody adds the received body to a line, if it differs from the line.
func withBody(line, body []byte) []byte {
	if bytes.Equal(line, body) || len(line) < 2 {
		return line
	}
	out := make([]byte, 0, len(line)+base64.StdEncoding.EncodedLen(len(body))+len(bodyName)+2)
	out = append(append(out, line[:len(line)-1]...), bodyName...)
	out = base64.StdEncoding.AppendEncode(out, body)
	return append(out, `"}`...)
}

// bodyName precedes the received body in a line.
const bodyName = `,"received":"`

// sift removes the spans without ids from a decoded request, and counts both.
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

// hasID reports whether a value is an id of size bytes in hex, not all zero.
func hasID(v any, size int) bool {
	text, _ := v.(string)
	id, err := hex.DecodeString(text)
	return err == nil && len(id) == size && !bytes.Equal(id, make([]byte, size))
}

// lineOfProto converts a body to the JSON of OTLP, which has ids in hex where protobuf's JSON has
// base64.
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

// inHex converts the ids of items, and those of their links, to hex.
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

// reason explains why items were rejected.
const reason = "turns ignored spans without a trace id of 16 bytes and a span id of 8"

func successJSON(s *signal, rejected int) []byte {
	if rejected == 0 {
		return []byte("{}")
	}
	answer, _ := json.Marshal(map[string]any{"partialSuccess": map[string]any{s.rejected: fmt.Sprint(rejected), "errorMessage": reason}})
	return answer
}

// successProto encodes an ExportTraceServiceResponse, or that of logs, which has the same field
// numbers: 1 is the partial success, in which 1 is the count and 2 the reason.
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

// statusProto encodes a google.rpc.Status, whose field 2 is the message.
func statusProto(message string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, 2, protowire.BytesType), message)
}
