package prose

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"turns/model"
	"turns/model/jsonspan"
)

// yamlKey matches the beginning of a line with a key of a YAML object.
var yamlKey = lazy(`(?m)^(- )? *["']?[A-Za-z_][\w.-]*["']?:( |\r?$)`)

// cassette matches the beginning of recorded requests in YAML.
var cassette = lazy(`\A(---\s*\n)?(http_)?interactions:\s*\n- `)

// IsCassette reports whether a text records the requests of a test in YAML. Lines of it may look
// like records or speakers, but only the whole document shows who spoke.
func IsCassette(s *model.Sample) bool {
	return cassette().Match(s.Text[:min(len(s.Text), 100)])
}

// lookForYAML finds YAML documents separated by "---", or one that is a list of objects.
func lookForYAML(text []byte) *layout {
	head := text[:min(len(text), 4096)]
	if len(yamlKey().FindAll(head, 3)) < 2 {
		return nil
	}
	l := &layout{"YAML", false, cutDocument, emitYAML}
	body := withoutComments(text)
	switch {
	case bytes.HasPrefix(body, []byte("- ")):
		l.cut = cutItem
	case !bytes.HasPrefix(text, []byte("---")) && !bytes.Contains(text, []byte("\n---")) && !bytes.Contains(head, []byte("\n- ")) && !bytes.Contains(head, []byte("\n  - ")):
		return nil
	}
	piece, n := l.cut(body, true)
	if n < len(body) && len(emitYAML(nil, piece)) == 0 {
		return nil // not YAML at all
	}
	if next, n := l.cut(body[n:], true); n > 0 && repeatsKey(next) {
		return nil // a text below front matter: "User: …" occurs again and again
	}
	return l
}

// repeatsKey reports whether an object in YAML has a key twice, which YAML forbids.
func repeatsKey(piece []byte) bool {
	var object map[string]any
	err := yaml.Unmarshal(piece, &object)
	return err != nil && strings.Contains(err.Error(), "already defined")
}

// withoutComments returns a text without the comments and borders at its beginning.
func withoutComments(text []byte) []byte {
	for {
		line, rest, ok := bytes.Cut(text, []byte("\n"))
		if !ok || len(bytes.TrimSpace(line)) > 0 && line[0] != '#' && !isBorder(line) {
			return text
		}
		text = rest
	}
}

func isBorder(line []byte) bool {
	line = bytes.TrimRight(line, " \r\n")
	return bytes.HasPrefix(line, []byte("---")) && len(line) == 3 || string(line) == "..."
}

// cutDocument cuts before the next line "---".
func cutDocument(text []byte, eof bool) ([]byte, int) {
	return cutBefore(text, eof, func(line []byte) bool { return bytes.HasPrefix(line, []byte("---")) })
}

// cutItem cuts before the next item of a list.
func cutItem(text []byte, eof bool) ([]byte, int) {
	return cutBefore(text, eof, func(line []byte) bool { return bytes.HasPrefix(line, []byte("- ")) })
}

// cutBefore cuts before the first line, except the very first, that begins a piece.
func cutBefore(text []byte, eof bool, begins func(line []byte) bool) ([]byte, int) {
	for at := 0; at < len(text); {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			if !eof {
				return nil, 0
			}
			end = len(text) - at - 1
		}
		if at > 0 && begins(text[at:at+end+1]) {
			return text[:at], at
		}
		at += end + 1
	}
	if eof {
		return text, len(text)
	}
	return nil, 0
}

// emitYAML appends a document, or the one item of a list, as JSON.
func emitYAML(dst, piece []byte) []byte {
	var doc yaml.Node
	if yaml.Unmarshal(piece, &doc) != nil || len(doc.Content) != 1 {
		return dst
	}
	n := doc.Content[0]
	if n.Kind == yaml.SequenceNode && len(n.Content) == 1 && bytes.HasPrefix(piece, []byte("- ")) {
		n = n.Content[0]
	}
	if n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode {
		return dst
	}
	w := yamlWriter{most: 64*len(piece) + 1024}
	out := w.node(nil, n, 0)
	if w.failed {
		return dst
	}
	return append(dst, out...)
}

// yamlWriter writes nodes as JSON. It limits the content repeated by aliases.
type yamlWriter struct {
	most   int
	failed bool
}

func (w *yamlWriter) node(dst []byte, n *yaml.Node, depth int) []byte {
	if len(dst) > w.most || depth > jsonspan.MaxDepth/2 {
		w.failed = true
		return dst
	}
	switch n.Kind {
	case yaml.AliasNode:
		return w.node(dst, n.Alias, depth+1)
	case yaml.MappingNode:
		dst = append(dst, '{')
		for i := 0; i+1 < len(n.Content) && !w.failed; i += 2 {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(model.AppendQuoted(dst, []byte(n.Content[i].Value)), ':')
			dst = w.node(dst, n.Content[i+1], depth+1)
		}
		return append(dst, '}')
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, e := range n.Content {
			if w.failed {
				break
			}
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = w.node(dst, e, depth+1)
		}
		return append(dst, ']')
	}
	if n.Tag == "!!binary" {
		return w.binary(dst, n)
	}
	return scalar(dst, n)
}

func scalar(dst []byte, n *yaml.Node) []byte {
	switch n.Tag {
	case "!!null":
		return append(dst, "null"...)
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return strconv.AppendBool(dst, b)
		}
	case "!!int", "!!float":
		if c := jsonspan.New([]byte(n.Value)); c.Kind() == jsonspan.Number {
			if _, ok := c.Float(); ok && c.Done() {
				return append(dst, n.Value...)
			}
		}
	}
	return model.AppendQuoted(dst, []byte(n.Value))
}

// binary appends the decoded text of a base64 value, also of one compressed by gzip. Other data
// stays base64, under the key "base64".
func (w *yamlWriter) binary(dst []byte, n *yaml.Node) []byte {
	encoded := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, n.Value)
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err == nil {
		data, err = unzipped(data, w.most)
	}
	if err == nil && utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 {
		return model.AppendQuoted(dst, data)
	}
	return append(model.AppendQuoted(append(dst, `{"base64":`...), []byte(encoded)), '}')
}

var errTooLong = errors.New("more than a document may hold")

// unzipped decompresses data if it is gzip and its content is within a limit.
func unzipped(data []byte, most int) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, int64(most)+1))
	if err == nil && len(text) > most {
		return nil, errTooLong
	}
	return text, err
}
