// Package take is what leaves the screen: copies, exports with their dialog, text for a command.
// The Desk keeps what was chosen last.
package take
