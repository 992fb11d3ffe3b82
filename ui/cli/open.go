package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"turns/model/source/remote"
	"turns/query/lang"
	"turns/ui/transcripts"
)

// openCommand starts the screen, for people who look for a command name.
func (a *app) openCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "open [FILE]", Short: "Open a session on the screen", Args: rootArgs, RunE: a.runRoot}
	a.rootFlags(cmd)
	return cmd
}

// runRoot starts the screen. Without a terminal it prints the session as text.
func (a *app) runRoot(cmd *cobra.Command, args []string) error {
	if !a.Terminal || a.plain || a.json || a.out != "" {
		switch {
		case len(args) == 0 && a.follow:
			return hinted{errors.New("-f needs a file or folder"), "turns -f ~/.claude/projects"}
		case len(args) == 0:
			return hinted{errNoTranscript, "turns FILE, or turns - to read a pipe; turns --help shows more"}
		case a.follow:
			return a.followText(cmd.Context(), args[0])
		case transcripts.IsFolder(cmd.Context(), args[0]):
			return errFolder(args[0])
		}
		return a.show(cmd.Context(), args[0])
	}
	return a.startScreen(cmd.Context(), args)
}

// rootFlags adds the flags of the screen, for the program and its open command.
func (a *app) rootFlags(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	a.follows(cmd)
	a.selects(cmd)
	a.reads(cmd)
	a.writes(cmd)
	a.timeZoneFlag(cmd)
}

// rootArgs accepts one transcript or none. A single word close to a command that is not a file is
// treated as a mistyped command.
func rootArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	_, missing := os.Stat(args[0])
	place := missing == nil || strings.ContainsAny(args[0], "/\\.:") || args[0] == "-" || remote.Is(args[0])
	if len(args) == 1 {
		if near := nearestCommand(cmd.Root(), args[0]); !place && near != "" {
			return hinted{fmt.Errorf("unknown command %q", args[0]), "did you mean turns " + near + "? turns --help lists the commands"}
		}
		return nil
	}
	if place && !looksLikeFilter(args[0]) {
		return hinted{fmt.Errorf("%d transcripts: turns opens one", len(args)),
			fmt.Sprintf("to compare: turns diff %s %s; to browse several: turns FOLDER; quote a name with spaces", args[0], args[1])}
	}
	if looksLikeFilter(args[0]) {
		return checkPlaces(cmd, args)
	}
	hint := "turns --help lists the commands"
	if near := nearestCommand(cmd.Root(), args[0]); near != "" {
		hint = "did you mean turns " + near + "? " + hint
	}
	return hinted{fmt.Errorf("unknown command %q", args[0]), hint}
}

// checkPlaces returns an error if an argument for a transcript looks like a filter: tool:Bash would
// otherwise be a path on the host tool.
func checkPlaces(cmd *cobra.Command, args []string) error {
	places := args
	switch cmd.Name() {
	case "filter":
		places = args[min(1, len(args)):]
	case "search":
		places = args[:max(len(args)-1, 0)]
	case "help", "man", "completion":
		return nil
	}
	for _, arg := range places {
		if !looksLikeFilter(arg) {
			continue
		}
		hint := "quote it after -q: " + cmd.CommandPath() + " FILE -q " + quoteThere(arg)
		switch cmd.Name() {
		case "filter":
			hint = "quote all of it: turns filter " + quoteThere(strings.Join(args, " "))
		case "search": // needs a pattern, too
			hint = "turns show FILE -q " + quoteThere(arg) + " shows what a filter matches"
		}
		return hinted{fmt.Errorf("%q looks like a filter, not like a file", arg), hint}
	}
	return nil
}

// looksLikeFilter reports whether an argument is a term of the filter language, such as tool:Bash,
// and not an existing file.
func looksLikeFilter(arg string) bool {
	key, value, ok := strings.Cut(strings.TrimLeft(arg, "-!("), ":")
	if !ok || value == "" || strings.HasPrefix(value, "//") || lang.LangLookup(strings.ToLower(key)) == nil {
		return false
	}
	_, err := os.Lstat(arg)
	return err != nil
}
