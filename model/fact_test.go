package model

import (
	"fmt"
	"strings"
	"testing"
)

// TestMove checks that a fact moves to its new place, and that the others stay in order.
func TestMove(t *testing.T) {
	for _, test := range []struct {
		from, to int
		want     string
	}{
		{0, 3, "1 2 3 0"}, {3, 0, "3 0 1 2"}, {1, 2, "0 2 1 3"}, {2, 1, "0 2 1 3"}, {2, 2, "0 1 2 3"},
	} {
		var fs Facts
		for i := range 4 {
			fs.Add(Note).N = int64(i)
		}
		fs.Move(test.from, test.to)
		var got []string
		for i := range fs.Len() {
			got = append(got, fmt.Sprint(fs.At(i).N))
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("from %d to %d: %s, want %s", test.from, test.to, s, test.want)
		}
	}
}

// TestMovedMemory checks that moved facts do not share their memory when they are reused.
func TestMovedMemory(t *testing.T) {
	var fs Facts
	for range 2 {
		fs.Clear()
		for i := range 3 {
			fs.Add(Say).AddText(Words, StringText(fmt.Sprint(i)))
		}
		fs.Move(0, 2)
		fs.Drop()
		fs.Add(Say).AddText(Words, StringText("last"))
		var got []string
		for i := range fs.Len() {
			got = append(got, fs.At(i).Blocks[0].Text.String())
		}
		if s := strings.Join(got, " "); s != "1 2 last" {
			t.Errorf("the facts are %s", s)
		}
	}
}

// TestName checks that a name is the recorded one, however many others there were, and that a known
// one costs no memory.
func TestName(t *testing.T) {
	var fs Facts
	for range 2 {
		for i := range 2 * maxNames {
			want := fmt.Sprintf("field %d %s", i, strings.Repeat("x", i%(maxName+10)))
			if got := fs.Name([]byte(want)); got != want {
				t.Fatalf("the name of %q is %q", want, got)
			}
		}
	}
	if got := fs.Name(nil); got != "" {
		t.Errorf("no name is %q", got)
	}
	var used Facts
	names := [][]byte{[]byte("title"), []byte("tilte"), []byte("sessionId"), []byte("uuid")}
	for _, name := range names {
		used.Name(name)
	}
	if n := testing.AllocsPerRun(10, func() {
		for _, name := range names {
			used.Name(name)
		}
	}); n != 0 {
		t.Errorf("names that were met before take %v allocations", n)
	}
}
