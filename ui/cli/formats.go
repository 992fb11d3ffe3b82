package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"turns/export/outfile"
	"turns/model"
	"turns/model/format"
	"turns/model/format/described"
	"turns/model/format/infer"
	"turns/model/load"
	"turns/query"
	"turns/query/answer"
	"turns/query/human"
)

// formatRow is a format in JSON.
type formatRow struct {
	Name  string   `json:"name"`
	Title string   `json:"title"`
	Where []string `json:"where"` // where its transcripts usually are
	// newest version of the agent, or of its schema, that the format was checked against; null:
	// none
	Verified *string `json:"verified_version"`
}

// explained is the answer of formats --explain --json.
type explained struct {
	Format     string           `json:"format"`
	Confidence int              `json:"confidence"`
	Reason     string           `json:"reason"`
	Fields     []explainedField `json:"fields"` // of an inferred format
	Close      *closeReading    `json:"close"`  // null: none
	Unread     []model.Unread   `json:"unread"` // filled tables and types of records that no parser reads
}

// closeReading is another reading that understands about as much.
type closeReading struct {
	Format string `json:"format"`
	Finds  string `json:"finds"`
}

// explainedField is the part of a field in an inferred format, with the reason.
type explainedField struct {
	Field      string `json:"field"`
	Part       string `json:"part"`
	Confidence int    `json:"confidence"`
	Why        string `json:"why"`
}

// formatsCommand lists formats, and helps to find and describe the format of a file.
type formatsCommand struct {
	explains, infers, tests string
}

func (a *app) formatsCommand() *cobra.Command {
	c := &formatsCommand{}
	cmd := &cobra.Command{
		Use: "formats", Short: "List the formats that turns reads, and where each is found",
		Args: func(cmd *cobra.Command, args []string) error {
			if c.tests == "" {
				return noArgs(cmd, args)
			}
			return oneFile(cmd, args)
		},
		Example: "  turns formats\n  turns formats --explain run.jsonl\n  turns formats --infer run.jsonl > mine.toml\n" +
			"  turns formats --test mine.toml run.jsonl",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case c.explains != "":
				return a.explain(cmd.Context(), c.explains)
			case c.infers != "":
				return a.infer(cmd.Context(), c.infers)
			case c.tests != "":
				return a.testFormat(cmd.Context(), c.tests, args[0])
			}
			return a.write(a.listFormats)
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.explains, "explain", "", "Show which format `FILE` was recognised as, and why")
	f.StringVar(&c.infers, "infer", "", "Infer a format from `FILE` and write it as a start for your own")
	f.StringVar(&c.tests, "test", "", "Test the format file `FORMAT`: show the matches of each rule in a file, and the rest")
	a.prints(cmd, textAndJSON...)
	return cmd
}

// errNotInferred is the error for a file without a recognised session.
var errNotInferred = errors.New("no conversation was recognised in its fields")

// infer writes a description of the format of a file.
func (a *app) infer(ctx context.Context, arg string) error {
	c, err := load.Open(ctx, arg, load.Options{Stdin: a.In})
	if err != nil {
		return err
	}
	defer c.Close()
	var d *described.Format
	if found := format.Inferred(c.Sample()); found != nil {
		d = found.Format
	} else if d = infer.Start(c.Sample()); d != nil {
		fmt.Fprintf(a.Err, "turns: %v: this is a start: it assumes that the longest texts are messages\nturns: hint: put its role and text right, then turns formats --test FILE shows its matches\n", errNotInferred)
	} else {
		return fmt.Errorf("inferring the format of %q: %w", c.Name(), errNotInferred)
	}
	text, err := d.Write()
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
		var rows []formatRow
		for _, f := range format.All() {
			row := formatRow{Name: f.Name, Title: f.Title, Where: append([]string{}, f.Where...)}
			if version := format.Verified(f); version != "" {
				row.Verified = &version
			}
			rows = append(rows, row)
		}
		return query.WriteJSON(w, rows)
	}
	t := answer.NewTable("format", "title", "verified", "found in")
	t.Bare = true
	for _, f := range format.All() {
		t.Add(f.Name, f.Title, cmp.Or(format.Verified(f), human.NotSaid), strings.Join(f.Where, ", "))
	}
	return a.draw(w, answer.Alone(t))
}

func (a *app) explain(ctx context.Context, arg string) error {
	c, err := a.openAs(ctx, arg, load.Options{Stdin: a.In})
	if err != nil {
		return err
	}
	defer c.Close()
	f, m := c.Format()
	reading := explained{Format: f.Name, Confidence: m.Score, Reason: m.Reason, Fields: []explainedField{}, Unread: []model.Unread{}}
	if snap, err := c.Load(ctx); err == nil || ctx.Err() == nil { // reading reports damage
		reading.Unread = append(reading.Unread, c.Unread(ctx, snap)...)
	}
	if f.Name == infer.Name {
		if found := format.Inferred(c.Sample()); found != nil {
			for _, e := range found.Evidence {
				reading.Fields = append(reading.Fields, explainedField(e))
			}
		}
	}
	rival := c.Rival()
	if rival != nil {
		reading.Close = &closeReading{rival.Format.Name, rival.Finds}
	}
	return a.printAnswer(func() *answer.Doc {
		section := answer.Section{Text: []string{f.Name + "  " + f.Title, fmt.Sprintf("confidence %d of 100: %s", m.Score, m.Reason)}}
		if words := model.UnreadWords(reading.Unread); words != "" {
			section.Text = append(section.Text, "unread: "+words)
		}
		if rival != nil {
			section.Text = append(section.Text, "another reading is close: "+rival.Words())
		}
		section.Table = answer.NewTable("", "", "", "")
		for _, e := range reading.Fields {
			section.Table.Add("  "+e.Field, "is the "+e.Part, strconv.Itoa(e.Confidence), e.Why)
		}
		for _, other := range c.Others() {
			section.Notes = append(section.Notes, fmt.Sprintf("also possible: %s (%d): %s", other.Format.Name, other.Match.Score, other.Match.Reason))
		}
		return &answer.Doc{Sections: []answer.Section{section}}
	}, func(w io.Writer) error { return query.WriteJSON(w, reading) })
}

// factsCommand prints what the parser of a format finds in each record, for authors of parsers.
func (a *app) factsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "facts FILE", Short: "Print the facts of each record", Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.openAs(cmd.Context(), args[0], load.Options{Stdin: a.In})
			if err != nil {
				return err
			}
			defer c.Close()
			return a.write(func(w io.Writer) error { return c.Facts(cmd.Context(), w) })
		},
	}
	a.readsAs(cmd)
	a.writes(cmd)
	return cmd
}

// testFormat shows what each rule of a format matches in a file, and what is left over.
func (a *app) testFormat(ctx context.Context, file, arg string) error {
	text, err := outfile.Read(file, maxFormat)
	if err != nil {
		return fmt.Errorf("reading a format: %w", err)
	}
	f, tally, err := format.Checked(file, text)
	if err != nil {
		return err
	}
	c, err := load.Open(ctx, arg, load.Options{Stdin: a.In, Format: f.Name, Formats: []*model.Format{f}, Workers: 1})
	if err != nil {
		return err
	}
	defer c.Close()
	matched := c.Matched()
	if _, err := c.Load(ctx); err != nil {
		a.complain(err)
	}
	return a.write(func(w io.Writer) error { return a.draw(w, tallyDoc(tally, matched)) })
}

// tallyDoc describes what each rule matched, and what none matched.
func tallyDoc(tally *described.Tally, matched bool) *answer.Doc {
	t := answer.NewTable("", "", "", "")
	for i, r := range tally.Rules {
		cells := []string{fmt.Sprintf("rule %d", i+1), cmp.Or(r.At, "record"), cmp.Or(r.As, "message"), fmt.Sprintf("matched %d", r.Count)}
		for _, part := range described.PartNames {
			if n := r.Parts[part]; n > 0 {
				cells = append(cells, fmt.Sprintf("%s %d", part, n))
			}
		}
		t.Add(cells...)
	}
	section := answer.Section{Table: t}
	if !matched {
		section.Text = []string{"match fails: turns would not recognise the file as this format"}
	}
	section.Notes = []string{"all records matched"}
	if tally.Left > 0 {
		section.Notes[0] = fmt.Sprintf("%d records without a matching rule:", tally.Left)
		kinds := slices.SortedFunc(maps.Keys(tally.Kinds), func(a, b string) int {
			return cmp.Or(tally.Kinds[b]-tally.Kinds[a], strings.Compare(a, b))
		})
		for _, kind := range kinds[:min(20, len(kinds))] {
			section.Notes = append(section.Notes, fmt.Sprintf("  %d %s", tally.Kinds[kind], kind))
		}
	}
	return &answer.Doc{Sections: []answer.Section{section}}
}
