package people_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"turns/export"
	"turns/export/exporttest"
	"turns/export/people"
	"turns/model"
	"turns/model/modeltest"
	"turns/query"
	"turns/query/describe"
	"turns/query/filter"
	"turns/query/lang"
	"turns/query/querytest"
	"turns/query/summary"
)

// writers are the formats for people.
var writers = map[string]func(context.Context, io.Writer, describe.View, export.Options) (export.Report, error){
	"markdown": people.WriteMarkdown, "csv": people.WriteCSV, "html": people.WriteHTML, "text": people.WriteText,
}

// sample loads a transcript that the tests of all formats share.
func sample(t testing.TB, name, format string) *model.Snapshot {
	t.Helper()
	return exporttest.FromFile(t, filepath.Join("..", "formats", "testdata", "in", name), format)
}

func written(t testing.TB, name string, view describe.View, opts export.Options) (string, export.Report) {
	t.Helper()
	return exporttest.Write(t, &export.Format{Name: name, People: true, Write: writers[name]}, view, opts)
}

// TestGolden writes documents with the options that the command line passes.
func TestGolden(t *testing.T) {
	for in, format := range map[string]string{"openai": "openai", "claude": "claude-code", "empty": "openai"} {
		for name := range writers {
			t.Run(in+"/"+name, func(t *testing.T) {
				got, _ := written(t, name, exporttest.Everything(sample(t, in+".jsonl", format)), export.Options{
					Indent: 2, MaxContent: 500, Metadata: true, Redact: true,
					Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Counter: querytest.WordCounter(),
				})
				modeltest.Golden(t, filepath.Join("testdata", in+"."+name+".golden"), got)
			})
		}
	}
}

func TestNothingOfTheUserIsLeft(t *testing.T) {
	view := exporttest.Everything(sample(t, "claude.jsonl", "claude-code"))
	for _, name := range slices.Sorted(maps.Keys(writers)) {
		out, report := written(t, name, view, export.Options{Redact: true, MaxContent: 500})
		if strings.Contains(out, "sk-proj-abc") || report.Secrets != 1 || strings.Contains(out, "/home/anna") {
			t.Errorf("%s: %d secrets\n%s", name, report.Secrets, out)
		}
		out, _ = written(t, name, view, export.Options{Absolute: true, NoResults: true, NoReasoning: true})
		if strings.Contains(out, "sk-proj-abc") || strings.Contains(out, "Read first.") || !strings.Contains(out, "/home/anna/proj") {
			t.Errorf("%s without results:\n%s", name, out)
		}
	}
	out, report, err := people.Clip(t.Context(), view, export.Options{Redact: true})
	if err != nil || report.Secrets != 1 || !strings.HasPrefix(out, "### User") {
		t.Errorf("clip: %v, %d secrets\n%s", err, report.Secrets, out)
	}
}

// TestOnlyWhatMatched: documents show only the matching call of a message with two calls.
func TestOnlyWhatMatched(t *testing.T) {
	snap := sample(t, "openai.jsonl", "openai")
	f, err := lang.Parse("tool:ls")
	if err != nil {
		t.Fatal(err)
	}
	sel := query.Everything(snap)
	res, err := filter.Apply(t.Context(), sel, f, filter.Env{})
	if err != nil {
		t.Fatal(err)
	}
	view := describe.NewView(query.Selection{Snap: snap, IDs: res.IDs}, &res)
	for _, name := range []string{"markdown", "text", "html"} {
		out, _ := written(t, name, view, export.Options{})
		if !strings.Contains(out, "a.go") || strings.Contains(out, "no rule") {
			t.Errorf("%s shows other calls:\n%s", name, out)
		}
	}
}

// TestPeopleAreToldWhatBecameOfAMessage: documents mark archived and superseded messages.
func TestPeopleAreToldWhatBecameOfAMessage(t *testing.T) {
	snap := exporttest.FromBytes(t, `[{"id":"m1","role":"user","content":[{"type":"text","text":"Update"}],"interaction_id":"i","validity_state":"archived"},
{"id":"m2","role":"assistant","content":[{"type":"text","text":"First."}],"interaction_id":"i","validity_state":"superseded","superseded_by":"m3<b>"},
{"id":"m3","role":"assistant","content":[{"type":"text","text":"Second."}],"interaction_id":"i","validity_state":"active"}]`, "agent-c")
	for _, name := range []string{"markdown", "html", "text"} {
		out, _ := written(t, name, exporttest.Everything(snap), export.Options{})
		if !strings.Contains(out, "archived") || strings.Count(out, "superseded by m3") != 1 || strings.Contains(out, "m3<b>") && name != "text" {
			t.Errorf("%s:\n%s", name, out)
		}
	}
}

// TestEveryCallAndResultHasARow: a result has its own row even if it is in the message of its call.
func TestEveryCallAndResultHasARow(t *testing.T) {
	snap := exporttest.FromBytes(t, `[{"id":"a","role":"assistant","parts":[{"type":"text","text":"I look"},{"type":"tool-f","toolCallId":"c1","state":"output-available","input":{"x":1},"output":"one"},`+
		`{"type":"tool-g","toolCallId":"c2","state":"output-error","input":{},"errorText":"boom"},{"type":"text","text":"done"}]}]`, "vercel-ui")
	out, _ := written(t, "csv", exporttest.Everything(snap), export.Options{Columns: []string{"arguments", "outcome"}})
	want := "index,role,content,tool_name,tool_call_id,token_count,arguments,outcome\n" +
		"0,assistant,\"I look\ndone\",f,c1,,\"{\"\"x\"\":1}\",success\n0,tool,one,f,c1,,,success\n0,assistant,,g,c2,,{},failure\n0,tool,boom,g,c2,,,failure\n"
	if out != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	if _, err := people.WriteCSV(t.Context(), io.Discard, exporttest.Everything(snap), export.Options{Columns: []string{"shoe"}}); err == nil {
		t.Error("an unknown column is accepted")
	}
}

// TestPagesHaveTheTurnsOfTheTimeline compares the headings of a page with the turns of timeline,
// and its tools with those of tools. One session begins with a system message.
func TestPagesHaveTheTurnsOfTheTimeline(t *testing.T) {
	for _, snap := range []*model.Snapshot{sample(t, "openai.jsonl", "openai"), sample(t, "claude.jsonl", "claude-code"), model.FromMessages(querytest.Run())} {
		view := exporttest.Everything(snap)
		page, _ := written(t, "html", view, export.Options{})
		var want []string
		for _, turn := range summary.Timeline(view.Selection).Turns {
			want = append(want, fmt.Sprintf("<summary>Turn %d<small>%s</small>", turn.Number, strings.Join(turn.Counts(), " · ")))
		}
		if got := regexp.MustCompile(`<summary>Turn .*?</small>`).FindAllString(page, -1); !slices.Equal(got, want) {
			t.Errorf("turns %q, want %q", got, want)
		}
		tools := summary.ToolSummary(view.Selection, nil)
		if rows := tools.Table(tools.Columns()).Rows; strings.Count(page, "<tr><td>") != len(rows) {
			t.Errorf("%d tools, want %d", strings.Count(page, "<tr><td>"), len(rows))
		}
	}
}
