// Package cline reads the tasks of Cline, Roo Code and the old Kilo Code: the messages that the API
// saw, those that the user saw (ui.go), or, since Cline's SDK, one document with both. In older
// tasks, calls are XML elements in the words of the model (xml.go). Begin at Format.
package cline
