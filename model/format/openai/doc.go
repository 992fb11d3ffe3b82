// Package openai reads the wire formats of OpenAI: Chat Completions (Format), as many servers and
// frameworks speak it, and Responses (ResponsesFormat), whose items are in items.go. The messages
// of chats themselves are read by package kit, which other families share.
package openai
