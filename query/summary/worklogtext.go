package summary

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"turns/query"
	"turns/query/answer"
	"turns/query/human"
)

// Line returns the entry in one line: tool(key=value): outcome, duration.
func (e *WorkEntry) Line() string {
	var b strings.Builder
	b.WriteString(e.Tool + "(")
	for i, a := range e.Arguments {
		if i > 0 {
			b.WriteString(", ")
		}
		if a.Name != "" {
			b.WriteString(a.Name + "=")
		}
		b.WriteString(human.OneLine(a.Value, 60))
	}
	b.WriteString("): " + e.Outcome)
	before := " – "
	for _, text := range [...]string{string(e.Error), string(e.Details)} {
		if text != "" && text != e.Outcome {
			b.WriteString(before + human.OneLine(text, 100))
			before = "; "
		}
	}
	if len(e.Impact) > 0 {
		b.WriteString(" → " + strings.Join(e.Impact, ", "))
	}
	if e.Took != nil {
		b.WriteString(", " + e.Took.String())
	}
	if e.standing != "" {
		b.WriteString(", " + e.standing)
	}
	if e.Copied {
		b.WriteString(", copied")
	}
	if e.Category != "" {
		b.WriteString(" [" + string(e.Category) + "]")
	}
	return b.String()
}

// WriteJSON writes the answer.
func (a *WorkLogAnswer) WriteJSON(_ context.Context, w io.Writer) error { return query.WriteJSON(w, a) }

// Headline returns the first line: the number of calls and their outcomes.
func (a *WorkLogAnswer) Headline() string {
	size, more := workLogSize{a.calls(), len(a.Interactions)}, ""
	if a.cut != nil {
		size = *a.cut
	}
	if a.Orphans > 0 {
		more += " and " + human.Plural(a.Orphans, "result") + " without a call"
	}
	s := fmt.Sprintf("%s%s in %s: %s success, %s failure, %s partial, %s pending", human.Plural(size.calls, "call"), more,
		human.Plural(size.turns, "turn"), human.Count(a.Success), human.Count(a.Failure), human.Count(a.Partial), human.Count(a.Pending))
	s += over(a.sel)
	if a.Scripts > 0 {
		s += ", and " + human.Plural(a.Scripts, "script")
	}
	if a.Copied > 0 {
		s += ", and " + human.Count(a.Copied) + " copied"
	}
	return s
}

// each passes the entries and interactions to f, in order, including interactions without an entry.
// in is nil for an entry, e for an interaction.
func (a *WorkLogAnswer) each(f func(in *Interaction, e *WorkEntry)) {
	last, next := -1, 0 // interactions before next are done
	before := func(n int) {
		for ; next < n; next++ {
			if a.Interactions[next].entries == 0 {
				f(&a.Interactions[next], nil)
			}
		}
	}
	for i := range a.Entries {
		e := &a.Entries[i]
		if int(e.Interaction) != last && e.Interaction >= 0 {
			before(int(e.Interaction))
			f(&a.Interactions[e.Interaction], nil)
		}
		last = int(e.Interaction)
		f(nil, e)
	}
	before(len(a.Interactions))
}

// Doc describes the log: in text a line for each call under its prompt, in Markdown a list below a
// heading.
func (a *WorkLogAnswer) Doc() *answer.Doc {
	lines := []string{a.Headline()}
	turns := []answer.Section{{Text: lines, Only: answer.InMarkdown}}
	a.each(func(in *Interaction, e *WorkEntry) {
		if e != nil {
			last := &turns[len(turns)-1]
			agent, at := "", human.TimeOfDay(int64(e.Time), a.zone)
			if e.Agent != "" {
				agent = string(e.Agent) + ": "
			}
			if e.Inside {
				agent = "  " + agent
			}
			lines = append(lines, fmt.Sprintf("%6s %-8s %s %s%s", answer.At(e.Index).Text, at, e.glyph, agent, e.Line()))
			last.Text = append(last.Text, e.glyph+" "+at+" "+e.Line())
			return
		}
		turn, prompt := strconv.Itoa(in.Turn), human.OneLine(string(in.Prompt), 100)
		next := answer.Section{Head: "Turn " + turn + ": " + prompt, Only: answer.InMarkdown, List: true}
		if in.ID != "" {
			next.Head = "Turn " + turn + " (" + string(in.ID) + "): " + prompt
			turn += " [" + string(in.ID) + "]"
		}
		lines = append(lines, "── turn "+turn+"  "+prompt)
		for i := range in.Thoughts {
			t := &in.Thoughts[i]
			lines = append(lines, fmt.Sprintf("%6s %-8s ~ %s", answer.At(t.Index).Text, "", t.Line()))
			next.Text = append(next.Text, "~ "+t.Line())
		}
		turns = append(turns, next)
	})
	return &answer.Doc{Title: "Work log", Sections: append([]answer.Section{{Text: lines, Only: answer.InText}}, turns...)}
}

// Line returns the thought in at most about 150 letters, with its recorded type and confidence.
func (t *Thought) Line() string {
	kind := string(cmp.Or(t.Type, "thinking"))
	text := "[" + kind + "] " + cmp.Or(human.OneLine(string(t.Text), 100), t.absent)
	if t.Confidence != nil {
		text += " (confidence " + strconv.FormatFloat(*t.Confidence, 'f', -1, 64) + ")"
	}
	if t.Model != "" {
		text += " · " + string(t.Model)
	}
	return text
}

// WriteCSV writes the log as CSV, one row per call. Interactions without calls, and thoughts if
// requested, get separate rows; the column kind names the kind of row. Cells that a spreadsheet
// would run as formulas are quoted.
func (a *WorkLogAnswer) WriteCSV(w io.Writer) error {
	out := human.AppendCSV(nil, "index", "turn", "interaction", "time", "agent", "tool", "arguments", "outcome", "details", "error", "impact", "seconds", "category", "kind", "prompt")
	a.each(func(in *Interaction, e *WorkEntry) {
		if e != nil {
			out = a.appendEntry(out, e)
			return
		}
		rest := []string{"", "", "", "", "", "", "", ""}
		if in.entries == 0 {
			cells := append([]string{strconv.Itoa(int(in.Index)), strconv.Itoa(in.Turn), human.CSVCell(string(in.ID)), csvTime(in.Start), ""}, rest...)
			out = human.AppendCSV(out, append(cells, "interaction", human.CSVCell(string(in.Prompt)))...)
		}
		for i := range in.Thoughts {
			t := &in.Thoughts[i]
			cells := append([]string{strconv.Itoa(int(t.Index)), strconv.Itoa(in.Turn), human.CSVCell(string(in.ID)), "", ""}, rest...)
			cells[8] = human.CSVCell(t.Line()) // details
			out = human.AppendCSV(out, append(cells, "reasoning", human.CSVCell(string(in.Prompt)))...)
		}
	})
	_, err := w.Write(out)
	return err
}

// appendEntry adds the row of a call.
func (a *WorkLogAnswer) appendEntry(out []byte, e *WorkEntry) []byte {
	in, prompt, took, kind := "", "", "", "call"
	if e.Interaction >= 0 {
		in, prompt = string(a.Interactions[e.Interaction].ID), string(a.Interactions[e.Interaction].Prompt)
	}
	if e.Took != nil {
		took = strconv.FormatFloat(float64(*e.Took)/1000, 'f', -1, 64)
	}
	switch {
	case e.Copied:
		kind = "copied"
	case e.Orphan:
		kind = "result"
	}
	args := make([]string, len(e.Arguments))
	for k, x := range e.Arguments {
		args[k] = x.Name + "=" + x.Value
	}
	return human.AppendCSV(out,
		strconv.Itoa(int(e.Index)), strconv.Itoa(e.Turn), human.CSVCell(in), csvTime(e.Time), human.CSVCell(string(e.Agent)), human.CSVCell(e.Tool), human.CSVCell(strings.Join(args, ", ")), e.Outcome,
		human.CSVCell(string(e.Details)), human.CSVCell(string(e.Error)), human.CSVCell(strings.Join(e.Impact, ", ")), took, human.CSVCell(string(e.Category)), kind, human.CSVCell(prompt))
}

func csvTime(at human.Stamp) string {
	if at == 0 {
		return ""
	}
	return at.Time().Format(human.StampLayout)
}
