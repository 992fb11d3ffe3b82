package take

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/export/formats"
	"turns/model"
	"turns/query/human"
	"turns/query/redact"
	"turns/ui/paint"
)

// Render draws the dialog as lines of at most w cells and h rows.
func (d *Dialog) Render(w, h int) []string {
	w = min(w, 100)
	if w < 30 || h < 6 {
		return []string{d.h.Styles.Line(w, paint.GroundNone, paint.Span{Text: "too small for the export dialog"})}
	}
	in := w - 4
	st := d.h.Styles
	var body []string
	d.w, d.hot = w, hotSpots{}
	line := func(left, right []paint.Span) {
		body = append(body, st.Spread(in, paint.GroundNone, left, right))
		d.hot.lines = len(body)
	}
	d.contentLines(line)
	d.formatLines(line, in)
	d.toLines(line, in)
	d.RuleAt = len(body) + 1
	if room := h - 2 - len(body); room > 3 {
		body = append(body, st.Line(in, paint.GroundNone, paint.Span{Text: strings.Repeat("─", in), Ink: paint.InkBorder}))
		body = append(body, d.previewLines(in, min(room-1, 8))...)
	}
	body = body[:min(len(body), h-2)]
	d.hot.lines = len(body)
	return paint.FrameBox(st, w, "Export", d.doing(), body)
}

// name draws the label of a field.
func (d *Dialog) name(at int, text string) paint.Span {
	if at == d.Field {
		return paint.Span{Text: "›" + paint.Fit(text, 9), Ink: paint.InkAccent}
	}
	return paint.Span{Text: " " + paint.Fit(text, 9), Ink: paint.InkDim}
}

func radio(on bool) paint.Span {
	if on {
		return paint.Span{Text: "● ", Ink: paint.InkAccent}
	}
	return paint.Span{Text: "○ ", Ink: paint.InkDim}
}

func (d *Dialog) contentLines(line func(left, right []paint.Span)) {
	h := d.h
	dim := func(text string) []paint.Span { return []paint.Span{{Text: text + " ", Ink: paint.InkDim}} }
	view, n := "current view (no filter)", human.Plural(h.Snap.Len(), "message", "messages")
	if v := &h.View; v.On && v.Result != nil {
		view = paint.OneLine(v.Text)
		n = human.Plural(v.Result.Rows, "row", "rows") + ", " + human.Plural(len(v.Result.IDs), "message", "messages")
	}
	d.hotField(FieldWhat, d.pickContent(ExportView))
	line([]paint.Span{d.name(FieldWhat, "content"), radio(d.What == ExportView), {Text: "view       "}, {Text: view, Ink: paint.InkDim}}, dim(n))
	sel, sn := "none, v selects", ""
	if k := h.Rows.Taken().Len(); k > 0 {
		sel, sn = "", human.Plural(k, "message", "messages")
	}
	d.hotField(FieldWhat, d.pickContent(exportSelection))
	line([]paint.Span{{Text: paint.Blanks(10)}, radio(d.What == exportSelection), {Text: "selection  "}, {Text: sel, Ink: paint.InkDim}}, dim(sn))
	d.hotField(FieldWhat, d.pickContent(ExportItem))
	line([]paint.Span{{Text: paint.Blanks(10)}, radio(d.What == ExportItem), {Text: "item       "}, {Text: d.itemText(), Ink: paint.InkDim}}, nil)
	d.hotField(FieldWhat, d.pickContent(ExportAll))
	line([]paint.Span{{Text: paint.Blanks(10)}, radio(d.What == ExportAll), {Text: "all        "}}, dim(human.Plural(h.Snap.Len(), "message", "messages")))
	d.hotField(FieldWhat, nil)
	left := []paint.Span{{Text: paint.Blanks(10)}}
	for _, c := range [...]struct {
		what exportContent
		text string
	}{{ExportTurn, d.desk.turnName(" ")}, {ExportContext, d.desk.contextName()}, {ExportReading, "reading mode"}} {
		from := paint.RestWidth(left)
		left = append(left, radio(d.What == c.what), paint.Span{Text: c.text})
		d.hot.part(from, paint.RestWidth(left), d.inField(FieldWhat, d.pickContent(c.what)))
		left = append(left, paint.Span{Text: "   "})
	}
	line(left, nil)
}

// itemText describes the row of the cursor.
func (d *Dialog) itemText() string {
	h := d.h
	id, call := h.Rows.Selected()
	if id == model.NoID {
		return "none"
	}
	text := human.Place(h.Snap.Pos(id))
	lines, _ := h.Described.Lines(id)
	for i := range lines {
		if lines[i].Call == call {
			return text + " " + lines[i].Word + " " + lines[i].About
		}
	}
	return text
}

func (d *Dialog) formatLines(line func(left, right []paint.Span), in int) {
	left := []paint.Span{d.name(FieldFormat, "format"), {Text: "‹ " + d.format().Name + " ›  ", Ink: paint.InkAccent}}
	d.hotField(FieldFormat, nil)
	room := in - paint.RestWidth(left) - 2
	d.hot.part(paint.RestWidth(left[:1]), paint.RestWidth(left[:1])+2, d.inField(FieldFormat, d.step(-1)))
	d.hot.part(paint.RestWidth(left)-4, paint.RestWidth(left), d.inField(FieldFormat, d.step(1)))
	names := formats.Names()
	from := slices.Index(names, d.Choice.Format)
	for i := 1; i < len(names); i++ {
		name := names[(from+i)%len(names)]
		n := name + " "
		if room -= paint.Width(n); room < 0 {
			left = append(left, paint.Span{Text: "…", Ink: paint.InkDim})
			break
		}
		d.hot.part(paint.RestWidth(left), paint.RestWidth(left)+paint.Width(n), d.inField(FieldFormat, d.pickFormat(name)))
		left = append(left, paint.Span{Text: n, Ink: paint.InkDim})
	}
	line(left, nil)
	d.withLines(line, in)
	d.secretsLine(line)
	if d.h.Opts.Names != nil {
		d.namesLine(line)
	}
	if d.Where != "" {
		line([]paint.Span{{Text: paint.Blanks(10) + d.Where, Ink: paint.InkDim}}, nil)
	}
	d.pathsLine(line)
}

// withLines draws the check boxes.
func (d *Dialog) withLines(line func(left, right []paint.Span), in int) {
	d.hotField(FieldWith, nil)
	left := []paint.Span{d.name(FieldWith, "with")}
	boxes := d.boxes()
	if d.What == ExportReading {
		boxes = nil
		left = append(left, paint.Span{Text: "prompts, answers, a line for the work between them"})
	}
	for i, b := range boxes {
		mark, k := "[ ] ", paint.InkText
		if *b.on {
			mark = "[x] "
		}
		if d.Field == FieldWith && d.With == i {
			k = paint.InkAccent
		}
		switch {
		case i > 0 && paint.RestWidth(left)+2+paint.Width(mark+b.name) > in:
			line(left, nil)
			d.hotField(FieldWith, nil)
			left = []paint.Span{{Text: paint.Blanks(10)}}
		case i > 0:
			left = append(left, paint.Span{Text: "  "})
		}
		d.hot.part(paint.RestWidth(left), paint.RestWidth(left)+paint.Width(mark+b.name), d.inField(FieldWith, d.pickBox(i)))
		left = append(left, paint.Span{Text: mark + b.name, Ink: k})
	}
	line(left, nil)
}

// secretsLine shows the number of secrets and what happens to them.
func (d *Dialog) secretsLine(line func(left, right []paint.Span)) {
	d.hotField(fieldSecrets, nil)
	left := []paint.Span{d.name(fieldSecrets, "secrets")}
	switch n := d.secrets(); {
	case d.trial == nil:
		left = append(left, paint.Span{Text: "looking …", Ink: paint.InkDim})
	case n == 0 && d.trial.err == nil:
		left = append(left, paint.Span{Text: "none found", Ink: paint.InkDim})
	default:
		text, k, other := " found, not redacted", paint.InkWarning, " redacts them"
		if d.Choice.Redact[d.format().People] {
			text, k, other = " found, redacted", paint.InkText, " shows them"
		}
		left = append(left, paint.Span{Text: human.OrDot(n, human.Count) + text, Ink: k}, paint.Span{Text: "   "})
		d.hot.part(paint.RestWidth(left), paint.RestWidth(left)+13, d.inField(fieldSecrets, d.showWhere))
		left = append(left, paint.Span{Text: "s", Ink: paint.InkKey}, paint.Span{Text: " shows where   ", Ink: paint.InkDim})
		d.hot.part(paint.RestWidth(left), paint.RestWidth(left)+1+paint.Width(other), d.inField(fieldSecrets, func() tea.Cmd { return d.change(fieldSecrets, 1) }))
		left = append(left, paint.Span{Text: "k", Ink: paint.InkKey}, paint.Span{Text: other, Ink: paint.InkDim})
	}
	line(left, nil)
}

// pathsLine shows how paths are written.
func (d *Dialog) pathsLine(line func(left, right []paint.Span)) {
	mark := "[ ] "
	if d.Choice.Relative {
		mark = "[x] "
	}
	text := "~ for home, relative to the project"
	if d.What == ExportReading {
		text, mark = "as the conversation has them", ""
	}
	if !d.format().People {
		text = "as recorded: " + d.Choice.Format + " does not change paths"
		mark = ""
	}
	d.hotField(FieldPaths, func() tea.Cmd { return d.change(FieldPaths, 1) })
	line([]paint.Span{d.name(FieldPaths, "paths"), {Text: mark + text}}, nil)
}

// namesLine shows how many names there are of each kind, and the switch.
func (d *Dialog) namesLine(line func(left, right []paint.Span)) {
	d.hotField(fieldNames, nil)
	left := []paint.Span{d.name(fieldNames, "names")}
	counts := map[redact.Kind]int{}
	var kinds []redact.Kind
	if d.trial != nil {
		for _, r := range d.trial.names {
			if counts[r.Kind]++; counts[r.Kind] == 1 {
				kinds = append(kinds, r.Kind)
			}
		}
	}
	var parts []string
	for _, k := range kinds {
		parts = append(parts, human.Count(counts[k])+" "+k.String())
	}
	switch {
	case d.trial == nil:
		left = append(left, paint.Span{Text: "looking …", Ink: paint.InkDim})
	case parts == nil:
		left = append(left, paint.Span{Text: "none found", Ink: paint.InkDim})
	default:
		text, k, other := ", not replaced", paint.InkWarning, " replaces them"
		if d.Choice.Anonymize {
			text, k, other = ", replaced", paint.InkText, " restores them"
		}
		left = append(left, paint.Span{Text: strings.Join(parts, ", ") + text, Ink: k}, paint.Span{Text: "   "})
		d.hot.part(paint.RestWidth(left), paint.RestWidth(left)+1+paint.Width(other), d.inField(fieldNames, func() tea.Cmd { return d.change(fieldNames, 1) }))
		left = append(left, paint.Span{Text: "a", Ink: paint.InkKey}, paint.Span{Text: other, Ink: paint.InkDim})
	}
	line(left, nil)
}

func (d *Dialog) toLines(line func(left, right []paint.Span), in int) {
	var right []paint.Span
	switch {
	case d.To != ToFile:
	case d.taken && d.exists != "":
		right = []paint.Span{{Text: "⏎ overwrites ", Ink: paint.InkWarning}}
	case d.taken:
		right = []paint.Span{{Text: "exists ", Ink: paint.InkWarning}}
	default:
		right = []paint.Span{{Text: "new ", Ink: paint.InkDim}}
	}
	path, _ := d.Path.Spans(max(in-24-paint.RestWidth(right), 8), paint.InkText, d.Field == FieldTo && d.To == ToFile)
	d.hotField(FieldTo, d.pickPlace(ToFile))
	line(append([]paint.Span{d.name(FieldTo, "to"), radio(d.To == ToFile), {Text: "file       "}}, path...), right)
	size := ""
	if d.trial != nil && d.trial.err == nil {
		size = ", " + d.sizeText()
		if d.trial.size > ClipboardLimit {
			size += ": most terminals refuse so much"
		}
	}
	d.hotField(FieldTo, d.pickPlace(ToClipboard))
	line([]paint.Span{{Text: paint.Blanks(10)}, radio(d.To == ToClipboard), {Text: "clipboard  "}, {Text: "OSC 52" + size, Ink: paint.InkDim}}, nil)
	command, _ := d.command.Spans(max(in-28, 8), paint.InkText, d.Field == FieldTo && d.To == ToCommand)
	d.hotField(FieldTo, d.pickPlace(ToCommand))
	line(append([]paint.Span{{Text: paint.Blanks(10)}, radio(d.To == ToCommand), {Text: "command    "}, {Text: "| ", Ink: paint.InkDim}}, command...), nil)
}

func (d *Dialog) sizeText() string {
	s := model.SizeOf(d.trial.size)
	if d.trial.more {
		s = "more than " + s
	}
	return s
}

// previewLines draws the preview, with the size of the export.
func (d *Dialog) previewLines(in, n int) []string {
	st := d.h.Styles
	switch {
	case d.trial == nil:
		return []string{st.Line(in, paint.GroundNone, paint.Span{Text: "writing it on trial …", Ink: paint.InkDim})}
	case d.trial.err != nil:
		return []string{st.Line(in, paint.GroundNone, paint.Span{Text: paint.OneLine(d.trial.err.Error()), Ink: paint.InkError})}
	}
	right, ink := d.sizeText(), paint.InkDim
	if d.trial.tokens > 0 && d.What != ExportItem {
		right += ", " + human.Short(d.trial.tokens) + " tok"
	}
	if d.trial.report.Over != "" {
		right, ink = d.sizeText()+": "+d.trial.report.Over, paint.InkWarning
	}
	text := slices.DeleteFunc(strings.Split(model.Clean(d.trial.head), "\n"), func(s string) bool { return strings.TrimSpace(s) == "" })
	d.From = max(min(d.From, len(text)-n), 0)
	var out []string
	for _, s := range text[d.From:] {
		s = paint.Expand(s)
		if len(out) == 0 {
			out = append(out, st.Spread(in, paint.GroundNone, []paint.Span{{Text: s}}, []paint.Span{{Text: right, Ink: ink}}))
		} else {
			out = append(out, st.Line(in, paint.GroundNone, paint.Span{Text: s, Ink: paint.InkDim}))
		}
		if len(out) == n {
			break
		}
	}
	if len(out) == 0 {
		out = append(out, st.Spread(in, paint.GroundNone, []paint.Span{{Text: "nothing", Ink: paint.InkDim}}, []paint.Span{{Text: right, Ink: paint.InkDim}}))
	}
	return out
}
