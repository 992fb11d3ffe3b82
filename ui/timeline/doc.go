/*
Package timeline is the list of rows: the rows of a message (rows.go), their cells (cells.go), open bodies (body.go), cursor movement and
jumps, folds, the outline, branches, the search.

List is a virtual list: it walks from an anchor to its neighbours and never stores the session. It needs a screen.Host, but no other
part of the program.
*/
package timeline
