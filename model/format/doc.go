// Package format has the list of transcript formats (All, in registry.go), picks one for a
// sample (Detect), and reads records that differ from the expected form. A format is a
// [model.Format]: the paths of its files, marks to recognise it, and a parser that turns a
// record into facts.
//
// The formats are in the folders below, a package for each family; kit has helpers for several
// families. Simple formats are data: descriptions/NAME.toml, which package described reads. If
// no format recognises a sample, other packages try: infer (guesses the fields from their
// values), prose (text), amend (renamed fields) and envelope (records inside of others).
//
// To add a format in Go:
//
//  1. Write FAMILY/NAME.go with a function that returns the *model.Format, and
//     add it to formats in registry.go; earlier ones win ties.
//  2. Parse walks the record once with a jsonspan.Cursor and adds facts. Texts
//     are spans of the record (model.ValueText); do not decode them. End with
//     kit.Finish(&c, fs), which reports a syntax error or the rest of the line.
//     Every record becomes a fact: an unknown type is a Note under its own name.
//     If Lists cuts a document, its other fields are the first record, with the
//     List "" and empty lists. For a list at the top of the document that
//     record is [], and an empty About is enough.
//  3. Detect judges by content: mostly kit.Clues, data with the scale of
//     scores. A path can break a tie, never decide. kit.FrameKind and kit.Judge are for lists
//     of messages, and kit.GatherEvidence finds the messages of a sample.
//  4. Put small samples into testdata/formats/NAME/ and run
//     go test ./model/format ./model/load -update; read the golden files they write.
package format
