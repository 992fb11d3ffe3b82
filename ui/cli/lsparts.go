package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/charmbracelet/x/ansi"

	"turns/model"
	"turns/model/load"
	"turns/query/human"
)

// listParts lists the conversations of a file that has many; many is false where
// arg is a folder or has only one.
func (a *app) listParts(ctx context.Context, w io.Writer, arg string, filter *summaryFilter) (many bool, err error) {
	if info, err := os.Stat(arg); err == nil && info.IsDir() && !isTranscript(arg) {
		return false, nil
	}
	c, snap, err := a.open(ctx, arg)
	if err != nil {
		return false, err
	}
	defer c.Close()
	parts := load.Parts(ctx, snap)
	if len(parts) < 2 {
		return false, nil
	}
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	shown := 0
	for i := range parts {
		p := &parts[i]
		if !filter.holds(&p.Summary) {
			continue
		}
		shown++
		if a.json {
			if err := writeJSONLine(w, p); err != nil {
				return true, err
			}
			continue
		}
		a.partRow(tw, p)
	}
	switch {
	case shown == 0:
		return true, errNoMatch
	case a.json:
		return true, nil
	}
	if err := tw.Flush(); err != nil {
		return true, err
	}
	_, err = fmt.Fprintln(w, partsLine(parts, shown))
	return true, err
}

// partsLine counts the conversations, and those that did well among those that
// were judged.
func partsLine(parts []load.Part, shown int) string {
	line := human.Count(len(parts)) + " conversations"
	if shown < len(parts) {
		line = human.Count(shown) + " of " + line
	}
	if passed, judged := load.Passed(parts); judged > 0 {
		line += fmt.Sprintf(", %d of %d passed", passed, judged)
	}
	return line
}

func (a *app) partRow(w io.Writer, p *load.Part) {
	when := "·"
	if p.Last != 0 {
		when = time.UnixMilli(p.Last).In(a.zone()).Format("2006-01-02 15:04")
	}
	errs := "·"
	if p.Errors > 0 {
		errs = human.Count(p.Errors)
	}
	id := ansi.Truncate(model.CleanLine(p.Session), 40, "…")
	if id == "" {
		id = "·"
	}
	fmt.Fprintf(w, "%6d\t%s\t%s\t%s\t%s\t%s\t%s\n", p.Number, when, id,
		ansi.Truncate(model.CleanLine(p.Title), 60, "…"), human.Count(p.Messages), errs, ending(&p.Summary))
}
