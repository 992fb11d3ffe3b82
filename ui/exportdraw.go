package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/export"
	"turns/model"
)

// Render draws the dialog.
func (d *exportDialog) Render(w, h int) []string {
	w = min(w, 100)
	if w < 30 || h < 6 {
		return []string{d.h.styles.line(w, groundNone, span{text: "too small for the export dialog"})}
	}
	in := w - 4
	st := d.h.styles
	var body []string
	d.w, d.hot = w, hotSpots{}
	line := func(left, right []span) {
		body = append(body, st.spread(in, groundNone, left, right))
		d.hot.lines = len(body)
	}
	d.whatLines(line)
	d.formatLines(line, in)
	d.toLines(line, in)
	d.ruleAt = len(body) + 1
	if room := h - 2 - len(body); room > 3 {
		body = append(body, st.line(in, groundNone, span{text: strings.Repeat("─", in), ink: inkBorder}))
		body = append(body, d.previewLines(in, min(room-1, 8))...)
	}
	body = body[:min(len(body), h-2)]
	d.hot.lines = len(body)
	return frameBox(st, w, "Export", d.doing(), body)
}

// name is the label of a field.
func (d *exportDialog) name(at int, text string) span {
	if at == d.field {
		return span{text: "›" + fit(text, 9), ink: inkAccent}
	}
	return span{text: " " + fit(text, 9), ink: inkDim}
}

func radio(on bool) span {
	if on {
		return span{text: "● ", ink: inkAccent}
	}
	return span{text: "○ ", ink: inkDim}
}

func (d *exportDialog) whatLines(line func(left, right []span)) {
	h := d.h
	dim := func(text string) []span { return []span{{text: text + " ", ink: inkDim}} }
	view, n := "as it is, no filter", plural(h.snap.Len(), "message", "messages")
	if v := &h.view; v.on && v.result != nil {
		view = oneLine(v.text)
		n = plural(v.result.Rows, "row", "rows") + ", " + plural(len(v.result.IDs), "message", "messages")
	}
	d.hotField(fieldWhat, d.pickWhat(exportView))
	line([]span{d.name(fieldWhat, "what"), radio(d.what == exportView), {text: "view       "}, {text: view, ink: inkDim}}, dim(n))
	sel, sn := "none, v selects", ""
	if k := h.rows.Taken().Len(); k > 0 {
		sel, sn = "", plural(k, "message", "messages")
	}
	d.hotField(fieldWhat, d.pickWhat(exportSelection))
	line([]span{{text: blanks(10)}, radio(d.what == exportSelection), {text: "selection  "}, {text: sel, ink: inkDim}}, dim(sn))
	d.hotField(fieldWhat, d.pickWhat(exportItem))
	line([]span{{text: blanks(10)}, radio(d.what == exportItem), {text: "item       "}, {text: d.itemText(), ink: inkDim}}, nil)
	d.hotField(fieldWhat, d.pickWhat(exportAll))
	line([]span{{text: blanks(10)}, radio(d.what == exportAll), {text: "all        "}}, dim(plural(h.snap.Len(), "message", "messages")))
}

// itemText says which row the cursor is on.
func (d *exportDialog) itemText() string {
	h := d.h
	id, call := h.rows.Selected()
	if id == model.NoID {
		return "none"
	}
	text := placeOf(h.snap.Pos(id))
	lines, _ := h.described.lines(id)
	for i := range lines {
		if lines[i].Call == call {
			return text + " " + lines[i].Word + " " + lines[i].About
		}
	}
	return text
}

func (d *exportDialog) formatLines(line func(left, right []span), in int) {
	left := []span{d.name(fieldFormat, "format"), {text: "‹ " + d.choice.format + " ›  ", ink: inkAccent}}
	d.hotField(fieldFormat, nil)
	room := in - restWidth(left) - 2
	d.hot.part(restWidth(left[:1]), restWidth(left[:1])+2, d.inField(fieldFormat, d.step(-1)))
	d.hot.part(restWidth(left)-4, restWidth(left), d.inField(fieldFormat, d.step(1)))
	names := export.Names()
	from := slices.Index(names, d.choice.format)
	for i := 1; i < len(names); i++ {
		name := names[(from+i)%len(names)]
		n := name + " "
		if room -= width(n); room < 0 {
			left = append(left, span{text: "…", ink: inkDim})
			break
		}
		d.hot.part(restWidth(left), restWidth(left)+width(n), d.inField(fieldFormat, d.pickFormat(name)))
		left = append(left, span{text: n, ink: inkDim})
	}
	line(left, nil)
	d.hotField(fieldWith, nil)
	left = []span{d.name(fieldWith, "with")}
	for i, b := range d.boxes() {
		mark, k := "[ ] ", inkText
		if *b.on {
			mark = "[x] "
		}
		if d.field == fieldWith && d.with == i {
			k = inkAccent
		}
		if i > 0 {
			left = append(left, span{text: "  "})
		}
		d.hot.part(restWidth(left), restWidth(left)+width(mark+b.name), d.inField(fieldWith, d.pickBox(i)))
		left = append(left, span{text: mark + b.name, ink: k})
	}
	line(left, nil)
	d.hotField(fieldSecrets, nil)
	left = []span{d.name(fieldSecrets, "secrets")}
	people := d.format().People
	red := d.choice.redact[people]
	switch n := d.secrets(); {
	case d.trial == nil:
		left = append(left, span{text: "looking …", ink: inkDim})
	case n == 0 && d.trial.err == nil:
		left = append(left, span{text: "none found", ink: inkDim})
	default:
		said, k, other := " found, kept", inkWarning, " redacts them"
		if red {
			said, k, other = " found, redacted", inkText, " keeps them"
		}
		left = append(left, span{text: count(n) + said, ink: k}, span{text: "   "})
		d.hot.part(restWidth(left), restWidth(left)+13, d.inField(fieldSecrets, d.showWhere))
		left = append(left, span{text: "s", ink: inkKey}, span{text: " shows where   ", ink: inkDim})
		d.hot.part(restWidth(left), restWidth(left)+1+width(other), d.inField(fieldSecrets, func() tea.Cmd { return d.change(fieldSecrets, 1) }))
		left = append(left, span{text: "k", ink: inkKey}, span{text: other, ink: inkDim})
	}
	line(left, nil)
	if d.where != "" {
		line([]span{{text: blanks(10) + d.where, ink: inkDim}}, nil)
	}
	mark := "[ ] "
	if d.choice.relative {
		mark = "[x] "
	}
	text := "~ for home, relative to the project"
	if !people {
		text = "as recorded: " + d.choice.format + " keeps what was said"
		mark = ""
	}
	d.hotField(fieldPaths, func() tea.Cmd { return d.change(fieldPaths, 1) })
	line([]span{d.name(fieldPaths, "paths"), {text: mark + text}}, nil)
}

func (d *exportDialog) toLines(line func(left, right []span), in int) {
	var right []span
	switch {
	case d.to != toFile:
	case d.taken && d.exists != "":
		right = []span{{text: "⏎ overwrites ", ink: inkWarning}}
	case d.taken:
		right = []span{{text: "exists ", ink: inkWarning}}
	default:
		right = []span{{text: "new ", ink: inkDim}}
	}
	path, _ := d.path.spans(max(in-24-restWidth(right), 8), inkText, d.field == fieldTo && d.to == toFile)
	d.hotField(fieldTo, d.pickPlace(toFile))
	line(append([]span{d.name(fieldTo, "to"), radio(d.to == toFile), {text: "file       "}}, path...), right)
	size := ""
	if d.trial != nil && d.trial.err == nil {
		size = ", " + d.sizeText()
		if d.trial.size > clipboardLimit {
			size += ", too long for most terminals"
		}
	}
	d.hotField(fieldTo, d.pickPlace(toClipboard))
	line([]span{{text: blanks(10)}, radio(d.to == toClipboard), {text: "clipboard  "}, {text: "OSC 52" + size, ink: inkDim}}, nil)
	command, _ := d.command.spans(max(in-28, 8), inkText, d.field == fieldTo && d.to == toCommand)
	d.hotField(fieldTo, d.pickPlace(toCommand))
	line(append([]span{{text: blanks(10)}, radio(d.to == toCommand), {text: "command    "}, {text: "| ", ink: inkDim}}, command...), nil)
}

func (d *exportDialog) sizeText() string {
	s := model.SizeOf(d.trial.size)
	if d.trial.more {
		s = "more than " + s
	}
	return s
}

// previewLines are the beginning of the result, with its size.
func (d *exportDialog) previewLines(in, n int) []string {
	st := d.h.styles
	switch {
	case d.trial == nil:
		return []string{st.line(in, groundNone, span{text: "writing it on trial …", ink: inkDim})}
	case d.trial.err != nil:
		return []string{st.line(in, groundNone, span{text: oneLine(d.trial.err.Error()), ink: inkError})}
	}
	right := d.sizeText()
	if d.trial.tokens > 0 && d.what != exportItem {
		right += ", " + short(d.trial.tokens) + " tok"
	}
	said := slices.DeleteFunc(strings.Split(model.Clean(d.trial.head), "\n"), func(s string) bool { return strings.TrimSpace(s) == "" })
	d.from = max(min(d.from, len(said)-n), 0)
	var out []string
	for _, s := range said[d.from:] {
		s = expand(s)
		if len(out) == 0 {
			out = append(out, st.spread(in, groundNone, []span{{text: s}}, []span{{text: right, ink: inkDim}}))
		} else {
			out = append(out, st.line(in, groundNone, span{text: s, ink: inkDim}))
		}
		if len(out) == n {
			break
		}
	}
	if len(out) == 0 {
		out = append(out, st.spread(in, groundNone, []span{{text: "nothing", ink: inkDim}}, []span{{text: right, ink: inkDim}}))
	}
	return out
}
