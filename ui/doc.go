// Package ui is the screen of turns: a Bubble Tea program with one model, the app. It shows a
// snapshot of a session as a list of rows with panes next to or over it. The key table in keys.go
// defines the commands.
//
// Start reading at app.go, which routes messages. The parts are separate packages: timeline is the
// list of rows, panes are the panes next to it, sessions is the session list, compare shows two
// sessions, take copies and exports. All build on screen, which defines what a part receives and
// may request, and on paint. The dispatcher, the help, the key line, the palette and the README use
// the key table.
//
// The subpackages offer turns without this screen: library (to import), transcripts (many of them),
// cli (commands), board (running sessions), listen (received traces), mcp (for agents), and config,
// which they all read. None of them needs this package.
//
// # Where things happen
//
// Update does no slow I/O. Drawing reads nearby bodies of up to 256 kB, within a budget of some
// milliseconds per frame (screen/bodies.go); for the rest it shows the head, and a command reads
// them. Commands that compute (outline, filter, search, answers) carry a generation, and stale
// answers are dropped.
//
// # Panes
//
// A pane is a plain struct that implements screen.Pane. It receives the *screen.Host at
// construction and reads everything from it. It draws into w×h cells, receives the keys while
// focused, and passes requests to others as values of package screen to Host.Ask. Dialogs work the
// same way but receive every key. A pane's method must return any command that it receives from a
// call, or the command never runs. The answer of a pane's own command arrives at its Message
// method; it carries the request, so the pane can recognise and drop a late one.
package ui
