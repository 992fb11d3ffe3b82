package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"turns/query/session"
	"turns/themes"
	"turns/ui"
	"turns/ui/config"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Print the settings with what holds without them, and say where their file is",
		Long: "Print the settings with what holds without them, and say where their file is. What is printed can be\n" +
			"that file; every line in it can be left out.",
		Example: "  turns config\n  turns config -o ~/.config/turns/config.toml",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c := a.config()
			for _, p := range c.Problems {
				a.complain(p)
			}
			known := a.known()
			return a.write(func(w io.Writer) error { return c.Print(w, &known) })
		},
	}
	a.outputFlags(cmd)
	return cmd
}

// config is what the file of settings says; it is read once.
func (a *app) config() *config.Config {
	if a.settings == nil {
		if home := configHome(); home == "" { // then nobody has settings
			a.settings = config.Default()
		} else {
			a.settings = config.Load(config.Path(home), a.known())
		}
	}
	return a.settings
}

// configHome is the folder of configurations, "" for none.
func configHome() string {
	home, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return home
}

func (a *app) known() config.Known {
	return config.Known{Columns: session.ColumnNames(), Commands: ui.Commands(), Theme: func(name string) error {
		_, err := themes.Open(name, configHome())
		return err
	}}
}

// notice is what the screen says of mistakes in the settings.
func notice(c *config.Config) string {
	switch n := len(c.Problems); {
	case n == 0:
		return ""
	case n == 1:
		return c.Problems[0].Error()
	default:
		return fmt.Sprintf("%s (and %d more: turns config lists them)", c.Problems[0].Error(), n-1)
	}
}
