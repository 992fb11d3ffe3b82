// Package opencode reads what OpenCode and its forks write: messages and their parts, each an
// object of its own, in a database, a tree of files, an exported document or a stream (events.go).
// Begin at Format; parts.go reads a record, tool.go the part that holds a call and its result.
package opencode
