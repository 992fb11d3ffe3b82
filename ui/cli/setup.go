package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"turns/themes/tomlfile"
	"turns/ui/cli/help"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(a.Out, "turns version "+version())
			return err
		},
	}
}

// helpCommand prints the help of a command, or the page of a topic.
func (a *app) helpCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "help [COMMAND|TOPIC]", Short: "Show the help of a command, or the page of a topic",
		Example: "  turns help stats\n  turns help filters",
		RunE: func(cmd *cobra.Command, args []string) error {
			page, err := findPage(cmd.Root(), args, help.Command)
			if err != nil {
				return err
			}
			return a.showPage(page)
		},
	}
	cmd.Long = "Topics: " + strings.Join(help.Topics(), ", ") + "."
	cmd.ValidArgsFunction = completePages
	return cmd
}

// completePages completes the names of commands and topics.
func completePages(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return pageNames(cmd.Root()), cobra.ShellCompDirectiveNoFileComp
}

// pageNames returns the commands and topics with a help page.
func pageNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return append(names, help.Topics()...)
}

// findPage returns the page of a command, made by of, or of a topic.
func findPage(root *cobra.Command, words []string, of func(*cobra.Command) *help.Page) (*help.Page, error) {
	if len(words) == 0 {
		return of(root), nil
	}
	if page, err := help.Topic(words[0]); err == nil {
		return page, nil
	}
	if cmd, _, err := root.Find(words[:1]); err == nil && cmd != root {
		return of(cmd), nil
	}
	hint := "turns help lists commands and topics"
	if near := tomlfile.Nearest(words[0], pageNames(root)); near != "" {
		hint = "did you mean turns help " + near + "? " + hint
	}
	return nil, hinted{fmt.Errorf("no command and no help topic %q", words[0]), hint}
}

// showPage writes a page in the width of the terminal, otherwise of COLUMNS.
func (a *app) showPage(p *help.Page) error {
	l := help.Layout{Columns: a.Columns, Colours: a.Terminal && a.Env("NO_COLOR") == ""}
	if n, err := strconv.Atoi(a.Env("COLUMNS")); err == nil && !a.Terminal {
		l.Columns = n
	}
	return p.WriteText(a.Out, l)
}

// manCommand writes manual pages.
func (a *app) manCommand() *cobra.Command {
	var into string
	cmd := &cobra.Command{
		Use: "man [COMMAND|TOPIC]", Short: "Print a manual page, or write all of them",
		Example: "  turns man stats | man -l -\n  turns man --into ~/.local/share/man",
		RunE: func(cmd *cobra.Command, args []string) error {
			if into != "" && len(args) == 0 {
				return a.writeManual(cmd.Root(), into)
			}
			page, err := findPage(cmd.Root(), args, help.Manual)
			if err != nil {
				return err
			}
			return page.WriteMan(a.Out)
		},
	}
	cmd.Flags().StringVar(&into, "into", "", "Write all pages to `FOLDER`/man1 and FOLDER/man7")
	cmd.ValidArgsFunction = completePages
	return cmd
}

// writeManual writes the pages of all commands and topics into a folder, in the layout of man(1).
func (a *app) writeManual(root *cobra.Command, dir string) error {
	pages := []*help.Page{help.Manual(root)}
	for _, name := range pageNames(root) {
		page, err := findPage(root, []string{name}, help.Manual)
		if err != nil {
			return err
		}
		pages = append(pages, page)
	}
	for _, page := range pages {
		folder := filepath.Join(dir, fmt.Sprintf("man%d", page.Section))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("writing manual pages: %w", err)
		}
		path := filepath.Join(folder, fmt.Sprintf("%s.%d", page.Name, page.Section))
		if err := writeFile(path, true, page.WriteMan); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(a.Err, "turns: wrote %d manual pages to %s\n", len(pages), dir)
	return err
}

// completionCommand prints the completion script of a shell.
func (a *app) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use: "completion SHELL", Short: "Print the completion script of bash, zsh, fish or powershell",
		Example: "  turns completion bash > ~/.local/share/bash-completion/completions/turns\n" +
			"  turns completion zsh > \"${fpath[1]}/_turns\"\n  turns completion fish > ~/.config/fish/completions/turns.fish",
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return hinted{errors.New("completion needs the name of a shell"), "turns completion bash; valid: " + strings.Join(shells, ", ")}
			}
			write := map[string]func(io.Writer) error{
				"bash":       func(w io.Writer) error { return cmd.Root().GenBashCompletionV2(w, true) },
				"zsh":        cmd.Root().GenZshCompletion,
				"fish":       func(w io.Writer) error { return cmd.Root().GenFishCompletion(w, true) },
				"powershell": cmd.Root().GenPowerShellCompletionWithDesc,
			}[args[0]]
			if write == nil {
				return unknown("shell", args[0], shells)
			}
			return write(a.Out)
		},
	}
}
