package cli

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"turns/ui/mcp"
	"turns/ui/transcripts"
)

// mcpCommand serves agents: it answers each request by running a command line.
func (a *app) mcpCommand() *cobra.Command {
	secrets := false
	cmd := &cobra.Command{
		Use: "mcp [DIR|FILE…]", Short: "Serve sessions to agents over MCP",
		Long: "Answer the questions of agents about the sessions of some folders, over the Model Context Protocol on standard input and output. " +
			"Without a folder, mcp serves the sessions on this machine. It only reads, and it redacts secrets.",
		Example: "  claude mcp add turns -- turns mcp\n  turns mcp ~/.claude/projects ~/runs",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				places, err := transcripts.New(transcripts.Options{}).Places(cmd.Context())
				if err != nil {
					return err
				}
				for _, place := range places { // not every agent is installed on this machine
					found, err := filepath.Glob(place)
					if err != nil {
						return err
					}
					args = append(args, found...)
				}
			}
			return mcp.Serve(cmd.Context(), mcp.Options{
				Version: version(), Roots: args, Secrets: secrets, Run: a.within(!secrets),
			}, io.NopCloser(a.In), nopCloser{a.Out})
		},
	}
	cmd.Flags().BoolVar(&secrets, "no-redact", false, "Do not redact secrets")
	return cmd
}

// within runs another command line in this process, without a terminal. A file that could not be
// read is a complaint after the answer, not an error.
func (a *app) within(redacted bool) func(ctx context.Context, args []string, out, complaints io.Writer) int {
	return func(ctx context.Context, args []string, out, complaints io.Writer) int {
		code, _ := a.inside(ctx, args, IO{In: strings.NewReader(""), Out: out, Err: complaints, Env: a.Env, Redact: redacted, ForAgents: true})
		return code
	}
}

// nopCloser is a writer that stays open when a server ends.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
