// Package claude reads the transcripts of Claude: Claude Code, its stream, exports of Claude.ai,
// Managed Agents.
package claude
