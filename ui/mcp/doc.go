// Package mcp answers agents that ask about transcripts, over the Model Context
// Protocol: a client starts "turns mcp", and its agent calls tools such as search
// and stats.
//
// Each tool is a command of the command line (tools.go is the table), so an agent
// reads what a person would. This package adds what an agent needs: paths outside
// the folders that were given are refused (roots.go), credentials are redacted, an
// answer is cut to a number of tokens with a way to ask for the rest (page.go), and
// what transcripts say stands between marks that they cannot forge, as data.
package mcp
