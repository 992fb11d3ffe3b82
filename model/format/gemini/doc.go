// Package gemini reads what speaks as Gemini's API does: its requests and responses (APIFormat),
// the sessions and the stream of Gemini CLI, Antigravity CLI, and Qwen Code. The parts of a message
// are the same in all of them and are read by package kit (gemini_parts.go).
package gemini
