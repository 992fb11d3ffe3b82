package reading

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"turns/query"
	"turns/query/describe"
)

// Options configure how Markdown writes passages.
type Options struct {
	Zone  *time.Location // of times; nil is UTC
	Steps bool           // a line for each reasoning and call
}

// Markdown writes the passages of a view. Headings inside texts do not change: each passage begins
// with a bold line.
func Markdown(ctx context.Context, w io.Writer, view describe.View, turns *query.TurnIndex, o Options) error {
	zone := o.Zone
	if zone == nil {
		zone = time.UTC
	}
	return Of(ctx, view, turns, func(p Passage) error {
		_, err := io.WriteString(w, p.markdown(zone, o.Steps))
		if err != nil {
			return fmt.Errorf("writing the conversation: %w", err)
		}
		return nil
	})
}

func (p *Passage) markdown(zone *time.Location, steps bool) string {
	at := ""
	if p.Time != 0 {
		at = " · " + time.UnixMilli(p.Time).In(zone).Format("2 Jan 2006 15:04")
	}
	switch p.Kind {
	case Prompt:
		rule := ""
		if p.Opens && p.Turn > 0 {
			rule = "---\n\n"
		}
		return rule + "**You**" + at + "\n\n" + p.Text + "\n\n"
	case Answer:
		who := "Assistant"
		if p.Model != "" {
			who += " · " + escaped(p.Model)
		}
		return "**" + who + "**" + at + "\n\n" + p.Text + "\n\n"
	case Failure:
		return "> **error** " + escaped(p.Text) + "\n\n"
	}
	if !steps || len(p.Steps) == 0 {
		return "> " + escaped(p.Text) + "\n\n"
	}
	var b strings.Builder
	b.WriteString("<details><summary>" + escaped(p.Text) + "</summary>\n\n")
	for i, step := range p.Steps {
		b.WriteString(strconv.Itoa(i+1) + ". " + escaped(step) + "\n")
	}
	b.WriteString("\n</details>\n\n")
	return b.String()
}

var signs = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "#", `\#`, "|", `\|`)

// escaped returns a line with its Markdown signs escaped.
func escaped(s string) string { return signs.Replace(s) }
