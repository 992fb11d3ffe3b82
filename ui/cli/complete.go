package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"turns/model/token"
	"turns/query/provider"
	"turns/themes"
)

// completes reports whether a shell runs the command line for completion.
func completes(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// completeFlags registers completions for flags with a fixed set of words. Cobra stores these
// functions until the program ends, and the flags with them: a server that runs command lines would
// never free their transcripts. So only a run for completion may call this.
func completeFlags(cmd *cobra.Command) {
	values := map[string]func() []string{
		"from":     formatNames,
		"encoding": token.Names,
		"theme":    func() []string { return append([]string{"auto"}, themes.Names()...) },
		"sdk":      choices("5", "6", "7"),
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		known := values[f.Name]
		if c, ok := f.Value.(*choice); ok {
			known = c.known
		}
		if known == nil {
			return
		}
		// it fails only if the flag already has a function
		_ = cmd.RegisterFlagCompletionFunc(f.Name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return known(), cobra.ShellCompDirectiveNoFileComp
		})
	})
	for _, c := range cmd.Commands() {
		completeFlags(c)
	}
}

// completePlaces completes the arguments of commands without their own words.
func completePlaces(cmd *cobra.Command) {
	if cmd.ValidArgsFunction == nil && cmd.ValidArgs == nil {
		cmd.ValidArgsFunction = completePlace
	}
	for _, c := range cmd.Commands() {
		completePlaces(c)
	}
}

// completePlace completes the prefixes of bucket addresses. The shell completes all other arguments
// as files.
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
