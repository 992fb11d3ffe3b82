// Package format knows how transcripts are written: one file per format, each
// with one function that gives a [model.Format] and a parser that turns a record
// into facts. All is the list of them, Detect picks one for a sample.
//
// To add a format:
//
//  1. Write <slug>.go with func <slug>Format() *model.Format. Prefix every other
//     name in it with the format's name; what several formats need lives in the
//     files shared_*.go.
//  2. Parse walks the record once with a jsonspan.Cursor and adds facts. Texts
//     are spans of the record (model.ValueText), nothing is decoded. End with
//     finish(&c, fs), which reports a syntax error or what is left of the line.
//     Every record gives a fact: an unknown type is a Note under its own name.
//     Of a document that is cut by Lists the rest comes first, as a record of
//     List "" whose lists are empty; of a document that is a list that is [], and
//     an empty About does for it.
//  3. Detect judges by content. Scores: 90 and more is a shape that nothing else
//     has; 70 a family's own field names, as two formats may share them; 30
//     plain role and content; below 20 only the fallbacks. A path can break a
//     tie, never decide. sampleMessages finds the messages of a sample.
//  4. Add a line to the list in registry.go; earlier lines win ties.
//  5. Put small samples into testdata/formats/<slug>/ of the repository and run
//     go test ./model/format -update; read the golden files it writes.
package format
