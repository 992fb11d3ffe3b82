// Package model is the vocabulary of turns: what every transcript format is
// reduced to and what every screen, answer and export is made from.
//
// Bytes become records (a line of JSONL, an element of a document, a row of a
// database). A [Format] parses a record into [Fact] values: "this assistant
// message has these blocks", "this is bookkeeping", "what follows 41 was
// rewound". Package stitch folds facts into an index of fixed-size rows
// ([Head], [Part], [Call]) that holds no text, and a [Snapshot] is an immutable
// view of that index. The text of a message is read again from the source when
// somebody asks: [Snapshot.Body] gives a [Message].
//
// Two numbers name a message. Its [ID] is its row in the index, by arrival; it
// never changes. Its position is what people see as #231: the rank among the
// messages that are live, counted from 0.
package model
