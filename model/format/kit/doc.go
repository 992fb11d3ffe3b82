// Package kit is what parsers of formats share: reading values where they stand, adding blocks,
// calls and results to facts, usage and times in the spellings that are about, evidence for the
// recognition of chats. A family of formats may use it and the model, and nothing else of ours but
// a family whose records it embeds.
package kit
