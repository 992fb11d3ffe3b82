// Package model defines the types that all of turns shares: every transcript format is parsed into
// them, and every screen, answer and export is made from them.
//
// Bytes become records (a line of JSONL, an element of a document, a row of a database). A
// [Format] parses a record into [Fact] values: "this assistant message has these blocks", "this is
// bookkeeping", "the records after 41 were rewound". Package stitch folds facts into an index of
// fixed-size rows ([Head], [Part], [Call]) without text. A [Snapshot] is an immutable view of that
// index; [Snapshot.Body] reads the text of a [Message] from the source again, on demand.
//
// A message has two numbers. Its [ID] is its row in the index, by arrival, and never changes. Its
// position, shown as #231, is its rank among the live messages, counted from 0.
package model
