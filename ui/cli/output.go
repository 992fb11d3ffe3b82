package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"turns/export/outfile"
	"turns/model"
	"turns/query/answer"
	"turns/query/redact"
	"turns/ui/cli/console"
	"turns/ui/cli/help"
	"turns/ui/mcp"
)

// prints adds the flags for the output form of an answer to a command.
func (a *app) prints(cmd *cobra.Command, forms ...string) {
	under(cmd, help.Output, func(f *pflag.FlagSet) {
		oneOf(f, &a.to, "to", "t", "Print the answer as `FORM`", choices(forms...))
		f.BoolVar(&a.json, "json", false, "Print JSON, as --to json does")
	})
	a.writes(cmd)
	a.timeZoneFlag(cmd)
}

// writes adds the flags for the output file to a command.
func (a *app) writes(cmd *cobra.Command) {
	under(cmd, help.Output, func(f *pflag.FlagSet) {
		f.StringVarP(&a.out, "output", "o", "", "Write to `FILE` (atomically)")
		f.BoolVar(&a.force, "force", false, "Overwrite existing files")
	})
}

// timeZoneFlag adds the flag for the time zone to a command.
func (a *app) timeZoneFlag(cmd *cobra.Command) {
	under(cmd, help.Output, func(f *pflag.FlagSet) {
		f.BoolVar(&a.utc, "utc", false, "Print times in UTC instead of the local time zone")
	})
}

// checkOutput makes --json and --to consistent, and rejects a file name that is only a form.
func (a *app) checkOutput() error {
	switch {
	case a.json && a.to != "" && a.to != "json":
		return hinted{fmt.Errorf("--json and --to %s exclude each other", a.to), "leave one of them out"}
	case a.to == "json":
		a.json = true
	case a.to == "markdown":
		a.Redact = true
	}
	if a.out == "" || !slices.Contains(outputForms(), a.out) {
		return nil
	}
	if _, err := os.Lstat(a.out); err == nil {
		return nil // such a file exists
	}
	hint := fmt.Sprintf("--to %s sets the form; -o ./%s writes a file of that name", a.out, a.out)
	if a.out == "json" {
		hint = "--json prints JSON; -o ./json writes a file of that name"
	}
	return hinted{fmt.Errorf("-o %s: a form, not the name of a file", a.out), hint}
}

// write passes f the output: standard output, or with -o a temporary file that replaces the file
// once f has succeeded. After an interrupt or an error the old file is unchanged.
func (a *app) write(f func(w io.Writer) error) error {
	if a.out == "" || a.out == "-" {
		if a.Terminal && (a.json || a.asData) {
			e := &console.Escaper{W: a.Out}
			return errors.Join(buffered(e, f), e.Flush())
		}
		if a.coloured() && !a.json && !a.asData {
			return buffered(signs{a.Out}, f)
		}
		return buffered(a.Out, f)
	}
	if err := a.spareInputs(); err != nil {
		return err
	}
	return writeFile(a.out, a.force, f)
}

// writeAs writes an answer as text, or as JSON with --json.
func (a *app) writeAs(asJSON, asText func(io.Writer) error) error {
	if a.json {
		return a.write(asJSON)
	}
	return a.write(asText)
}

// printAnswer writes an answer as text, as Markdown, for agents or as JSON.
func (a *app) printAnswer(describe func() *answer.Doc, asJSON func(io.Writer) error) error {
	return a.writeAs(asJSON, func(w io.Writer) error { return a.draw(w, describe()) })
}

// draw writes an answer in the form that was requested.
func (a *app) draw(w io.Writer, d *answer.Doc) error {
	switch {
	case a.to == "markdown":
		return redacted(func(w io.Writer) error { _, err := io.WriteString(w, d.Markdown()); return err })(w)
	case a.ForAgents:
		_, err := io.WriteString(w, mcp.Draw(d))
		return err
	}
	p := answer.Page{Columns: a.columns(), Colours: a.coloured() && (a.out == "" || a.out == "-")}
	d.Print(&p)
	_, err := io.WriteString(w, p.String())
	return err
}

// writeJSONLines writes each value as a line of JSON.
func writeJSONLines[T any](w io.Writer, values iter.Seq[T]) error {
	for v := range values {
		if err := writeJSONLine(w, v); err != nil {
			return err
		}
	}
	return nil
}

func writeJSONLine(w io.Writer, v any) error {
	line, err := model.JSONOf(v)
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	return err
}

// coloured reports whether text for people is coloured.
func (a *app) coloured() bool {
	return a.color == "always" || a.color == "auto" && a.Terminal && a.out == "" && a.Env("NO_COLOR") == ""
}

// redacted replaces secrets in text that others will read.
func redacted(f func(w io.Writer) error) func(w io.Writer) error {
	return func(w io.Writer) error {
		var b bytes.Buffer
		if err := f(&b); err != nil {
			return err
		}
		text, _ := redact.New().Redact(nil, b.Bytes())
		_, err := w.Write(text)
		return err
	}
}

// spareInputs returns an error if -o names a transcript being read, even with --force.
func (a *app) spareInputs() error {
	out, err := os.Stat(a.out)
	if err != nil {
		return nil
	}
	for _, path := range a.inputs {
		if in, err := os.Stat(path); err == nil && os.SameFile(in, out) && !in.IsDir() {
			return hinted{fmt.Errorf("%q is the transcript to read", a.out), "write to another file with -o"}
		}
	}
	return nil
}

// signs colours the signs of outcomes.
type signs struct{ w io.Writer }

var signColours = strings.NewReplacer("✓", "\x1b[32m✓\x1b[39m", "✗", "\x1b[31m✗\x1b[39m", "■", "\x1b[33m■\x1b[39m", "⊘", "\x1b[33m⊘\x1b[39m", "◌", "\x1b[33m◌\x1b[39m")

func (s signs) Write(p []byte) (int, error) {
	_, err := signColours.WriteString(s.w, string(p))
	return len(p), err
}

func buffered(out io.Writer, f func(w io.Writer) error) error {
	w := bufio.NewWriterSize(out, 1<<16)
	if err := f(w); err != nil {
		w.Flush()
		return err
	}
	return w.Flush()
}

// writeFile writes a file atomically.
func writeFile(path string, force bool, f func(w io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return hinted{fmt.Errorf("%q is a folder", path), "write to a file with -o"}
	}
	_, err := outfile.Write(path, 0o600, force, func(w io.Writer) error { return buffered(w, f) })
	if errors.Is(err, fs.ErrExist) {
		return hinted{fmt.Errorf("%q exists", path), "--force overwrites it"}
	}
	return err
}

// cellsMost is the width of a cell if the output is not a terminal.
const cellsMost = 60

// flushed flushes w if it has a buffer.
func flushed(w io.Writer) error {
	if f, ok := w.(interface{ Flush() error }); ok {
		return f.Flush()
	}
	return nil
}

// limitFlag adds --limit to a command that prints rows.
func (a *app) limitFlag(cmd *cobra.Command, usage string) {
	cmd.Flags().VarP(&rowLimit{&a.rows, &a.max}, "limit", "n", usage)
}

// firstRows returns the first rows, as many as --limit allows.
func firstRows[T any](a *app, rows []T) []T {
	if a.rows > 0 && a.rows < len(rows) {
		return rows[:a.rows]
	}
	return rows
}
