package cli

import (
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"turns/query/session"
	"turns/themes"
	"turns/ui"
	"turns/ui/config"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Print the settings, their defaults, and where their file is",
		Long:    "Print the settings with their defaults, and the path of their file. The output can be that file; each line of it is optional.",
		Example: "  turns config\n  turns config -o ~/.config/turns/config.toml",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			c := a.settings()
			for _, p := range c.Problems {
				a.complain(p)
			}
			known := a.known()
			return a.write(func(w io.Writer) error { return c.Print(w, &known) })
		},
	}
	a.writes(cmd)
	return cmd
}

// readConfig reads the configuration file.
func (a *app) readConfig() *config.Config {
	home := configHome()
	if home == "" {
		return config.Default()
	}
	return config.Load(config.Path(home), a.known())
}

// configHome returns the user's configuration folder, "" for none.
func configHome() string {
	home, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return home
}

func (a *app) known() config.Known {
	return config.Known{Columns: session.ColumnNames(), Commands: ui.Commands(), Others: ui.OtherKeys(), Theme: func(name string) error {
		_, err := themes.Open(name, configHome())
		return err
	}}
}

// problems lists the mistakes in the configuration for the screen.
func problems(c *config.Config) (list []string) {
	for _, p := range c.Problems {
		list = append(list, p.Error())
	}
	return list
}

// cacheDir returns the folder of cached summaries by the XDG rules.
func (a *app) cacheDir() string { return a.folder("XDG_CACHE_HOME", ".cache") }

// folder returns the folder of turns in the folder of an environment variable, or otherwise in
// inHome below the home folder; "" without a home folder.
func (a *app) folder(env, inHome string) string {
	dir := a.Env(env)
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, filepath.FromSlash(inHome))
	}
	return filepath.Join(dir, "turns")
}
