// Package cline reads the tasks of Cline, Roo Code and the Kilo Code of old: the messages that the
// API saw, those that the user saw (ui.go), or since Cline's SDK one document with both. Calls were
// XML elements in the words of the model once: xml.go. Begin at Format.
package cline
