// Package claude reads four formats of Anthropic: sessions of Claude Code (CodeFormat, code.go),
// the output of claude -p (StreamFormat), the export of a Claude.ai account (ChatFormat, ai.go) and
// the events of Managed Agents.
//
// A line of Claude Code is a block of a response, a message of the user or another record;
// content.go, user.go and notes.go read one each.
package claude
