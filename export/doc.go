// Package export says what an export is: a [Format] that writes a selection of
// messages, its [Options], and the [Report] of what was written and what was not.
//
//	f, err := formats.Find("markdown")
//	report, err := f.Write(ctx, w, view, export.Options{Redact: true})
//
// The formats lie below it, and package formats lists them:
//
//   - shape writes JSON in the shape of the Chat Completions, the recorded
//     messages and the raw bytes. It looks at the records where they lie.
//   - people writes what is read by people: Markdown, CSV, HTML and text.
//   - dialect writes what a provider or a framework takes, a file for each.
//   - walk gives people and dialect whole messages, whose calls know their results.
//
// Beside them, redact finds credentials, parquet writes many runs as tables, keep copies the files
// of transcripts before agents delete them, and outfile is how all of them write a file.
//
// Nothing holds more than a few messages in memory, however long the
// conversation is.
package export
