// Package formats lists the export formats: the names that --to accepts, in the order of the
// documentation. The packages that it imports (shape, people, dialect, trace) write them. Tests
// of the common rules are here: JSON must read back, and exports can be redacted and cut.
package formats

import (
	"fmt"
	"strings"

	"turns/export"
	"turns/export/dialect"
	"turns/export/people"
	"turns/export/shape"
	"turns/export/trace"
)

// All returns all formats, in the order of the documentation.
func All() []export.Format {
	all := append(append(plainFormats(), traceFormats()...), dialect.Formats()...)
	for i := range all {
		all[i] = export.Anonymizing(all[i])
	}
	return all
}

// traceFormats show the timeline of a session, without the messages.
func traceFormats() []export.Format {
	return []export.Format{
		{Name: "perfetto", Help: "a trace of when what ran, for ui.perfetto.dev", Ext: ".json", Write: trace.WritePerfetto},
	}
}

// plainFormats are those that show or archive a conversation.
func plainFormats() []export.Format {
	return []export.Format{
		{Name: "json", Help: "a JSON array of messages in the OpenAI-compatible shape", Ext: ".json", Write: shape.WriteJSON},
		{Name: "jsonl", Help: "the same, one message per line", Ext: ".jsonl", Write: shape.WriteJSONL},
		{Name: "dict", Help: "the original messages, each with _metadata added", Ext: ".json", Write: shape.WriteDict},
		{Name: "markdown", Help: "a document with a heading per message, calls with their results", Ext: ".md", People: true, Write: people.WriteMarkdown},
		{Name: "csv", Help: "a table of messages, calls and results; --columns adds to it", Ext: ".csv", People: true, Write: people.WriteCSV},
		{Name: "html", Help: "one self-contained page with folding, search and a tool table", Ext: ".html", People: true, Write: people.WriteHTML},
		{Name: "text", Help: "the view of the terminal, in full and without colour", Ext: ".txt", People: true, Write: people.WriteText},
		{Name: "raw", Help: "the original records, byte for byte", Ext: ".jsonl", Write: shape.WriteRaw},
	}
}

// Names returns the names of all formats, for --to.
func Names() []string {
	formats := All()
	names := make([]string, len(formats))
	for i := range formats {
		names[i] = formats[i].Name
	}
	return names
}

// aliases are other names that people try.
var aliases = map[string]string{"md": "markdown", "txt": "text", "ndjson": "jsonl", "htm": "html"}

// FullName returns the full name of a format: markdown for md. It returns other names in lower
// case.
func FullName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if full, ok := aliases[name]; ok {
		return full
	}
	return name
}

// Find returns the format with a name. The error for an unknown name lists them all.
func Find(name string) (export.Format, error) {
	want := FullName(name)
	for _, f := range All() {
		if f.Name == want {
			return f, nil
		}
	}
	return export.Format{}, fmt.Errorf("unknown export format %q; valid formats: %s", name, strings.Join(Names(), ", "))
}
