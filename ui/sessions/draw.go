package sessions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"turns/query/filter"
	"turns/query/human"
	"turns/query/quota"
	"turns/query/session"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// day returns the heading above a row, usually the day of its session.
func (d *List) day(row int) string {
	if d.look.hits && d.look.term != nil {
		return d.foundBy(row)
	}
	s := d.root(&d.All[d.Shown[row]])
	if heading := headings[d.section(s)]; heading != "" {
		return heading
	}
	if s.When().IsZero() {
		return "no time recorded"
	}
	when, now := s.When().In(d.H.Zone), d.H.Opts.Time().In(d.H.Zone)
	if left := time.UnixMilli(d.left).In(d.H.Zone); d.isNew(when) {
		if sameDate(left, now, d.H.Zone) {
			return "new since " + left.Format("15:04")
		}
		return "new since " + left.Format("Mon 2 Jan 15:04")
	}
	text := when.Format("Mon 2 Jan")
	if when.Year() != now.Year() {
		text = when.Format("Mon 2 Jan 2006")
	}
	switch {
	case sameDate(when, now, d.H.Zone):
		return "today, " + text
	case sameDate(when, now.AddDate(0, 0, -1), d.H.Zone):
		return "yesterday, " + text
	}
	return text
}

// isNew reports whether a session has messages that the user has not seen in the list.
func (d *List) isNew(when time.Time) bool { return d.left != 0 && when.After(time.UnixMilli(d.left)) }

// shown returns the data for the cells of a row.
func (d *List) shown(row int) session.Shown {
	s := &d.All[d.Shown[row]]
	view := session.View{Now: d.H.Opts.Time(), Zone: d.H.Zone, Layout: "15:04"}
	// A row needs its day if its heading has none, or if the rows are sorted.
	if (d.Table.SortBy >= 0 || headings[d.section(s)] != "" || d.isNew(s.When())) && !sameDate(s.When(), view.Now, d.H.Zone) {
		view.Layout = "2 Jan"
	}
	return session.Shown{Session: s, View: &view}
}

func (d *List) cells(row int, out []screen.Cell) {
	shown := d.shown(row)
	s := shown.Session
	screen.Fill(&d.Table, d.columns, shown, out)
	out[0].Lead = paint.Span{Text: "  "}
	if s.Live {
		out[0].Lead = paint.Span{Text: "● ", Ink: paint.InkRunning}
	}
	if slices.Contains(d.Pick.marked, s.Path) {
		out[0].Lead = paint.Span{Text: "• ", Ink: paint.InkMark}
	}
	title := d.Column("title")
	d.familyCells(s, out, title)
	if title < 0 || !d.look.hits {
		return
	}
	lead := paint.Span{}
	if d.Table.WidthOf(0) == 0 { // the column with the marks is hidden
		lead = out[0].Lead
	}
	if hit, _, ok := d.hitOf(row); ok {
		out[title] = d.hitCell(s, hit, d.Table.WidthOf(title), lead)
	} else if lead.Text != "" {
		out[title].Lead = lead
	}
}

// Column returns the index of a column by name, -1 if it is not shown.
func (d *List) Column(name string) int {
	return slices.IndexFunc(d.columns, func(c session.Column) bool { return c.Name == name })
}

// escaped matches line ends and tabs as JSON escapes; `\\` is matched to skip it.
var escaped = regexp.MustCompile(`\\\\|(?:\\[nrt])+`)

// drive matches the start of a Windows path, whose backslashes are not escapes.
var drive = regexp.MustCompile(`\b[A-Za-z]:\\`)

// withoutEscapes replaces the escapes around the matches of a hit with blanks.
func withoutEscapes(hit transcripts.Hit) filter.Hit {
	if drive.MatchString(hit.Line) {
		return filter.Hit{Text: hit.Line, Ranges: hit.Ranges}
	}
	blank := func(s string) string {
		return escaped.ReplaceAllStringFunc(s, func(e string) string {
			if e == `\\` {
				return e
			}
			return " "
		})
	}
	var b strings.Builder
	var h filter.Hit
	at := 0
	for _, r := range hit.Ranges {
		if r[0] < at || r[1] > len(hit.Line) {
			continue
		}
		b.WriteString(blank(hit.Line[at:r[0]]))
		from := b.Len()
		b.WriteString(hit.Line[r[0]:r[1]])
		h.Ranges, at = append(h.Ranges, [2]int{from, b.Len()}), r[1]
	}
	b.WriteString(blank(hit.Line[at:]))
	h.Text = b.String()
	return h
}

// headLeast is the room for the title of the list and the first folder.
const headLeast = 28

// counts is the right end of the first line: the number of sessions, and their states.
func (d *List) counts(w int) []paint.Span {
	var counts [len(headings)]int
	sessions, plans := 0, quota.Plans{}
	for i := range d.All {
		if s := &d.All[i]; s.Quotas[0].Known() {
			plans.Add(s.AgentName(), s.Quotas)
		}
		if s := &d.All[i]; d.family.Root(s) == s.Path {
			counts[d.section(s)]++
			sessions++
		}
	}
	text := human.Plural(sessions, "session")
	if n := len(d.All) - sessions; n > 0 && w >= 100 {
		text += ", " + human.Plural(n, "subagent")
	}
	if !d.Loaded && len(d.All) > 0 {
		text += " so far"
	}
	if n := d.news; n.Counting > n.Counted {
		text += "   counting " + human.Percent(n.Counted, n.Counting)
	}
	right := []paint.Span{{Text: text, Ink: paint.InkDim}}
	if d.Table.SortBy >= 0 {
		right = append([]paint.Span{{Text: "by " + d.Table.SortName() + "   ", Ink: paint.InkDim}}, right...)
	}
	for _, c := range []struct {
		part  section
		state human.State
		ink   paint.Ink
	}{{sectionWaiting, human.Waiting, paint.InkUser}, {sectionStuck, human.Stuck, paint.InkWarning}, {sectionRunning, human.Running, paint.InkRunning}, {sectionFailed, human.Failed, paint.InkError}} {
		if n := counts[c.part]; n > 0 {
			right = append(right, paint.Span{Text: fmt.Sprintf("   %d %s", n, c.state), Ink: c.ink})
		}
	}
	if text := plans.Words(d.H.Opts.Time().In(d.H.Zone)); text != "" && paint.RestWidth(right)+paint.Width(text)+headLeast <= w {
		right = append([]paint.Span{{Text: text + "   ", Ink: paint.InkDim}}, right...)
	}
	return right
}

// fitColumns sets the widths of the columns for a screen.
func (d *List) fitColumns(w int) {
	for i, c := range d.columns { // extra room of a wide screen is shared with the titles
		if d.Table.Cols[i].Width = c.Width; c.Most > c.Width {
			d.Table.Cols[i].Width += min(max(w-120, 0)*(c.Most-c.Width)/60, c.Most-c.Width)
		}
		if c.Name == "title" && w >= titleFrom { // hide other columns before shortening it
			d.Table.Cols[i].Width = (w*2 + 4) / 5
		}
		if c.Name == "labels" {
			d.Table.Cols[i].Hidden = len(d.H.Opts.Columns) == 0 && !d.labelled()
		} else {
			d.Table.Cols[i].Hidden = false
		}
	}
}

// Render draws the list over the full screen.
func (d *List) Render(w, h int) []string {
	st := d.H.Styles
	out := []string{st.Spread(w, paint.GroundNone, []paint.Span{{Text: " "}, {Text: d.Pick.title(), Ink: paint.InkAccent}, {Text: "   " + d.Folders(), Ink: paint.InkDim}}, append(d.counts(w), paint.Span{Text: " "}))}
	line, drop := d.filterLine(w)
	out = append(out, line)
	if d.Typing == LineTitle || d.Title.Text != "" {
		spans, _ := d.Title.Spans(w-12, paint.InkText, d.Typing == LineTitle)
		out = append(out, st.Line(w, paint.GroundNone, append([]paint.Span{{Text: " find    ", Ink: paint.InkDim}}, spans...)...))
	}
	if n := d.news.Unread; n > 0 {
		text := fmt.Sprintf(" %s could not be read: %s", human.Count(n), paint.OneLine(d.news.Why.Error()))
		if n > 1 {
			text = fmt.Sprintf(" %s could not be read, one of them: %s", human.Count(n), paint.OneLine(d.news.Why.Error()))
		}
		out = append(out, st.Line(w, paint.GroundNone, paint.Span{Text: text, Ink: paint.InkError}))
	}
	if d.Loaded && len(d.All) == 0 && d.err == nil {
		return paint.Fill(append(out, d.firstSteps(w, h-len(out))...), w, h)
	}
	if reason := d.whyEmpty(); reason.Text != "" {
		out = append(out, st.Line(w, paint.GroundNone, reason))
	}
	d.above = len(out)
	d.fitColumns(w)
	if d.look.hits {
		d.layHits(w)
	}
	d.Table.Laid = 0 // the hidden columns depend on the rows
	out = paint.Fill(append(out, d.Table.Render(st, w, h-len(out), true)...), w, h)
	for i, s := range drop {
		if at := belowFilter + i; at < len(out) {
			out[at] = paint.LaidOver(out[at], s, d.Bar.DropOver, paint.Width(s), w)
		}
	}
	return out
}

// belowFilter is the first line below the filter.
const belowFilter = 2

// titleFrom is the least screen width at which the title gets two fifths.
const titleFrom = 80

// labelled reports whether one of the listed sessions has a label.
func (d *List) labelled() bool {
	return slices.ContainsFunc(d.Shown, func(i int) bool { return len(d.All[i].Labels) > 0 })
}

// Folders returns the first few folders of the sessions, or their common folder if they have one.
func (d *List) Folders() string {
	var names []string
	common := ""
	for i := range d.All {
		path := paint.Tilde(d.All[i].Path, d.H.Opts.Home)
		if common == "" {
			common = transcripts.DirOf(path)
		}
		for common != transcripts.DirOf(common) && !strings.HasPrefix(path, strings.TrimSuffix(common, "/")+"/") {
			common = transcripts.DirOf(common)
		}
		parts := strings.SplitN(path, "/", 5)
		n := 2
		if strings.Contains(path, "://") {
			n = 4
		}
		if len(parts) > 1 && (parts[1] == ".local" || parts[1] == ".config" || parts[0] == "") {
			n = 3
		}
		name := strings.Join(parts[:min(n, max(len(parts)-1, 1))], "/")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return paint.CutMiddle(paint.OneLine(common), 60)
	}
	text := strings.Join(names[:min(len(names), 3)], " ")
	if n := len(names) - 3; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return paint.OneLine(text)
}

// filterLine returns the line of the filter, and the lines under it while the user edits it.
func (d *List) filterLine(w int) (line string, drop []string) {
	st := d.H.Styles
	var right []paint.Span
	if shown := len(d.Shown) + d.folded; shown < len(d.All) {
		text := human.Count(shown) + " of " + human.Count(len(d.All))
		if d.bodies.running || d.bodies.halted {
			text += ", " + d.bodies.part()
		}
		if d.bodies.halted {
			text += " searched"
		}
		right = []paint.Span{{Text: text + " ", Ink: paint.InkDim}}
	}
	rest := w - paint.RestWidth(right)
	line, drop, _ = d.Bar.Render(max(rest-1, 10), w)
	return paint.Pad(line, max(rest, 0)) + st.Line(min(paint.RestWidth(right), w), paint.GroundNone, right...), drop
}

// whyEmpty explains why no session is listed.
func (d *List) whyEmpty() paint.Span {
	text := ""
	switch {
	case d.err != nil:
		return paint.Span{Text: " " + paint.OneLine(d.err.Error()), Ink: paint.InkError}
	case d.H.Opts.Store == nil:
		text = " no list of sessions here"
	case !d.Loaded && len(d.All) == 0:
		text = " looking for sessions …"
	case len(d.Shown) == 0 && d.bodies.running:
		text = " none so far"
	case len(d.Shown) == 0:
		text = d.noneMatches()
	}
	return paint.Span{Text: text, Ink: paint.InkDim}
}

// noneMatches explains that no session matches the filter or search, and which keys change it.
func (d *List) noneMatches() string {
	lead := " none of them matches: "
	if d.bodies.halted {
		lead = " none in the " + d.bodies.part() + " searched: "
	}
	key, what := "f", "filter"
	if d.Filter.Text == "" {
		key, what = "/", "search"
	}
	return lead + d.H.Key(key) + " edits the " + what + ", " + d.H.Key("esc") + " clears it"
}

// mostPlaces is the most folders named by an empty list.
const mostPlaces = 12

// firstSteps explains in h lines what to do while there are no sessions, and which folders were
// searched.
func (d *List) firstSteps(w, h int) []string {
	places := d.H.Opts.Places
	where := "where agents store transcripts"
	if len(places) > 0 {
		where += fmt.Sprintf(", %s looked at", human.Plural(len(places), "place"))
	}
	var out []string
	line := func(spans ...paint.Span) { out = append(out, d.H.Styles.Line(w, paint.GroundNone, spans...)) }
	line()
	line(paint.Span{Text: " No agent sessions yet."})
	line()
	for _, step := range [...][2]string{
		{"turns demo", "a sample session with a short tour"}, {"turns FILE", "open a transcript"}, {"turns FOLDER", "list the sessions of a folder"}, {"turns formats", where},
	} {
		line(paint.Span{Text: "   " + paint.Fit(step[0], 16), Ink: paint.InkKey}, paint.Span{Text: step[1], Ink: paint.InkDim})
	}
	line()
	named := min(len(places), mostPlaces)
	if room := max(h-len(out), 0); named > room || named == room && named < len(places) {
		named = max(room-1, 0) // one line has the number of the others
	}
	for _, place := range places[:named] {
		line(paint.Span{Text: "   " + paint.CutMiddle(paint.OneLine(paint.Tilde(place, d.H.Opts.Home)), max(w-4, 0)), Ink: paint.InkFaint})
	}
	if n := len(places) - named; n > 0 {
		line(paint.Span{Text: fmt.Sprintf("   and %d more", n), Ink: paint.InkFaint})
	}
	return out
}
