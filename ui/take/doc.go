// Package take copies and exports from the screen: copies, exports with their dialog, pictures,
// text for an editor or a command. The Desk remembers the last choices. It shows and writes the
// same rows that the timeline does; package export does the writing itself.
package take
