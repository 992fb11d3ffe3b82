package paint

import "strings"

// starts returns the drawn lines of a part at which text lines begin; the others continue a wrapped
// line. In Markdown, diffs and pictures each drawn line counts.
func (d *Doc) starts(i int) []int {
	if at, ok := d.begins[i]; ok {
		return at
	}
	if d.begins == nil {
		d.begins = map[int][]int{}
	}
	d.begins[i] = d.findStarts(i)
	return d.begins[i]
}

func (d *Doc) findStarts(i int) []int {
	p, drawn := &d.Parts[i], len(d.Lines(i))
	var out []int
	n, w := 0, max(d.W, 1)
	switch p.Kind {
	case PartPlain, PartJSON, PartPrinted:
		if p.Kind == PartPlain && !p.wide {
			w = min(w, proseWidth)
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(p.Text, "\n"), "\n") {
			out = append(out, n)
			n += len(d.fit(Expand(strings.Map(withoutMarkers, line)), w))
		}
	}
	if n == drawn {
		return out
	}
	out = out[:0]
	for line := range drawn {
		out = append(out, line)
	}
	return out
}

func withoutMarkers(r rune) rune {
	if isMarker(r) {
		return -1
	}
	return r
}

// TextLines returns the number of text lines of some parts, independent of wrapping.
func (d *Doc) TextLines(from, to int) (n int) {
	if d.texts == nil {
		d.texts = map[int]int{}
	}
	for i := from; i < to; i++ {
		lines, ok := d.texts[i]
		if !ok {
			switch p := &d.Parts[i]; p.Kind {
			case PartPlain, PartJSON, PartPrinted:
				lines = LineCount(p.Text)
			default:
				lines = len(d.Lines(i))
			}
			d.texts[i] = lines
		}
		n += lines
	}
	return n
}

// TextLine returns the number, from 0, of the text line drawn on a line of a part.
func (d *Doc) TextLine(part, line int) int {
	n := 0
	for i, at := range d.starts(part) {
		if at > line {
			break
		}
		n = i
	}
	return n
}

// DrawnLine returns the line of a part at which a text line begins.
func (d *Doc) DrawnLine(part, text int) int {
	if at := d.starts(part); len(at) > 0 {
		return at[min(text, len(at)-1)]
	}
	return 0
}

// Texts returns the text lines drawn on the lines from and to of a part, unwrapped and without
// colours. For Markdown, diffs and pictures it returns the drawn lines.
func (d *Doc) Texts(part, from, to int) []string {
	p := &d.Parts[part]
	switch p.Kind {
	case PartPlain, PartJSON, PartPrinted:
		lines := strings.Split(strings.TrimSuffix(strings.Map(withoutMarkers, p.Text), "\n"), "\n")
		first, last := d.TextLine(part, from), d.TextLine(part, to)
		return lines[min(first, len(lines)):min(last+1, len(lines))]
	}
	var out []string
	for _, line := range d.Lines(part)[from : to+1] {
		out = append(out, strings.TrimRight(Stripped(line), " "))
	}
	return out
}
