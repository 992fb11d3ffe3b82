// Package codex reads the transcripts of Codex: rollouts, their forks, and what exec prints.
package codex
