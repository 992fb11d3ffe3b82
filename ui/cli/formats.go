package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"turns/model/format"
	"turns/model/load"
)

func writeJSONLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// explained is the answer of formats --explain --json.
type explained struct {
	Format     string `json:"format"`
	Confidence int    `json:"confidence"`
	Reason     string `json:"reason"`
}

func (a *app) formatsCommand() *cobra.Command {
	var explain string
	cmd := &cobra.Command{
		Use: "formats", Short: "List the formats that are read and where each is usually found", Args: cobra.NoArgs,
		Example: "  turns formats\n  turns formats --explain run.jsonl",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if explain != "" {
				return a.explain(cmd.Context(), explain)
			}
			return a.write(a.listFormats)
		},
	}
	cmd.Flags().StringVar(&explain, "explain", "", "say what FILE was recognised as, and why")
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON")
	a.outputFlags(cmd)
	return cmd
}

func (a *app) listFormats(w io.Writer) error {
	if a.json {
		type row struct {
			Name  string   `json:"name"`
			Title string   `json:"title"`
			Where []string `json:"where"`
		}
		var rows []row
		for _, f := range format.All() {
			rows = append(rows, row{f.Name, f.Title, append([]string{}, f.Where...)})
		}
		return writeJSON(w, rows)
	}
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, f := range format.All() {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", f.Name, f.Title, strings.Join(f.Where, ", "))
	}
	return tw.Flush()
}

func (a *app) explain(ctx context.Context, arg string) error {
	c, err := load.Open(ctx, arg, load.Options{Stdin: a.In})
	if err != nil {
		return err
	}
	defer c.Close()
	f, m := c.Format()
	answer := explained{f.Name, m.Score, m.Reason}
	return a.write(func(w io.Writer) error {
		if a.json {
			return writeJSON(w, answer)
		}
		fmt.Fprintf(w, "%s  %s\nconfidence %d of 100: %s\n", f.Name, f.Title, m.Score, m.Reason)
		for _, other := range c.Others() {
			fmt.Fprintf(w, "also possible: %s (%d): %s\n", other.Format.Name, other.Match.Score, other.Match.Reason)
		}
		return nil
	})
}

// factsCommand prints what the parser of a format says of each record: for whoever
// writes a format.
func (a *app) factsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "facts FILE", Short: "Print what the parser says of each record", Args: oneFile, Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := load.Open(cmd.Context(), args[0], load.Options{Stdin: a.In, Format: a.format})
			if err != nil {
				return err
			}
			defer c.Close()
			return a.write(func(w io.Writer) error { return c.Facts(cmd.Context(), w) })
		},
	}
	cmd.Flags().StringVar(&a.format, "format", "", "read as format NAME instead of detecting it")
	a.outputFlags(cmd)
	return cmd
}
