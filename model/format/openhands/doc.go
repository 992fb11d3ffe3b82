// Package openhands reads conversations of OpenHands: the events of version 0, those of the SDK of
// version 1 (sdk.go), and the log of a single request. Begin at Format.
package openhands
