// Package kit has the code that parsers of formats share: reading values in place, adding blocks,
// calls and results to facts, reading usage and times in their many spellings, and evidence for the
// recognition of chats. A family of formats may import it, package model, and a family whose
// records it embeds.
package kit
