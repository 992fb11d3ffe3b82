package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"turns/model/token"
	"turns/query/provider"
	"turns/themes"
)

// completeFlags has the shell complete the values of flags that take one of a few words.
func completeFlags(cmd *cobra.Command) {
	values := map[string]func() []string{
		"from":     formatNames,
		"encoding": token.Names,
		"theme":    func() []string { return append([]string{"auto"}, themes.Names()...) },
		"sdk":      words("5", "6", "7"),
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		known := values[f.Name]
		if c, ok := f.Value.(*choice); ok {
			known = c.known
		}
		if known == nil {
			return
		}
		// it fails only if the flag has a function already
		_ = cmd.RegisterFlagCompletionFunc(f.Name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return known(), cobra.ShellCompDirectiveNoFileComp
		})
	})
	if cmd.ValidArgsFunction == nil && cmd.ValidArgs == nil {
		cmd.ValidArgsFunction = completePlace
	}
	for _, c := range cmd.Commands() {
		completeFlags(c)
	}
}

// completePlace completes the beginnings of bucket addresses. The shell completes everything else
// as a file.
func completePlace(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	for _, kind := range []string{"s3://", "gs://"} {
		if len(begun) > 1 && strings.HasPrefix(kind, begun) {
			return []string{kind}, cobra.ShellCompDirectiveNoSpace
		}
	}
	return nil, cobra.ShellCompDirectiveDefault
}

func providerNames() []string {
	var names []string
	for _, p := range provider.All() {
		names = append(names, strings.ToLower(p.Name))
	}
	return names
}
