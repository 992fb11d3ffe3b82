// Package dexto reads the messages of Dexto, which was called Saiki in 2025: lists of them, what a
// formatter made of them for a provider, and the store of sessions. Begin at Format; message.go
// reads a message of either year.
package dexto
