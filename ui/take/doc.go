// Package take is what leaves the screen: copies, exports with their dialog, pictures, text for an
// editor or a command. The Desk keeps what was chosen last. It shows and writes the same rows that
// the timeline does; the writing itself is package export's.
package take
