package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"turns/model"
	"turns/model/load"
	"turns/model/source/remote"
	"turns/model/token"
	"turns/query"
	"turns/query/lang"
	"turns/query/summary"
	"turns/themes"
	"turns/ui"
	"turns/ui/cli/help"
	"turns/ui/config"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// follows adds the flags of a screen with one session to a command.
func (a *app) follows(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVarP(&a.follow, "follow", "f", false, "Follow the file as it grows")
	f.StringVar(&a.at, "at", "", "Begin at `PLACE`: a message number, a time (@22:41) or end")
	f.StringVar(&a.view, "view", "", "Begin with the saved view `NAME` of the session or of the session list")
	a.looks(cmd)
	f.BoolVar(&a.json, "json", false, "Print messages as JSON; with -f, each new one as a line")
}

// looks adds the flags of the screen to a command.
func (a *app) looks(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.theme, "theme", "", "Draw with `THEME`: a name or the path of a file")
	annotate(f.Lookup("theme"), help.FlagValues, append([]string{"auto"}, themes.Names()...)...)
	f.BoolVar(&a.ascii, "ascii", false, "Draw with ASCII characters only")
	f.BoolVar(&a.plain, "plain", false, "Print text instead of starting the screen")
}

// checkTheme returns an error if --theme names no theme.
func (a *app) checkTheme() error {
	if a.theme == "" || a.theme == "auto" {
		return nil
	}
	_, err := themes.Open(a.theme, configHome())
	return err
}

// everywhere adds the flags common to all commands.
func (a *app) everywhere(root *cobra.Command) {
	f := root.PersistentFlags()
	oneOf(f, &a.color, "color", "", "Colour the output `WHEN`", choices("auto", "always", "never"))
	a.color, f.Lookup("color").DefValue = "auto", "auto"
	f.BoolVar(&a.noState, "no-state", false, "Do not load or save positions, marks and history")
	f.VisitAll(func(flag *pflag.Flag) { annotate(flag, help.FlagGroup, help.Output) })
}

// startScreen opens a session, or the session list of a folder, a server or this machine.
func (a *app) startScreen(ctx context.Context, args []string) error {
	if len(args) == 0 {
		if a.follow {
			return a.followProject(ctx)
		}
		return a.listScreen(ctx)
	}
	if !a.follow && (transcripts.IsFolder(ctx, args[0]) || len(args) == 1 && transcripts.ListsDialogs(args[0])) {
		return a.listScreen(ctx, args...)
	}
	return a.showFile(ctx, args[0])
}

// showFile opens a session, or follows the newest one of a folder.
func (a *app) showFile(ctx context.Context, arg string) error {
	dir := transcripts.DirOf(arg)
	if n, err := strconv.Atoi(a.session); err == nil && n >= 0 {
		arg = transcripts.PartPath(arg, n)
	} else if a.session != "" { // by id, with a filter
		a.query = sessionFilter(a.session, a.query)
	}
	if arg == "-" {
		if f, ok := a.In.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			return hinted{errors.New("standard input is a terminal, not a pipe"), "agent | turns -"}
		}
	}
	if a.follow && transcripts.IsFolder(ctx, arg) {
		return a.followNewest(ctx, nil, noneToFollow(arg), arg)
	}
	if err := a.mustBeThere(ctx, arg); err != nil {
		return err
	}
	lib, err := a.library(dir)
	if err != nil {
		return err
	}
	defer lib.Close()
	feed, err := lib.Watch(ctx, arg)
	if err != nil {
		return err
	}
	return a.runScreen(ctx, lib, feed)
}

// mustBeThere returns an error if a file is missing or empty, unless -f waits for it.
func (a *app) mustBeThere(ctx context.Context, arg string) error {
	file, _ := transcripts.PartOf(arg)
	if a.follow || file == "-" || transcripts.IsAddress(file) {
		return nil
	}
	info, err := remote.Stat(ctx, file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && remote.Is(file): // turns does not wait for buckets
		return fmt.Errorf("open %q: %w", file, errors.Unwrap(err))
	case errors.Is(err, fs.ErrNotExist):
		return hinted{fmt.Errorf("open %q: %w", file, errors.Unwrap(err)), "turns -f FILE waits for a new file"}
	case err == nil && info.Mode().IsRegular() && info.Size() == 0:
		return hinted{fmt.Errorf("%q is empty", file), "turns -f FILE waits for its first records"}
	}
	return nil
}

// sessionFilter restricts a filter to one conversation, by its id.
func sessionFilter(id, filter string) string {
	only := "session:" + lang.Quote(id)
	if strings.TrimSpace(filter) == "" {
		return only
	}
	return only + " (" + filter + ")"
}

// followProject follows the newest session of an agent in this folder.
func (a *app) followProject(ctx context.Context) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	none := hinted{fmt.Errorf("no agent has a session in %q", dir), "turns ls lists the sessions of this machine; turns -f FILE follows one"}
	return a.followNewest(ctx, func(s *model.Summary) bool { return s.Project == dir }, none)
}

// followNewest follows the newest session accepted by wants in some folders; it returns none if
// there is none.
func (a *app) followNewest(ctx context.Context, wants func(*model.Summary) bool, none error, dirs ...string) error {
	lib, err := a.library(dirs...)
	if err != nil {
		return err
	}
	defer lib.Close()
	feed, err := lib.Follow(ctx, wants)
	if err == nil && feed == nil {
		err = none
	}
	if err != nil {
		return err
	}
	return a.runScreen(ctx, lib, feed)
}

// stateDir returns the folder of positions and marks by the XDG rules; "" with --no-state.
func (a *app) stateDir() string {
	if a.noState {
		return ""
	}
	return a.folder("XDG_STATE_HOME", ".local/state")
}

// readPlaces stores how far the user has read sessions; nil with --no-state.
func (a *app) readPlaces() *transcripts.Reads {
	if a.readOnce == nil {
		a.readOnce = sync.OnceValue(func() *transcripts.Reads { return transcripts.OpenReads(a.stateDir()) })
	}
	return a.readOnce()
}

// library lists and opens the transcripts of some folders, or of the agents on this machine.
func (a *app) library(dirs ...string) (*transcripts.Store, error) {
	header, err := parseHeaders(a.header)
	if err != nil {
		return nil, err
	}
	limits, err := a.limits(0)
	if err != nil {
		return nil, err
	}
	o := transcripts.Options{
		Dirs: dirs, Cache: a.cacheDir(), Workers: screen.Parsers(), Zone: a.zone(), Choose: a.chooses, Labels: a.labels(), Reads: a.readPlaces(), Redact: a.Redact,
		Load: load.Options{Stdin: a.In, Header: header, Agents: a.subagents, Limits: limits},
	}
	o.Prices = sync.OnceValue(func() summary.PriceTable {
		table, _ := a.settings().OpenPrices("") // turns cost reports errors in them
		return table
	})
	if err := a.readAs(&o.Load); err != nil {
		return nil, err
	}
	if quiet := a.quiet(); !a.noTokens {
		o.Counter = quiet.counter
	}
	return transcripts.New(o), nil
}

// listScreen starts with the session list of some folders.
func (a *app) listScreen(ctx context.Context, dirs ...string) error {
	lib, err := a.library(dirs...)
	if err != nil {
		return err
	}
	defer lib.Close()
	return a.runScreen(ctx, lib, nil)
}

// runScreen shows a session. Without one it starts with the list or a comparison.
func (a *app) runScreen(ctx context.Context, lib *transcripts.Store, feed transcripts.Feed) error {
	enc, err := a.checkScreen()
	if err == nil {
		_, err = a.savedView(feed == nil)
	}
	if err != nil {
		return err
	}
	options := a.screenOptions(enc)
	options.Context, options.Store = ctx, lib
	if options.Prices, err = a.settings().OpenPrices(""); err != nil {
		options.Problems = append(options.Problems, err.Error())
	}
	if options.Views, err = config.LoadViews(options.ViewFile); err != nil {
		options.Problems = append(options.Problems, err.Error())
	}
	if places, err := lib.Places(ctx); err == nil {
		options.Places = places
	}
	if other := lib.Rival(); other != "" && options.Notices == nil {
		notices := make(chan string, 1)
		notices <- other
		options.Notices = notices
	}
	options.Sessions = feed == nil && a.compare[0] == "" && a.trials == nil
	if feed == nil {
		feed = transcripts.StaticFeed("", model.FromMessages(nil))
	}
	if path := a.Env("TURNS_TRACE"); path != "" {
		trace, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			return fmt.Errorf("writing the trace: %w", err)
		}
		defer trace.Close()
		options.Trace = trace
	}
	if w, h, err := term.GetSize(int(os.Stdout.Fd())); err == nil && (w > ui.MaxColumns || h > ui.MaxRows) {
		// Bubble Tea asks the terminal for its size; this terminal reports an impossible size
		options.Output, options.Width, options.Height = struct{ io.Writer }{os.Stdout}, min(w, ui.MaxColumns), min(h, ui.MaxRows)
	}
	if options.Tour, options.Chosen = a.tour, a.chosen; a.tty != nil {
		options.Output = a.tty
	}
	err = ui.Run(ctx, feed, options)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// checkScreen checks the flags of the screen before it starts, and returns the token encoding.
func (a *app) checkScreen() (token.Encoding, error) {
	if a.encoding == "" {
		return token.ForModel(""), nil
	}
	return token.ParseEncoding(a.encoding)
}

// viewsPath returns the file of views, "" without a configuration folder.
func viewsPath() string {
	home := configHome()
	if home == "" {
		return ""
	}
	return config.ViewsPath(home)
}

// savedView returns the view of --view, nil without the flag. A view of the list is an error if
// hasList is false.
func (a *app) savedView(hasList bool) (*config.View, error) {
	if a.view == "" {
		return nil, nil
	}
	views, err := config.LoadViews(viewsPath())
	if err != nil {
		return nil, err
	}
	v := config.ViewNamed(views, a.view)
	if v != nil && (v.Of != config.ViewOfList || hasList) {
		return v, nil
	}
	if v != nil {
		return nil, hinted{fmt.Errorf("the view %q is of the session list", a.view), "turns --view " + strconv.Quote(a.view) + " shows the list with it"}
	}
	hint := ":save NAME on the screen saves one"
	if len(views) > 0 {
		var names []string
		for i := range views {
			names = append(names, strconv.Quote(views[i].Name))
		}
		hint = "saved views: " + strings.Join(names, ", ")
	}
	return nil, hinted{fmt.Errorf("no view is called %q", a.view), hint}
}

func (a *app) screenOptions(enc token.Encoding) screen.Options {
	set := a.settings()
	home, _ := os.UserHomeDir()
	return screen.Options{
		Yield: a.Yield, Compare: a.compare, CompareFolders: a.folders, Trials: a.trials,
		Theme:   cmp.Or(a.theme, set.Theme),
		Themes:  func(name string) (themes.Theme, error) { return themes.Open(name, configHome()) },
		NoColor: a.color == "never" || a.color == "auto" && a.Env("NO_COLOR") != "",
		Color:   a.color == "always",
		ASCII:   a.ascii, UTC: a.utc, Filter: a.query, At: a.at, Follow: a.follow || set.Follow,
		Keys: set.Bind(ui.Commands()), Commands: set.Commands, Times: set.Time, Columns: set.Columns, Labels: a.labels(), LabelWords: set.Labels,
		Problems: problems(set), Opening: a.opening, Notices: a.notices, StateDir: a.stateDir(), Reads: a.readPlaces(), Home: home,
		View: a.view, ViewFile: viewsPath(),
		Names: a.names, Anonymize: set.Anonymize,
		Encoding: enc.String(),
		Counter:  func() query.TokenCounter { return token.New(enc) },
		// images are large for a slow connection
		Pictures: a.Env("SSH_CONNECTION") == "" && a.Env("SSH_TTY") == "",
		Display: a.Env("DISPLAY") != "" || a.Env("WAYLAND_DISPLAY") != "" || a.Env("TMUX") != "" ||
			runtime.GOOS == "darwin" && a.Env("SSH_TTY") == "",
	}
}
