// Package ui is the screen of turns: a Bubble Tea program with one model, the app. It shows a
// snapshot of a conversation as a list of rows with panes beside or over it, and lets the keys of
// keys.go act on them.
//
// To read it, begin with app.go, which routes messages. The parts are packages of their own, each
// of which can be read alone: timeline is the list of rows, panes what stands beside it, sessions
// the list of sessions, compare two runs, take what leaves the screen. All stand on screen, which
// says what a part is given and what it may ask for, and on paint. keys.go is the one table of
// keys: the dispatcher, help, the key line, the palette and the README are made from it.
//
// Below the same folder lie the ways to use turns without this screen, none of which needs it:
// library (to import), transcripts (many of them), cli (commands), board (runs that go on), listen
// (what is sent), mcp (for agents), and config, which all of them read.
//
// # Where things happen
//
// Update does no I/O that can take long. Bodies of up to 256 kB that are not far away are read
// while drawing, within a budget of some milliseconds a frame (screen/bodies.go); what does not fit
// shows its head and is read by a command. Commands that compute (outline, filter, search, answers)
// carry the generation they were asked for, and stale answers are dropped.
//
// # Panes
//
// A pane is a plain struct that implements screen.Pane. It gets the *screen.Host when it is made
// and reads everything from it. It draws into w×h cells, gets the keys while it has the focus, and
// asks for what concerns others with a value of package screen that it gives to Host.Ask. Dialogs
// are the same with every key. A command that an answer gives back has to be returned from the
// pane's own method, so that it runs. The answer of a pane's own command comes to its Message
// method; it carries what it was asked for, so that a late one can be told and dropped.
package ui
