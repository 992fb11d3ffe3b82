/*
Package timeline is the list of rows: what rows a message has (rows.go), what stands in them (cells.go), what is inside an open one
(body.go), how the cursor moves and jumps, folds, the outline, branches, the search.

List is a virtual list that walks from an anchor to its neighbours and never holds the conversation. It needs a screen.Host and
nothing of the program.
*/
package timeline
