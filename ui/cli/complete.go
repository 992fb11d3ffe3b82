package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"turns/model/format"
	"turns/model/token"
	"turns/query/many"
	"turns/query/provider"
	"turns/themes"
)

// completeFlags has the shell complete the values of flags that name one of a few things, on every
// command that has them.
func completeFlags(cmd *cobra.Command) {
	values := map[string]func() []string{
		"format":   formatNames,
		"encoding": token.Names,
		"theme":    func() []string { return append([]string{"auto"}, themes.Names()...) },
		"color":    func() []string { return []string{"auto", "always", "never"} },
		"paths":    func() []string { return []string{"relative", "absolute"} },
		"for":      providerNames,
		"provider": providerNames,
		"to":       exportNames,
		"as":       func() []string { return formsOf[cmd.Name()] },
		"by":       func() []string { return waysOf(cmd.Name()) },
		"sdk":      func() []string { return []string{"5", "6", "7"} },
	}
	for flag, known := range values {
		if cmd.Flags().Lookup(flag) == nil {
			continue
		}
		_ = cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			// it fails only where the flag has one already
			return known(), cobra.ShellCompDirectiveNoFileComp
		})
	}
	if cmd.ValidArgsFunction == nil && cmd.ValidArgs == nil {
		cmd.ValidArgsFunction = completePlace
	}
	for _, c := range cmd.Commands() {
		completeFlags(c)
	}
}

// completePlace completes what addresses of buckets begin with. All else is a file.
func completePlace(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	for _, kind := range []string{"s3://", "gs://"} {
		if len(begun) > 1 && strings.HasPrefix(kind, begun) {
			return []string{kind}, cobra.ShellCompDirectiveNoSpace
		}
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// formsOf are what --as takes, by command.
var formsOf = map[string][]string{
	"diff": {"text", "markdown", "json"}, "check": {"text", "json", "junit", "sarif"}, "log": {"text", "markdown", "csv", "json"},
	"label": {"text", "json", "csv", "scout", "scout-labels", "scout-scores"},
}

// waysOf are what --by takes, by command.
func waysOf(command string) []string {
	switch command {
	case "diff":
		return []string{"calls", "text", "outcomes"}
	case "failures":
		return []string{"failure", "label"}
	}
	return many.Names()
}

func formatNames() []string {
	var names []string
	for _, f := range format.All() {
		names = append(names, f.Name)
	}
	return names
}

func providerNames() []string {
	var names []string
	for _, p := range provider.All() {
		names = append(names, strings.ToLower(p.Name))
	}
	return names
}
