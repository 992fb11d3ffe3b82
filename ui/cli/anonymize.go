package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"turns/model"
	"turns/query"
	"turns/query/answer"
	"turns/query/human"
	"turns/query/redact"
	"turns/ui/transcripts"
)

// anonymizes adds the flag --anonymize to a command. The configuration sets its default.
func (a *app) anonymizes(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.anonymize.on, "anonymize", false, "Replace names of people, machines and private repositories, and addresses")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a.anonymize.given = cmd.Flags().Changed("anonymize")
		return run(cmd, args)
	}
}

// tries adds the flag --dry-run to a command.
func (a *app) tries(f *pflag.FlagSet) {
	f.BoolVar(&a.anonymize.dryRun, "dry-run", false, "List the replacements without writing a file")
}

// replacing returns the names to replace, nil to replace none. All files of a run share them.
func (a *app) replacing() *redact.Names {
	if a.anonymize.given && !a.anonymize.on || !a.anonymize.given && !a.settings().Anonymize {
		return nil
	}
	return a.names()
}

// knownNames returns the names that a run starts with.
func (a *app) knownNames() *redact.Names { return a.namesWith(nil) }

// namesWith returns the names of this machine and its user, the patterns of the configuration, and
// the replacements of an earlier run.
func (a *app) namesWith(standing map[string]string) *redact.Names {
	own := redact.Own{User: a.Env("USER"), Patterns: a.settings().Patterns, Replacements: standing}
	if u, err := user.Current(); err == nil {
		own.User = u.Username
	}
	own.Home, _ = os.UserHomeDir()
	own.Host, _ = os.Hostname()
	return redact.NewNames(own)
}

// learnFiles reads the names in all files before turns writes the first one: a name may first be
// recognisable in the last file, and the order of the files determines the numbers. It skips
// unreadable files; writing reports them.
func learnFiles(ctx context.Context, names *redact.Names, paths []string) {
	for _, path := range paths {
		if ctx.Err() != nil {
			return
		}
		names.Learn([]byte(path))
		file, _ := transcripts.PartOf(path)
		f, err := os.Open(file)
		if err != nil {
			continue
		}
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			_ = names.LearnFrom(f)
		}
		f.Close()
	}
}

// kindWords are the singular and plural of each kind.
var kindWords = map[string][2]string{
	"home": {"home folder", "home folders"}, "user": {"user", "users"}, "host": {"host", "hosts"}, "mail": {"e-mail address", "e-mail addresses"},
	"address": {"IP address", "IP addresses"}, "repository": {"repository name", "repository names"}, "pattern": {"match of a pattern", "matches of patterns"},
	"secret": {"kind of secrets", "kinds of secrets"},
}

// reportReplaced reports on stderr how many names were replaced.
func (a *app) reportReplaced(names *redact.Names) {
	if names == nil || a.anonymize.dryRun {
		return
	}
	var parts []string
	for _, k := range replacedKinds(names).Kinds {
		words := kindWords[k.Kind]
		parts = append(parts, human.Plural(k.Names, words[0], words[1]))
	}
	if parts == nil {
		return
	}
	fmt.Fprintf(a.Err, "turns: replaced %s\n", strings.Join(parts, ", "))
}

// replacedAnswer lists the replacements of a dry run, by kind.
type replacedAnswer struct {
	Kinds []replacedKind `json:"kinds"`
}

// replacedKind is a kind of names, or of secrets.
type replacedKind struct {
	Kind     string            `json:"kind"` // home, user, host, mail, address, repository, pattern or secret
	Names    int               `json:"names"`
	Count    int               `json:"count"` // number of places
	Examples []replacedExample `json:"examples"`
}

// replacedExample is a name and its replacement. A secret is not shown.
type replacedExample struct {
	From  string `json:"from"` // "" for a secret
	To    string `json:"to"`
	Count int    `json:"count"`
}

// replacedExamples is the most examples per kind.
const replacedExamples = 5

func replacedKinds(names *redact.Names) replacedAnswer {
	list := replacedAnswer{Kinds: []replacedKind{}}
	for _, r := range names.Replaced() {
		n := len(list.Kinds)
		if n == 0 || list.Kinds[n-1].Kind != r.Kind.String() {
			list.Kinds = append(list.Kinds, replacedKind{Kind: r.Kind.String()})
			n++
		}
		k := &list.Kinds[n-1]
		k.Names++
		k.Count += r.Count
		if len(k.Examples) < replacedExamples {
			k.Examples = append(k.Examples, replacedExample{r.From, r.To, r.Count})
		}
	}
	return list
}

// printReplaced prints the replacements of a dry run, as text or JSON.
func (a *app) printReplaced(names *redact.Names, asJSON bool) error {
	kinds := replacedKinds(names)
	a.out, a.json = "", asJSON
	return a.printAnswer(kinds.doc, func(w io.Writer) error { return query.WriteJSON(w, kinds) })
}

// doc describes the replacements.
func (r replacedAnswer) doc() *answer.Doc {
	if len(r.Kinds) == 0 {
		d := &answer.Doc{}
		d.AddText("no names found to replace")
		return d
	}
	t := answer.NewTable("=kind", ">names", ">places", "examples")
	for _, k := range r.Kinds {
		var examples []string
		for _, e := range k.Examples {
			text := e.To
			if e.From != "" {
				text = model.CleanLine(e.From) + " → " + e.To
			}
			examples = append(examples, text)
		}
		if more := k.Names - len(k.Examples); more > 0 {
			examples = append(examples, human.Count(more)+" more")
		}
		t.Add(k.Kind, human.Count(k.Names), human.Count(k.Count), strings.Join(examples, ", "))
	}
	return answer.Alone(t)
}

// counting returns a redactor that counts its replacements.
func (a *app) counting(names *redact.Names, secrets bool) *redact.Redactor {
	if names == nil {
		return redact.OnlyCounting()
	}
	return names.Redactor(secrets)
}
