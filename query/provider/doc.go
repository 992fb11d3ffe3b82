// Package provider knows what the providers of models refuse: as a table of rules (providers.go),
// as a check of a conversation (check.go), and as a repair that makes it acceptable (repair.go).
// Wire is a message on its way to a provider.
package provider
