// Package agents reads coding agents that need one file each: Aider, Amp, Crush, Goose, Grok CLI,
// Hermes Agent, Kimi Code, Mistral Vibe and Zed. The function that returns the format of an agent,
// such as AiderFormat, documents its files and their places. An agent that needs more than one file
// has a separate package.
package agents
