// Package export writes a selection of messages in another format.
//
//	f, err := export.Find("markdown")
//	report, err := f.Write(ctx, w, res, export.Options{Redact: true})
//
// Every format is a function in a file of its own (json.go, markdown.go, …);
// formats.go lists them. There are three ways from records to output:
//
//   - raw copies bytes of the source (raw.go).
//   - json, jsonl and dict look at the records where they lie (records.go): a
//     message that has the wanted shape already is spliced, so that big numbers,
//     the order of keys, duplicate keys and lone surrogates survive; all others
//     are encoded from spans of the record without being decoded (shape.go). Runs
//     of messages are encoded side by side and written in order (pipe.go).
//   - formats for people, and those of providers, take decoded messages whose
//     calls know their results (walk.go). What people read passes through one
//     place that takes out credentials, shortens paths and cleans (people.go).
//
// Nothing holds more than a few messages in memory, however long the
// conversation is.
package export
