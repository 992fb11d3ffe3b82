package stitch

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format"
	"turns/model/format/formattest"
	"turns/model/modeltest"
)

// TestSamples joins the facts of the samples of all formats, one record at a time and three: the
// conversation is the same. A line of the golden file has its size and a checksum of all its rows,
// and one of the conversations from the records in other orders, with some repeated or missing.
func TestSamples(t *testing.T) {
	slugs, err := os.ReadDir(formattest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, slug := range slugs {
		for _, file := range formattest.Files(t, slug.Name()) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := formattest.Sample(filepath.Base(file), data)
			f, m := format.Detect(s)
			records := formattest.Cut(f, m, s, data)
			one, three := joined(f, records, 1), joined(f, records, 3)
			if one != three {
				t.Errorf("%s: one record at a time makes %s, three make %s", file, one, three)
			}
			var others strings.Builder
			for _, changed := range inOtherOrders(records) {
				others.WriteString(joined(f, changed, 2))
			}
			fmt.Fprintf(&lines, "%s/%s: %s; others %08x\n", slug.Name(), filepath.Base(file), one, crc32.ChecksumIEEE([]byte(others.String())))
		}
	}
	modeltest.Golden(t, "testdata/samples.golden", lines.String())
}

// inOtherOrders are some records backwards, each twice, and without one of three.
func inOtherOrders(records []model.Record) [][]model.Record {
	backwards := slices.Clone(records)
	slices.Reverse(backwards)
	var few []model.Record
	for i, rec := range records {
		if i%3 != 1 {
			few = append(few, rec)
		}
	}
	return [][]model.Record{backwards, slices.Repeat(records, 2), few}
}

// joined describes the conversation of some records, so many in a batch.
func joined(f *model.Format, records []model.Record, many int) string {
	b := New(f.Order, f.Repeats, nil)
	var facts model.Facts
	for from := 0; from < len(records); from += many {
		batch := NewBatch()
		for i, rec := range records[from:min(len(records), from+many)] {
			facts.Clear()
			_ = f.Parse(rec, &facts)
			batch.Add(model.Ref{Off: int64(from + i), Len: uint32(len(rec.Data))}, &facts)
		}
		b.Apply(batch)
	}
	snap := b.Snapshot()
	return fmt.Sprintf("%d rows, %d live, %d calls, %08x", snap.Rows(), snap.Len(), snap.CallCount(), crc32.ChecksumIEEE([]byte(allOf(snap))))
}

// allOf returns all that a snapshot has.
func allOf(snap *model.Snapshot) string {
	var all bytes.Buffer
	for id := range model.ID(snap.Rows()) {
		tokens, ok := snap.Tokens(id)
		fmt.Fprintln(&all, snap.Head(id), snap.Pos(id), tokens, ok, snap.Parts(id), snap.Calls(id), snap.ModelOf(id))
	}
	fmt.Fprintln(&all, snap.LiveIDs(), snap.Names(), snap.Threads(), snap.Sessions(), snap.Events(), snap.Totals(), snap.Unreadable(), snap.Notes())
	fmt.Fprintln(&all, snap.LastAsked(), snap.Endings())
	return all.String()
}
