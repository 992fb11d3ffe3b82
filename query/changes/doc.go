// Package changes rebuilds the files that a session changed: for each file the chain of its
// versions, the net change, the file after a message, and the author of each line.
//
// A chain begins with the file before the session and has a version for each call that changed it.
// The content of a version is known if a call wrote the whole file, if the transcript records the
// file before or after a call, if a call read all of it, or if an edit applies to known content. A
// version has a reference into the transcript, and rebuilds its content on demand: memory does not
// grow with contents.
package changes
