// Package agents reads coding agents that need one file each: Aider, Amp, Crush, Goose, Grok CLI,
// Hermes Agent, Kimi Code, Mistral Vibe and Zed. What an agent writes, and where that lies, stands
// above the function that gives its format, such as AiderFormat. An agent whose reading needs more
// than one file has a package of its own.
package agents
