// Package openai reads the wire formats of OpenAI: Chat Completions (Format), also as used by many
// servers and frameworks, and Responses (ResponsesFormat), whose items are in items.go. Package kit
// reads the chat messages, because other families need them as well.
package openai
