// Package changes answers what a session did to files: for each file the chain of its versions, the
// net change, the file as it was after a message, and who wrote a line.
//
// A chain begins with what the file held before the session and has a version for each call that
// changed it. The content of a version is known where a call wrote the whole file, where the
// transcript records the file before or after a call, where a call read all of it, and where an
// edit applies to known content. Contents are kept as references into the transcript and are
// rebuilt when somebody asks: memory does not grow with them.
package changes
