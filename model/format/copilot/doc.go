// Package copilot reads the event log of GitHub Copilot CLI (CLIFormat) and the chat sessions of VS
// Code (VSCodeFormat), which are a document or, since 2026, a log of edits that make one:
// vscode_oplog.go replays it.
package copilot
