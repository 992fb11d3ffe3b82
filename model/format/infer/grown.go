package infer

import (
	"bytes"
	"slices"

	"turns/model"
	"turns/model/jsonspan"
)

// grow reports whether lists of messages are the states of one growing conversation: each
// begins like the one before, and the last is longer than the first.
func grow(lists []*value) bool {
	if len(lists) < 2 || len(lists[0].list) == 0 || len(lists[len(lists)-1].list) <= len(lists[0].list) {
		return false
	}
	for i, l := range lists[1:] {
		before := lists[i].list
		if len(before) == 0 || len(l.list) < len(before) || string(l.list[0].raw) != string(before[0].raw) ||
			string(l.list[len(before)-1].raw) != string(before[len(before)-1].raw) {
			return false
		}
	}
	return true
}

// maxGrown limits the records that Grows and Awaits read.
const maxGrown = 12

// Grows reports whether each record of a sample repeats the messages of the one before and
// continues them, as the states of a graph do. It compares bytes, so it is cheap.
func Grows(s *model.Sample) bool {
	records := firstOf(s)
	if len(records) < 2 {
		return false
	}
	var before []byte
	longer := false
	for _, r := range records {
		list := messagesOf(r)
		if len(list) < 2 {
			return false
		}
		list = bytes.TrimRight(list[:len(list)-1], " \t\r\n")
		if before != nil && !bytes.HasPrefix(list, before) {
			return false
		}
		longer = longer || before != nil && len(list) > len(before)
		before = list
	}
	return longer && len(before) > 1
}

// firstOf returns the first records of a sample: lines, the elements of a list document,
// or the document.
func firstOf(s *model.Sample) (records [][]byte) {
	switch {
	case s.Shape == model.Lines:
		return s.Records[:min(len(s.Records), maxGrown)]
	case s.Shape != model.Document:
	case jsonspan.KindOf(s.Doc) != jsonspan.Array:
		return [][]byte{s.Doc}
	default:
		c := jsonspan.New(s.Doc)
		for c.Array(); c.More() && len(records) < maxGrown; {
			records = append(records, c.Skip())
		}
	}
	return records
}

// continued returns the object next to growing lists with the answer to each: the next list has it
// behind the messages of the one before. It returns nil if there is none.
func continued(w *view, rows []*value, lists []string) *field {
	i := slices.IndexFunc(w.objects, func(f *field) bool {
		return f.path[0] != lists[0] && !slices.ContainsFunc(rows, func(o *value) bool { return o.at(f.path) == nil || o.at(lists) == nil }) &&
			answered(rows, lists, f.path)
	})
	if i < 0 {
		return nil
	}
	return w.objects[i]
}

// keyOf returns the key that values have in the objects around them; ok is false if it differs, or
// if they are not members of objects.
func keyOf(values []*value) (key string, ok bool) {
	for n, v := range values {
		if v.parent == nil || v.parent.kind != jsonspan.Object {
			return "", false
		}
		i := slices.Index(v.parent.list, v)
		if i < 0 || n > 0 && v.parent.keys[i] != key { // in a string, or elsewhere
			return "", false
		}
		key = v.parent.keys[i]
	}
	return key, len(values) > 0
}

// parents returns the objects around values.
func parents(values []*value) []*value {
	around := make([]*value, len(values))
	for i, v := range values {
		around[i] = v.parent
	}
	return around
}

// answered reports whether each list of growing ones continues with the answer of the row before.
func answered(rows []*value, lists, answers []string) bool {
	for i, o := range rows[:len(rows)-1] {
		before, now := o.at(lists).list, rows[i+1].at(lists).list
		if len(now) <= len(before) {
			return false
		}
		message, answer := now[len(before)].raw, o.at(answers).raw
		content := jsonspan.Get(message, "content")
		if !bytes.Contains(answer, message) && (len(content) <= len(`"ok"`) || !bytes.Contains(answer, content)) {
			return false
		}
	}
	return len(rows) > 1
}

// messagesOf returns the list of messages of a record, or of an object in it: {"values":
// {"messages": […]}}.
func messagesOf(record []byte) []byte {
	if v := jsonspan.Get(record, "messages"); jsonspan.KindOf(v) == jsonspan.Array {
		return v
	}
	c := jsonspan.New(record)
	if c.Kind() != jsonspan.Object {
		return nil
	}
	for c.Object(); c.Key(); {
		if v := c.Skip(); jsonspan.KindOf(v) == jsonspan.Object {
			if list := jsonspan.Get(v, "messages"); jsonspan.KindOf(list) == jsonspan.Array {
				return list
			}
		}
	}
	return nil
}
