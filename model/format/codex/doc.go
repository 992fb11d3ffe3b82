// Package codex reads rollouts of Codex (Format) and the output of codex exec --json (ExecFormat).
//
// A rollout records most content twice: as items of the API (items.go; output.go parses their
// results) and as events for the screen (events.go), which become echoes. fork.go handles a rollout
// that continues another.
package codex
