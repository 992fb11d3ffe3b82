// Package kiro reads sessions of Kiro CLI and of Amazon Q, which it was before: lines of a session
// (kiro.go), since version 3 a line for each thing said or done (v3.go), and the database of old
// (db.go). Begin at Format.
package kiro
