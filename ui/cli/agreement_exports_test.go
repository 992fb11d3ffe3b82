package cli

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"
	"testing"

	"turns/export"
	"turns/export/people"
	exportshape "turns/export/shape"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/summary"
	"turns/ui/library"
)

// askExports records the lines above an export.
func askExports(t *testing.T, a answered, sel query.Selection, stats *summary.StatsAnswer) {
	start, roles := human.Plural(stats.TotalMessages, "message")+" (", []string{}
	for _, l := range stats.RoleLines() {
		roles = append(roles, l.Number+" "+l.Label)
	}
	want := start + strings.Join(roles, ", ") + ")"
	for _, count := range [...]struct {
		n    int
		noun string
	}{{stats.ToolCalls, "tool call"}, {stats.ToolErrors, "error"}, {stats.ModelErrors, "model error"}} {
		if count.n > 0 {
			want += ", " + human.Plural(count.n, count.noun)
		}
	}
	a.say("overview", "stats", want)
	type write = func(context.Context, io.Writer, describe.View, export.Options) (export.Report, error)
	for name, write := range map[string]write{"markdown": people.WriteMarkdown, "text": people.WriteText, "html": people.WriteHTML} {
		var b bytes.Buffer
		if _, err := write(t.Context(), &b, describe.NewView(sel, nil), export.Options{}); err != nil {
			t.Fatal(err)
		}
		_, line, _ := strings.Cut(b.String(), start)
		line, _, _ = strings.Cut(line, "\n")
		line, _, _ = strings.Cut(line, "<")
		a.say("overview", name, start+line)
	}
	for name, write := range map[string]write{"json": exportshape.WriteJSON, "jsonl": exportshape.WriteJSONL, "dict": exportshape.WriteDict, "csv": people.WriteCSV} {
		report, err := write(t.Context(), io.Discard, describe.NewView(sel, nil), export.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a.say("messages", name, report.Messages)
	}
}

// askLibrary records the answers of a Go program.
func askLibrary(t *testing.T, a answered, path string) {
	s, err := library.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	turns, err := s.Turns()
	if err != nil {
		t.Fatal(err)
	}
	tools, err := s.Tools()
	if err != nil {
		t.Fatal(err)
	}
	orphans := 0
	for _, tool := range tools {
		for _, call := range tool.Calls {
			if call.Orphan {
				orphans++
			}
		}
	}
	a.say("messages", "library", s.Len())
	a.say("turns", "library", len(turns))
	a.say("orphans", "library", orphans)
}

// otherForms match durations, shares and large numbers in other forms than those of package human.
var otherForms = regexp.MustCompile(`\d%|\d\.\d\d+ %|\b\d+h\d+m\d+s|\b\d+m\d(\.\d+)?s\b|\b\d+ ?(ms|secs?|seconds|mins?|minutes|hours)\b|\b\d{2,}\.\d\d+s\b| \d{5,} (messages|tokens|calls|rows)`)

// quotes matches a line with a call as recorded: its id, its arguments and its result.
var quotes = regexp.MustCompile(`^ +(#\d+ +)?[✓✗■⊘◌?] \S+ \S+\(`)
