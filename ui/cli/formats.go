package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"turns/model/format"
	"turns/model/format/infer"
	"turns/model/load"
)

func writeJSONLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// explained is the answer of formats --explain --json.
type explained struct {
	Format     string           `json:"format"`
	Confidence int              `json:"confidence"`
	Reason     string           `json:"reason"`
	Fields     []explainedField `json:"fields,omitempty"`
}

// explainedField is why a field of an inferred format was taken for what it is.
type explainedField struct {
	Field      string `json:"field"`
	Part       string `json:"part"`
	Confidence int    `json:"confidence"`
	Why        string `json:"why"`
}

func (a *app) formatsCommand() *cobra.Command {
	var explain, inferFrom, check string
	cmd := &cobra.Command{
		Use: "formats", Short: "List the formats that are read and where each is usually found",
		Args: func(cmd *cobra.Command, args []string) error {
			if check == "" {
				return cobra.NoArgs(cmd, args)
			}
			return oneFile(cmd, args)
		},
		Example: "  turns formats\n  turns formats --explain run.jsonl\n  turns formats --infer run.jsonl > mine.toml\n" +
			"  turns formats --check mine.toml run.jsonl",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case explain != "":
				return a.explain(cmd.Context(), explain)
			case inferFrom != "":
				return a.infer(cmd.Context(), inferFrom)
			case check != "":
				return a.checkFormat(cmd.Context(), check, args[0])
			}
			return a.write(a.listFormats)
		},
	}
	cmd.Flags().StringVar(&explain, "explain", "", "say what FILE was recognised as, and why")
	cmd.Flags().StringVar(&check, "check", "", "say what each rule of the format in `FORMAT` takes of FILE, and what is left")
	cmd.Flags().StringVar(&inferFrom, "infer", "", "write what can be inferred of FILE as a format, to be corrected")
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON")
	a.outputFlags(cmd)
	return cmd
}

// errNotInferred says that a file is no conversation, as far as can be told.
var errNotInferred = errors.New("no conversation can be told from its fields")

// infer writes a description of the format of a file.
func (a *app) infer(ctx context.Context, arg string) error {
	c, err := load.Open(ctx, arg, load.Options{Stdin: a.In})
	if err != nil {
		return err
	}
	defer c.Close()
	found := format.Inferred(c.Sample())
	if found == nil {
		return fmt.Errorf("inferring the format of %q: %w", c.Name(), errNotInferred)
	}
	text, err := found.Format.Write()
	if err != nil {
		return err
	}
	return a.write(func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
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
	c, err := a.openAs(ctx, arg, load.Options{Stdin: a.In})
	if err != nil {
		return err
	}
	defer c.Close()
	f, m := c.Format()
	answer := explained{Format: f.Name, Confidence: m.Score, Reason: m.Reason}
	if f.Name == infer.Name {
		if found := format.Inferred(c.Sample()); found != nil {
			for _, e := range found.Evidence {
				answer.Fields = append(answer.Fields, explainedField(e))
			}
		}
	}
	return a.write(func(w io.Writer) error {
		if a.json {
			return writeJSON(w, answer)
		}
		fmt.Fprintf(w, "%s  %s\nconfidence %d of 100: %s\n", f.Name, f.Title, m.Score, m.Reason)
		if len(answer.Fields) > 0 {
			tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
			for _, e := range answer.Fields {
				fmt.Fprintf(tw, "  %s\tis the %s\t%d\t%s\n", e.Field, e.Part, e.Confidence, e.Why)
			}
			tw.Flush()
		}
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
			c, err := a.openAs(cmd.Context(), args[0], load.Options{Stdin: a.In})
			if err != nil {
				return err
			}
			defer c.Close()
			return a.write(func(w io.Writer) error { return c.Facts(cmd.Context(), w) })
		},
	}
	cmd.Flags().StringVar(&a.format, "format", "", "read as format NAME instead of detecting it")
	cmd.Flags().StringVar(&a.formatFile, "format-file", "", "read as the format that FILE describes")
	a.outputFlags(cmd)
	return cmd
}
