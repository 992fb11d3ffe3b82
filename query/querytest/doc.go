// Package querytest has the messages that tests of answers are made of, so that a conversation in a
// test reads as one. What the rooms answer about recorded transcripts is asked in ui/library, in
// one binary that links every reader, instead of one for each room.
package querytest
