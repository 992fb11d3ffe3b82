package cli

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// schemas has a JSON Schema for each command that takes --json. A test writes them from the Go
// types of the answers (go test ./ui/cli -run Schemas -update) and compares them.
//
//go:embed schemas/*.json
var schemas embed.FS

// schemaCommand prints the JSON Schema of a command's --json output.
func (a *app) schemaCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "schema COMMAND", Short: "Print the JSON Schema of a command's --json output",
		Example: "  turns schema stats\n  turns schema ls -o ls.schema.json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return nil
			}
			return hinted{fmt.Errorf("schema needs one command"), "turns schema COMMAND, where COMMAND is " + strings.Join(schemaNames(cmd), ", ")}
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return schemaNames(cmd), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if of, _, err := cmd.Root().Find(args); err == nil {
				if text := schemaOf(of); text != nil {
					return a.write(func(w io.Writer) error {
						_, err := w.Write(text)
						return err
					})
				}
			}
			return hinted{fmt.Errorf("no schema for %q", args[0]), "valid: " + strings.Join(schemaNames(cmd), ", ")}
		},
	}
	a.writes(cmd)
	return cmd
}

// schemaOf returns the schema of a command, by its name or an alias, nil for none.
func schemaOf(cmd *cobra.Command) []byte {
	for _, name := range append([]string{cmd.Name()}, cmd.Aliases...) {
		if text, err := schemas.ReadFile("schemas/" + name + ".json"); err == nil {
			return text
		}
	}
	return nil
}

// schemaNames returns the commands with a schema.
func schemaNames(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Root().Commands() {
		if !c.Hidden && c.HasParent() && schemaOf(c) != nil {
			names = append(names, c.Name())
		}
	}
	slices.Sort(names)
	return names
}
