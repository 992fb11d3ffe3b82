// Package format knows how transcripts are written. It is the list of formats (All, in
// registry.go), picks one for a sample (Detect), and reads what is written otherwise than expected.
// A format is a [model.Format]: where its files lie, what they are known by, and a parser that
// turns a record into facts.
//
// The formats live in the folders below, a package for each family; kit holds what families share.
// Simple ones are data: descriptions/NAME.toml, which package described reads. What no format knows
// is looked at by infer (the values tell which fields are what), prose (text), amend (names that
// have changed) and envelope (records inside of others).
//
// To add a format in Go:
//
//  1. Write FAMILY/NAME.go with a function that gives the *model.Format, and
//     add it to formats in registry.go; earlier ones win ties.
//  2. Parse walks the record once with a jsonspan.Cursor and adds facts. Texts
//     are spans of the record (model.ValueText), nothing is decoded. End with
//     kit.Finish(&c, fs), which reports a syntax error or what is left of the line.
//     Every record gives a fact: an unknown type is a Note under its own name.
//     Of a document that is cut by Lists the rest comes first, as a record of
//     List "" whose lists are empty; of a document that is a list that is [], and
//     an empty About does for it.
//  3. Detect judges by content. Scores: 90 and more is a shape that nothing else
//     has; 70 a family's own field names, as two formats may share them; 30
//     plain role and content; below 20 only the fallbacks. A path can break a
//     tie, never decide. kit.GatherEvidence finds the messages of a sample.
//  4. Put small samples into testdata/formats/NAME/ and run
//     go test ./model/format ./model/load -update; read the golden files they write.
package format
