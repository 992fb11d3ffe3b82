package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"turns/export/formats"
	"turns/themes/tomlfile"
	"turns/ui/cli/help"
)

// under adds flags below a heading in the help.
func under(cmd *cobra.Command, heading string, add func(f *pflag.FlagSet)) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.SortFlags = false
	add(f)
	f.VisitAll(func(flag *pflag.Flag) {
		annotate(flag, help.FlagGroup, heading)
		if cmd.Flags().Lookup(flag.Name) == nil {
			cmd.Flags().AddFlag(flag)
		}
	})
}

func annotate(f *pflag.Flag, name string, values ...string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[name] = values
}

// hide removes flags from the help. They stay as former spellings, or for old scripts.
func hide(f *pflag.FlagSet, names ...string) {
	for _, name := range names {
		f.Lookup(name).Hidden = true
	}
}

// formerFlags maps the former names of flags to the current ones.
var formerFlags = map[string]string{
	"filter": "query", "sessions": "where", "agents": "subagents", "labels": "label-file", "format": "from", "as": "to", "top": "limit", "colour": "color",
}

// formerOwn are the former names in single commands; they precede formerFlags.
var formerOwn = map[string]map[string]string{
	"context": {"keep": "keep-last", "provider": "for"},
	"diff":    {"by": "compare"},
	"formats": {"check": "test"},
	"label":   {"by": "author"},
	"ls":      {"whole": "exact"},
	"recap":   {"open": "limit"},
	"trim":    {"beside": "also", "keep": "keep-last", "provider": "for"},
}

// acceptFormer makes a command accept the former names of its flags.
func acceptFormer(cmd *cobra.Command) {
	own := formerOwn[cmd.Name()]
	cmd.Flags().SetNormalizeFunc(func(f *pflag.FlagSet, name string) pflag.NormalizedName {
		if now := own[name]; now != "" {
			return pflag.NormalizedName(now)
		}
		if now := formerFlags[name]; now != "" {
			return pflag.NormalizedName(now)
		}
		return pflag.NormalizedName(name)
	})
}

// choice is the value of a flag with a fixed set of words, or several of them separated by commas.
type choice struct {
	into  *string
	what  string // its name in errors
	known func() []string
	many  bool
}

func (c *choice) String() string { return *c.into }

// Type is the type shown in completion and help.
func (c *choice) Type() string { return "string" }

// Set accepts a known word or its alias: md for markdown.
func (c *choice) Set(s string) error {
	words := []string{s}
	if c.many {
		words = strings.Split(s, ",")
	}
	known := c.known()
	for i, word := range words {
		if slices.Contains(known, strings.TrimSpace(word)) {
			continue
		}
		full := formats.FullName(word)
		if !slices.Contains(known, full) {
			return unknown(c.what, word, known)
		}
		words[i] = full
	}
	*c.into = strings.Join(words, ",")
	return nil
}

// oneOf adds a flag with a fixed set of words. The help lists them, unless there are too many.
func oneOf(f *pflag.FlagSet, into *string, name, short, usage string, known func() []string) *choice {
	c := &choice{into: into, what: "--" + name, known: known}
	flag := f.VarPF(c, name, short, usage)
	if words := known(); len(words) <= 40 {
		annotate(flag, help.FlagValues, words...)
	}
	return c
}

// choices returns a function for choice.known.
func choices(list ...string) func() []string { return func() []string { return list } }

// rowLimit is the value of --limit: a number of rows, or a safety limit as in --max, the former
// meaning of the flag.
type rowLimit struct {
	rows *int
	max  *[]string
}

func (l *rowLimit) String() string {
	if l.rows == nil || *l.rows == 0 {
		return ""
	}
	return strconv.Itoa(*l.rows)
}

// values returns the set values, in the form that Set accepts.
func (l *rowLimit) values() []string {
	list := slices.Clone(*l.max)
	if rows := l.String(); rows != "" {
		list = append(list, rows)
	}
	return list
}

// Type is int, like that of number flags.
func (l *rowLimit) Type() string { return "int" }

// Set parses a number of rows, or NAME=VALUE.
func (l *rowLimit) Set(s string) error {
	if strings.Contains(s, "=") {
		*l.max = append(*l.max, s)
		return nil
	}
	if l.rows == nil {
		return hinted{fmt.Errorf("--limit %q: this command always prints the complete answer", s), "--first and --last select messages; --max NAME=VALUE sets a safety limit"}
	}
	n, err := strconv.Atoi(s)
	if err == nil && n < 1 {
		return hinted{fmt.Errorf("--limit %d: the smallest limit is 1", n), "leave it out to print all rows"}
	}
	*l.rows = n
	return err
}

// flagError rewords an error of the flag parser, with a hint to the command's help.
func flagError(cmd *cobra.Command, err error) error {
	lists := cmd.CommandPath() + " --help lists its flags"
	var missing *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var bad *pflag.InvalidValueError
	var own hinted
	switch {
	case errors.As(err, &missing):
		return unknownFlag(cmd, missing, lists)
	case errors.As(err, &empty):
		placeholder, _ := pflag.UnquoteUsage(empty.GetFlag())
		return hinted{fmt.Errorf("--%s needs a value", empty.GetFlag().Name), "--" + empty.GetFlag().Name + " " + placeholder + "; " + lists}
	case errors.As(err, &own):
		return own
	case errors.As(err, &bad):
		f := bad.GetFlag()
		what := map[string]string{"int": "a whole number", "int64": "a whole number", "bool": "true or false"}[f.Value.Type()]
		if what == "" {
			return hinted{fmt.Errorf("--%s %q: %w", f.Name, bad.GetValue(), bad.Unwrap()), lists}
		}
		return hinted{fmt.Errorf("--%s needs %s, not %q", f.Name, what, bad.GetValue()), lists}
	}
	return hinted{err, lists}
}

// unknownFlag returns the error for a flag that a command does not have.
func unknownFlag(cmd *cobra.Command, missing *pflag.NotExistError, lists string) error {
	name := missing.GetSpecifiedName()
	if missing.GetSpecifiedShortnames() != "" {
		return hinted{fmt.Errorf("unknown flag -%s", name[:1]), lists}
	}
	hint := lists
	if near := nearestFlag(cmd, name); near != "" {
		hint = "did you mean --" + near + "? " + lists
	}
	return hinted{fmt.Errorf("unknown flag --%s", name), hint}
}

// nearestFlag returns the flag that was likely meant: the nearest current or former name, as its
// current name.
func nearestFlag(cmd *cobra.Command, name string) string {
	now := map[string]string{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			now[f.Name] = f.Name
		}
	})
	for _, table := range []map[string]string{formerFlags, formerOwn[cmd.Name()]} {
		for former, name := range table {
			if now[name] == name {
				now[former] = name
			}
		}
	}
	spellings := make([]string, 0, len(now))
	for s := range now {
		spellings = append(spellings, s)
	}
	slices.Sort(spellings)
	return now[tomlfile.Nearest(name, spellings)]
}

// noArgs returns an error if a command without arguments gets one.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return hinted{fmt.Errorf("%s has no arguments, but got %q", cmd.CommandPath(), args[0]), cmd.CommandPath() + " --help shows its flags"}
}
