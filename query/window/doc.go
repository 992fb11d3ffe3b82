// Package window answers what the model could see at a message: an Index says which messages stood
// in its context and what they weighed. On it stand budgets (what to send when not all fits), tiers
// (what an agent that remembers would send), growth over a run, and waste.
package window
