package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"turns/model"
	"turns/model/source"
	"turns/model/source/remote"
	"turns/model/source/shell"
	"turns/ui/cli/console"
)

// askedThere are the commands that a host with turns answers itself. They write only their answers.
const askedThere = " turns ls show search stats tools timeline log cost context trim recap failures loops check diff export "

// flagsThere are the flags with the same meaning on the host: they name no local file. With any
// other flag, turns reads the files over the connection.
const flagsThere = " query json exact utc slice first last from session subagents max no-tokens encoding where since until by sort limit " +
	"long rank color no-state to compare at budget indent metadata columns csv-raw redact no-redact max-content-length paths for ascii plain "

// answersAs is the hidden flag with the name of the host. turns on the host then prints paths as
// addresses of the local machine, so that answers and errors are those of a host without turns.
const answersAs = "answer-as"

// notThere is the exit code of the script on a host without turns.
const notThere = 93

// askThere makes hosts answer queries about their transcripts themselves.
func (a *app) askThere(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		a.askThere(c)
	}
	run := cmd.RunE
	if run == nil || !strings.Contains(askedThere, " "+cmd.Name()+" ") {
		return
	}
	as := ""
	cmd.Flags().StringVar(&as, answersAs, "", "")
	hide(cmd.Flags(), answersAs)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if as != "" {
			source.AnswerAs(cmd.Context(), as)
			return run(cmd, args)
		}
		if host, script := a.scriptThere(cmd, args); host != "" {
			if done, err := a.runThere(cmd.Context(), host, script); done {
				return err
			}
		}
		return run(cmd, args)
	}
}

// scriptThere returns the host of all transcripts, and the script to run on it; "" if they are not
// all on one host, or a flag only works locally.
func (a *app) scriptThere(cmd *cobra.Command, args []string) (host, script string) {
	if !cmd.HasParent() && a.Terminal || a.Redact {
		return "", "" // the screen is drawn locally, and secrets are removed locally
	}
	words := []string{"turns"}
	if cmd.HasParent() {
		words = append(words, cmd.Name())
	}
	known := true
	cmd.Flags().Visit(func(f *pflag.Flag) {
		known = known && strings.Contains(flagsThere, " "+f.Name+" ")
		values := []string{f.Value.String()}
		switch v := f.Value.(type) {
		case pflag.SliceValue:
			values = v.GetSlice()
		case *rowLimit:
			values = v.values()
		}
		for _, v := range values {
			words = append(words, quoteThere("--"+f.Name+"="+v))
		}
	})
	if f := cmd.Flags().Lookup("color"); f != nil && !f.Changed && cmd.HasParent() {
		when := "never"
		if a.coloured() {
			when = "always"
		}
		words = append(words, "--color="+when)
	}
	var names []string
	for i, arg := range args {
		at, ok := remote.Parse(arg)
		switch {
		case ok && at.Kind == "ssh" && (host == "" || host == at.Root):
			host = at.Root
			names = append(names, quoteThere(arg))
		case !ok && cmd.Name() == "search" && i == len(args)-1: // the pattern
			names = append(names, quoteThere(arg))
		default:
			known = false
		}
	}
	if !known || host == "" {
		return "", ""
	}
	zone := ""
	if name := a.Env("TZ"); name != "" {
		zone = "TZ=" + quoteThere(name) + " "
	}
	words = append(words, quoteThere("--"+answersAs+"="+host), "--")
	words = append(words, names...)
	return host, fmt.Sprintf("command -v turns >/dev/null 2>&1 || exit %d\n%sexec %s", notThere, zone, strings.Join(words, " "))
}

// olderThere reports whether the host has an older version without the command or a flag. Then
// turns reads the files over the connection.
func olderThere(stderr string) bool {
	return strings.Contains(stderr, "error: unknown flag") || strings.Contains(stderr, "error: unknown command")
}

// quoteThere quotes a word for the host's shell.
func quoteThere(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Most output accepted from a host: on a terminal, and into a file or another program.
const mostScreen, mostFile = 64 << 20, 2 << 30

// runThere runs turns on a host and cleans its output, since the host may not be trusted. done is
// false if turns is not installed there, or too old.
func (a *app) runThere(ctx context.Context, host, script string) (done bool, err error) {
	cmd := shell.Command(ctx, host, script, false)
	var stderr shell.Tail
	out := &console.Guard{W: a.Out, Most: mostFile, Data: !a.Terminal}
	if a.Terminal {
		out.Most = mostScreen
	}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, &stderr, time.Second
	if err = cmd.Run(); errors.Is(err, console.ErrEndless) {
		return true, fmt.Errorf("asking host %q: %w (over %s)", host, err, model.SizeOf(out.Most))
	}
	if ferr := out.Flush(); ferr != nil {
		return true, ferr
	}
	var exit *exec.ExitError
	code := 0
	switch {
	case ctx.Err() != nil:
		return true, ctx.Err()
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		return true, fmt.Errorf("asking host %q: %w", host, err)
	}
	switch {
	case code == notThere, code == exitError && olderThere(stderr.String()):
		return false, nil
	}
	switch code {
	case exitOK, exitNoMatch, exitError, exitInterrupted:
		for line := range strings.Lines(stderr.String()) {
			fmt.Fprintln(a.Err, model.CleanLine(line))
		}
	default:
		return true, hinted{fmt.Errorf("asking host %q: %.300s", host, stderr.Last()), sshHint(host, stderr.String())}
	}
	switch code {
	case exitNoMatch:
		return true, errNoMatch
	case exitError:
		a.incomplete = true // the host has reported why
	case exitInterrupted:
		return true, context.Canceled
	}
	return true, nil
}

// sshFaults are error messages of ssh, in lower case, and hints; %s is the host.
var sshFaults = [...]struct{ stderr, hint string }{
	{"could not resolve hostname", "check the name of the host; a local file with a colon is ./NAME"},
	{"host key verification failed", "connect once with ssh %s to check and accept its key"},
	{"connection refused", "no ssh server answers there: check the host and the port (Port in ~/.ssh/config)"},
	{"timed out", "the host does not answer: check that it runs and that the network reaches it"},
	{"no route to host", "the host does not answer: check that it runs and that the network reaches it"},
	{"network is unreachable", "the host does not answer: check that it runs and that the network reaches it"},
	{"permission denied", "ssh %s must work without a password to be typed"},
}

// sshHint returns a hint for a failed connection, by the message of ssh.
func sshHint(host, stderr string) string {
	stderr = strings.ToLower(stderr)
	for _, f := range sshFaults {
		if strings.Contains(stderr, f.stderr) {
			return strings.ReplaceAll(f.hint, "%s", host)
		}
	}
	return "ssh " + host + " shows what is wrong"
}
