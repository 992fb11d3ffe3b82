// Package codex reads what Codex writes: rollouts (Format) and what codex exec --json prints
// (ExecFormat).
//
// A rollout tells most things twice: as items of the API (items.go, whose results output.go judges)
// and as events that the screen showed (events.go), which are echoes. How a rollout goes on from
// another is in fork.go.
package codex
