package query

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"turns/model"
)

// TestJSONList: several writers produce the elements in order, even large ones, and the first error
// stops them.
func TestJSONList(t *testing.T) {
	s := model.FromMessages([]model.Message{{Role: model.User}})
	sizes := func(i int) int {
		if i%1000 == 7 {
			return jsonRunHuge + 1
		}
		return jsonRunBytes / 10
	}
	for _, n := range []int{0, 1, 8, 9, 5000} {
		var b bytes.Buffer
		j := NewJSONWriter(&b)
		j.List(context.Background(), s, n, sizes, func(j *JSONWriter, _ *CallReader, i int) { j.Integer(i) })
		if err := j.End(); err != nil {
			t.Fatal(err)
		}
		var got []int
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatalf("%d elements: %v", n, err)
		}
		if len(got) != n || !slices.IsSorted(got) {
			t.Errorf("%d elements: %d, sorted %t", n, len(got), slices.IsSorted(got))
		}
	}
	bad := errors.New("no more")
	for _, at := range []int{3, 7, 4000} {
		j := NewJSONWriter(new(bytes.Buffer))
		j.List(context.Background(), s, 5000, sizes, func(j *JSONWriter, _ *CallReader, i int) {
			if i == at {
				j.Fail(bad)
			}
			j.Integer(i)
		})
		if err := j.End(); !errors.Is(err, bad) {
			t.Errorf("failing at %d: %v", at, err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	j := NewJSONWriter(new(bytes.Buffer))
	j.List(ctx, s, 5000, sizes, func(j *JSONWriter, _ *CallReader, i int) { j.Integer(i) })
	if err := j.End(); !errors.Is(err, context.Canceled) {
		t.Errorf("a list that was called off: %v", err)
	}
}
