/*
Package ui is the screen of turns: a Bubble Tea program with one model, the app. It shows a snapshot of a conversation as a list of rows
with panes beside or over it, and lets the keys of keys.go act on them.

To read it, begin with app.go, which routes messages; list.go is the virtual list that walks from an anchor to its neighbours and never
holds the conversation; rows.go says which rows a message has, describe.go what stands in them, body.go and chunk.go what is inside an
open one. keys.go is the one table of keys: the dispatcher, help, the key line, the palette and the README are made from it.

# Where things happen

Update does no I/O that can take long. Bodies of up to 64 kB that are not far away are read while drawing, within a budget of some
milliseconds a frame (see bodies.go); what does not fit shows its head and is read by a command. Commands that compute (outline, filter,
search, answers) carry the generation they were asked for, and stale answers are dropped.

# Panes

A pane is a plain struct that implements pane (pane.go). It gets the *host when it is made and reads everything from it: the snapshot, the
view, styles, options, answers. It draws into w×h cells, gets the keys while it has the focus, and asks for what concerns others through
host.request: goTo, setFilter, addTerm, say, complain, close, open. Dialogs are the same with every key. A command that a request gives back
has to be returned from the pane's own method, so that it runs. The answer of a pane's own command comes to its Message method; it carries
what it was asked for, so that a late one can be told and dropped.

Lines are made of spans: ink says what a text means, ground what it lies on, and styles turns both into the theme's escape sequences; line
fits spans into a width. Text from a transcript goes through model.Clean (oneLine, cleaned) before it gets there; styles.put is the last gate.
*/
package ui
