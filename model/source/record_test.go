package source

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"turns/model"
	"turns/model/source/spool"
)

func TestRecords(t *testing.T) {
	tests := []struct{ list, json, line string }{
		{"", `{}`, "\t{}\n"},
		{"messages", `{"a": 1}`, "messages\t{\"a\": 1}\n"},
		{"m", "{\n  \"a\": [1,\r\n\t2]\n}", "m\t{ \"a\": [1, 2] }\n"},
		{"m", "{\"a\":\"x\ny\\\"\n\"\n}", "m\t{\"a\":\"x\\ny\\\"\\n\" }\n"},
		{"bad\tname\n", `1`, "bad_name_\t1\n"},
		{"m", "{\"tab\":\"\t\"}", "m\t{\"tab\":\"\t\"}\n"},
	}
	var c Cutter
	for _, test := range tests {
		sp := spool.New(model.Limits{}, "")
		must(t, appendRecord(sp, test.list, []byte(test.json)))
		got := content(t, sp)
		sp.Close()
		if got != test.line {
			t.Errorf("%q: %q, want %q", test.json, got, test.line)
		}
		l1, d1 := CutRecord([]byte(got))
		l2, d2 := c.Cut([]byte(got))
		if l1 != l2 || string(d1) != string(d2) || l1+"\t"+string(d1)+"\n" != got {
			t.Errorf("%q: cut to %q %q and %q %q", got, l1, d1, l2, d2)
		}
	}
	line := []byte("messages\t{}\n")
	if n := testing.AllocsPerRun(100, func() { c.Cut(line) }); n > 0 {
		t.Errorf("Cut allocates %v times", n)
	}
}

// TestNamesOfManyLists: a Cutter stores the names of 10,001 lists.
func TestNamesOfManyLists(t *testing.T) {
	var c Cutter
	for i := range 10_002 {
		if list, _ := c.Cut(fmt.Appendf(nil, "%d\t{}", i)); list != strconv.Itoa(i) {
			t.Fatalf("list %d is cut as %q", i, list)
		}
		if want := i%10_001 + 1; len(c.lists) != want {
			t.Fatalf("after %d lists it keeps %d names, want %d", i+1, len(c.lists), want)
		}
	}
}

// appendRecord appends one record and makes it visible.
func appendRecord(sp *spool.Spool, list string, json []byte) error {
	k := newSink(sp, nil)
	k.record(list, json)
	return k.err
}

// TestCompleteRecords: a record of up to 16 MiB is complete if its value is; a longer one may still
// be written.
func TestCompleteRecords(t *testing.T) {
	for size, want := range map[int]bool{16 << 20: true, 16<<20 + 1: false} {
		sp := spool.New(model.Limits{}, "")
		k := newSink(sp, nil)
		k.begin("m")
		if _, err := k.Write([]byte(`"` + strings.Repeat("x", size-2) + `"`)); err != nil {
			t.Fatal(err)
		}
		if got := k.complete(); got != want {
			t.Errorf("a record of %d bytes is complete: %v", size, got)
		}
		sp.Close()
	}
}
