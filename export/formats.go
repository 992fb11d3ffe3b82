package export

import (
	"fmt"
	"strings"
)

// Formats are all formats, in the order of the documentation.
func Formats() []Format {
	return append(plainFormats(), providerFormats()...)
}

// plainFormats are those that show or keep a conversation.
func plainFormats() []Format {
	return []Format{
		{Name: "json", Help: "a JSON array of messages in the OpenAI-compatible shape", Ext: ".json", MIME: "application/json", Write: writeJSON},
		{Name: "jsonl", Help: "the same, a message a line", Ext: ".jsonl", MIME: "application/x-ndjson", Write: writeJSONL},
		{Name: "dict", Help: "the original messages, each with _metadata added", Ext: ".json", MIME: "application/json", Write: writeDict},
		{Name: "markdown", Help: "a document with a heading per message, calls with their results", Ext: ".md", MIME: "text/markdown; charset=utf-8", People: true, Write: writeMarkdown},
		{Name: "csv", Help: "a table of messages, calls and results; --columns adds to it", Ext: ".csv", MIME: "text/csv; charset=utf-8", People: true, Write: writeCSV},
		{Name: "html", Help: "one self-contained page with folding, search and a tool table", Ext: ".html", MIME: "text/html; charset=utf-8", People: true, Write: writeHTML},
		{Name: "text", Help: "what the terminal shows, in full and without colour", Ext: ".txt", MIME: "text/plain; charset=utf-8", People: true, Write: writeText},
		{Name: "raw", Help: "the original records, byte for byte", Ext: ".jsonl", MIME: "application/octet-stream", Write: writeRaw},
	}
}

// Names are the names of all formats.
func Names() []string {
	formats := Formats()
	names := make([]string, len(formats))
	for i := range formats {
		names[i] = formats[i].Name
	}
	return names
}

// aliases are other names that people try.
var aliases = map[string]string{"md": "markdown", "txt": "text", "ndjson": "jsonl", "htm": "html"}

// Find is the format of a name. The error of an unknown one lists them all.
func Find(name string) (Format, error) {
	want := strings.ToLower(strings.TrimSpace(name))
	if full, ok := aliases[want]; ok {
		want = full
	}
	for _, f := range Formats() {
		if f.Name == want {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("unknown export format %q; valid formats: %s", name, strings.Join(Names(), ", "))
}
