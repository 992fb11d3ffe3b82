// Package kiro reads sessions of Kiro CLI and of its predecessor Amazon Q: session files of JSON
// lines (kiro.go), since version 3 one line per message or action (v3.go), and the old database
// (db.go). Begin at Format.
package kiro
