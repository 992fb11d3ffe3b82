// Package provider implements the rules of model providers: as a table (providers.go), as a check
// of a conversation (check.go), and as a repair that makes a conversation acceptable (repair.go).
// Wire is a message on its way to a provider.
package provider
