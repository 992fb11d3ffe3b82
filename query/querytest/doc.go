// Package querytest has the messages that tests of answers are made of, so that a conversation in a
// test reads as one.
package querytest
