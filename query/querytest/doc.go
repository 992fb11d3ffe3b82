// Package querytest has the messages that tests of answers are made of, so that a conversation in a
// test reads as one. Its own tests ask the rooms about recorded transcripts: one binary, as it
// links every reader, instead of one for each room.
package querytest
