// Package export defines exports: a [Format] writes a selection of messages with some [Options] and
// returns a [Report] of the written and the omitted parts.
//
//	f, err := formats.Find("markdown")
//	report, err := f.Write(ctx, w, view, export.Options{Redact: true})
//
// The formats are in the packages below, and package formats lists them:
//
//   - shape writes JSON in the shape of Chat Completions, the recorded messages and the raw
//     bytes. It works on the records without decoding them.
//   - people writes Markdown, CSV, HTML and text.
//   - dialect has a file for each provider and framework.
//   - walk reads whole messages, with the results of their calls, for people and dialect.
//
// Other packages: parquet writes many sessions as tables, keep archives the files of transcripts,
// and outfile writes files for all of them.
//
// No export has more than a few messages in memory, however long the conversation is.
package export
