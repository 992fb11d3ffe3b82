package copilot

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// VscodeReplayLog builds the document from a log of edits. An edit is a line: kind 0 is the
// full document, 1 sets the value at the path k, 2 cuts the list there to its first i elements
// and appends the elements of v, 3 deletes the value. Other input passes unchanged. An
// incomplete last line is still being written; a bad line before it is skipped and reported.
func VscodeReplayLog(lines io.Reader, doc io.Writer) error {
	r := bufio.NewReaderSize(lines, 1<<16)
	first, err := r.ReadBytes('\n')
	for err == nil && len(bytes.TrimSpace(first)) == 0 {
		first, err = r.ReadBytes('\n')
	}
	if err != nil && err != io.EOF {
		return err
	}
	if !VscodeIsOp(first) {
		_, err := io.Copy(doc, io.MultiReader(bytes.NewReader(first), r))
		return err
	}
	var root *vscodeNode
	var bad error
	line, readErr := first, err
	for n := 1; ; n++ {
		if err := vscodeApply(&root, line); err != nil && readErr == nil && bad == nil {
			bad = fmt.Errorf("edit in line %d: %w", n, err)
		}
		if readErr != nil {
			break
		}
		line, readErr = r.ReadBytes('\n')
		if readErr != nil && readErr != io.EOF {
			return readErr
		}
	}
	if root == nil {
		return errors.Join(bad, errors.New("there is no first state"))
	}
	w := bufio.NewWriter(doc)
	root.write(w)
	w.WriteByte('\n')
	return errors.Join(w.Flush(), bad)
}

// VscodeIsOp reports whether a line is an operation of the log: an object whose kind is a number.
func VscodeIsOp(line []byte) bool {
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	if jsonspan.KindOf(line) != jsonspan.Object {
		return false
	}
	c := jsonspan.New(line)
	for c.Object(); c.Key(); {
		if string(c.Name) == "kind" {
			return c.Kind() == jsonspan.Number
		}
		c.Skip()
	}
	return false
}

// vscodeNode is a value of the document. It stays raw until an edit goes into it.
type vscodeNode struct {
	raw   []byte
	kind  jsonspan.Kind // Object or Array if it was parsed, otherwise End
	names [][]byte      // keys of an object, without quotes
	items []*vscodeNode
}

func vscodeApply(root **vscodeNode, line []byte) error {
	line = bytes.TrimRight(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), "\x00 \r\n")
	if len(line) == 0 {
		return nil
	}
	kind, cut := int64(-1), int64(-1)
	var path, value []byte
	c := jsonspan.New(line)
	fields := kit.Fields{kit.Raw("k", &path), kit.Raw("v", &value)}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "kind":
			kind, _ = c.Int()
		case "i":
			if n, ok := c.Int(); ok {
				cut = n
			}
		default:
			fields.Read(&c)
		}
	}
	if c.Err != nil {
		return c.Err
	}
	switch {
	case kind == 0 && value != nil:
		*root = &vscodeNode{raw: value}
		return nil
	case kind < 1 || kind > 3:
		return fmt.Errorf("its kind %d is not known", kind)
	case *root == nil:
		return errors.New("it comes before the first state")
	}
	var steps [][]byte
	for v := range jsonspan.List(path) {
		steps = append(steps, v)
	}
	if len(steps) == 0 {
		if kind == 1 && value != nil {
			*root = &vscodeNode{raw: value}
		}
		return nil
	}
	return (*root).edit(steps, kind, value, cut)
}

// edit follows the path and edits the value there.
func (n *vscodeNode) edit(steps [][]byte, kind int64, value []byte, cut int64) error {
	for _, step := range steps[:len(steps)-1] {
		at, err := n.child(step, true)
		if err != nil {
			return err
		}
		n = n.items[at]
	}
	last := steps[len(steps)-1]
	at, err := n.child(last, kind != 3)
	switch {
	case err != nil:
		return err
	case kind == 3 || kind == 1 && value == nil:
		if at >= 0 {
			n.remove(at)
		}
	case kind == 1:
		n.items[at] = &vscodeNode{raw: value}
	default:
		n.items[at].push(value, cut)
	}
	return nil
}

var vscodeNull = []byte("null")

// maxPadding limits the distance of an edit from the end of a list.
const maxPadding = 1 << 16

// child returns the index of the member for a step of a path. A missing member is added if create
// is set; otherwise child returns -1.
func (n *vscodeNode) child(step []byte, create bool) (int, error) {
	name := kit.Inside(step)
	if name == nil {
		n.open(jsonspan.Array)
		i, ok := jsonspan.ParseInt(step)
		switch {
		case n.kind != jsonspan.Array || !ok || i < 0 || i > int64(len(n.items)+maxPadding):
			return -1, fmt.Errorf("its path leads nowhere at %q", step)
		case i < int64(len(n.items)):
			return int(i), nil
		case !create:
			return -1, nil
		}
		for int64(len(n.items)) <= i {
			n.items = append(n.items, &vscodeNode{raw: vscodeNull})
		}
		return int(i), nil
	}
	n.open(jsonspan.Object)
	if n.kind != jsonspan.Object {
		return -1, fmt.Errorf("its path leads nowhere at %q", step)
	}
	for i := range n.names {
		if bytes.Equal(n.names[i], name) {
			return i, nil
		}
	}
	if !create {
		return -1, nil
	}
	n.names = append(n.names, name)
	n.items = append(n.items, &vscodeNode{raw: vscodeNull})
	return len(n.items) - 1, nil
}

// open parses a raw value; null becomes an empty container of the requested kind.
func (n *vscodeNode) open(want jsonspan.Kind) {
	if n.kind != jsonspan.End {
		return
	}
	c := jsonspan.New(n.raw)
	switch k := c.Kind(); k {
	case jsonspan.Object:
		n.kind = k
		for c.Object(); c.Key(); {
			name := c.Name
			n.names = append(n.names, name)
			n.items = append(n.items, &vscodeNode{raw: c.Skip()})
		}
	case jsonspan.Array:
		n.kind = k
		for c.Array(); c.More(); {
			n.items = append(n.items, &vscodeNode{raw: c.Skip()})
		}
	case jsonspan.Null:
		n.kind = want
	default:
		return
	}
	n.raw = nil
}

func (n *vscodeNode) remove(at int) {
	if n.kind == jsonspan.Array {
		n.items[at] = &vscodeNode{raw: vscodeNull} // JSON has no holes
		return
	}
	n.items = append(n.items[:at], n.items[at+1:]...)
	n.names = append(n.names[:at], n.names[at+1:]...)
}

// push truncates a list to its first cut elements, unless cut is negative, and appends the elements
// of value.
func (n *vscodeNode) push(value []byte, cut int64) {
	n.open(jsonspan.Array)
	if n.kind != jsonspan.Array {
		*n = vscodeNode{kind: jsonspan.Array}
	}
	if cut >= 0 {
		n.items = n.items[:min(cut, int64(len(n.items)))]
	}
	for v := range jsonspan.List(value) {
		n.items = append(n.items, &vscodeNode{raw: v})
	}
}

func (n *vscodeNode) write(w *bufio.Writer) {
	switch n.kind {
	case jsonspan.Object:
		w.WriteByte('{')
		for i, item := range n.items {
			if i > 0 {
				w.WriteByte(',')
			}
			w.WriteByte('"')
			w.Write(n.names[i])
			w.WriteString(`":`)
			item.write(w)
		}
		w.WriteByte('}')
	case jsonspan.Array:
		w.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				w.WriteByte(',')
			}
			item.write(w)
		}
		w.WriteByte(']')
	default:
		w.Write(n.raw)
	}
}
