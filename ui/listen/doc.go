// Package listen receives what agents and frameworks send over OTLP/HTTP, and keeps it
// in a file: one request a line, as the JSON of OTLP. Where a request was written otherwise,
// as protobuf or over several lines, its line has it byte for byte, too, in base64 under
// "received". The file is a transcript like any
// other, which is followed while it grows and opened again later, so nothing else of the
// program knows that it was sent.
//
// A Receiver is an http.Handler: receiver.go speaks the protocol, body.go turns bodies
// into lines, spool.go keeps them.
package listen
