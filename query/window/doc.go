// Package window answers questions about the context of the model: an Index knows which messages
// the model saw at each message, and their tokens. Based on it are budgets (the messages to send if
// not all fit), tiers (the messages that an agent with a memory sends), growth over a session, and
// waste.
package window
