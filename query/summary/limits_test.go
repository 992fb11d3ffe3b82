package summary

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/query/describe"
	"turns/query/querytest"
)

// TestArgumentsOfAWorkLog: an entry lists at most three arguments with an importance of seven or
// more, but all critical ones.
func TestArgumentsOfAWorkLog(t *testing.T) {
	for _, c := range []struct {
		rule string
		of   map[string]int
		want []string
	}{
		{"seven is important", map[string]int{"a": 7, "b": 6, "c": 9, "d": 1, "e": 1}, []string{"c", "a"}},
		{"three are named", map[string]int{"a": 7, "b": 8, "c": 9, "d": 8, "e": 7}, []string{"c", "b", "d"}},
		{"critical ones are all named", map[string]int{"a": 10, "b": 10, "c": 10, "d": 10, "e": 9}, []string{"a", "b", "c", "d"}},
		{"without a record an argument is not important", map[string]int{"a": 7}, []string{"a"}},
	} {
		call := querytest.Call("1", "own", `{"a":"1","b":"2","c":"3","d":"4","e":"5"}`)
		var got []string
		for _, arg := range keyArgs(describe.Describer{}, &call, c.of, &describe.Line{}) {
			got = append(got, arg.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.rule, got, c.want)
		}
	}
}

// TestMostTellingArgument: without recorded importance, an entry has the most telling argument.
func TestMostTellingArgument(t *testing.T) {
	for args, want := range map[string]string{
		`{"content":"x","filePath":"a.go"}`:                 "filePath",
		`{"newString":"b","TargetFile":"a.go"}`:             "TargetFile",
		`{"path":"src","pattern":"func"}`:                   "pattern",
		`{"old_str":"a","command":"view","path":"a.go"}`:    "path",
		`{"description":"List","CommandLine":"ls -l /tmp"}`: "CommandLine",
	} {
		call := querytest.Call("1", "own", args)
		if got := keyArgs(describe.Describer{}, &call, nil, &describe.Line{}); len(got) != 1 || string(got[0].Name) != want {
			t.Errorf("%s: %v, want %s", args, got, want)
		}
	}
}

// TestLinesOfCalls: the short form lists three calls of a tool with 80 columns each; the long form
// lists all, with 800 columns.
func TestLinesOfCalls(t *testing.T) {
	snap := model.FromMessages(querytest.Run())
	for long, want := range map[bool][3]int{false: {3, 80, 80}, true: {4, 81, 800}} {
		l := newTeller(snap, long)
		got := [3]int{l.most(4), len(l.cut(strings.Repeat("x", 81))), len(strings.ReplaceAll(l.cut(strings.Repeat("x", 900)), "…", "x"))}
		if got[1] = len([]rune(l.cut(strings.Repeat("x", 81)))); got != want {
			t.Errorf("long %v: %v, want %v", long, got, want)
		}
	}
}

// TestAgeOfPrices: for prices older than 60 days, the text names the command that updates them.
func TestAgeOfPrices(t *testing.T) {
	for days, want := range map[int]bool{60: false, 61: true} {
		l := ListPrices{Date: "2026-01-01", Days: days}
		short := fmt.Sprintf("list prices of 2026-01-01, %d days old", days)
		if got := l.String(); !strings.HasPrefix(got, short) || (got != short) != want {
			t.Errorf("%d days: %q", days, got)
		}
	}
}
