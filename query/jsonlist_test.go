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

// TestJSONList: elements that are written by several at once stand in their order,
// large ones among them, and the first error ends it.
func TestJSONList(t *testing.T) {
	s := model.FromMessages(runMessages())
	sizes := func(i int) int {
		if i%1000 == 7 {
			return jsonRunHuge + 1
		}
		return jsonRunBytes / 10
	}
	for _, n := range []int{0, 1, 8, 9, 5000} {
		var b bytes.Buffer
		j := newJSONWriter(&b)
		j.list(context.Background(), s, n, sizes, func(j *jsonWriter, _ *callReader, i int) { j.integer(i) })
		if err := j.end(); err != nil {
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
		j := newJSONWriter(new(bytes.Buffer))
		j.list(context.Background(), s, 5000, sizes, func(j *jsonWriter, _ *callReader, i int) {
			if i == at {
				j.fail(bad)
			}
			j.integer(i)
		})
		if err := j.end(); !errors.Is(err, bad) {
			t.Errorf("failing at %d: %v", at, err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	j := newJSONWriter(new(bytes.Buffer))
	j.list(ctx, s, 5000, sizes, func(j *jsonWriter, _ *callReader, i int) { j.integer(i) })
	if err := j.end(); !errors.Is(err, context.Canceled) {
		t.Errorf("a list that was called off: %v", err)
	}
}
