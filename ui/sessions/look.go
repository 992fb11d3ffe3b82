package sessions

import (
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"

	"turns/query/lang"
	"turns/query/session"
	"turns/ui/paint"
	"turns/ui/screen"
	"turns/ui/transcripts"
)

// looking is the search of /: in titles, and in the texts of the other sessions.
type looking struct {
	term   *lang.Filter // filter for the messages; nil: only titles are searched
	name   string       // key of term in bodySearch
	all    bool         // search system prompts and injected text as well
	titles int          // number of rows matched by title; rows matched by text follow
	hits   bool         // rows show a matching line of text
}

// shortest is the least length in bytes of a text that is searched during typing. Enter searches
// for shorter ones as well.
const shortest = 3

// withoutPrompts excludes texts written by neither a person nor a model.
const withoutPrompts = " -role:system -role:developer -is:injected"

// aim makes the search of the messages from the typed text.
func (d *List) aim() {
	text := strings.TrimSpace(d.Title.Text)
	var term *lang.Filter
	if text != "" && (d.Typing != LineTitle || len(text) >= shortest) {
		if f, err := lang.Parse(text); err != nil || !strings.HasPrefix(text, "/") || f.Empty() {
			text = lang.Quote(text) // otherwise it is a regular expression
		}
		if !d.look.all {
			text += withoutPrompts
		}
		term, _ = lang.Parse(text)
	}
	name := ""
	if term != nil {
		name = term.String()
	}
	if name != d.look.name {
		old := d.look.name
		maps.DeleteFunc(d.bodies.known, func(key bodyKey, _ transcripts.Hit) bool { return key.term == old })
		d.bodies.stop()
		d.bodies.halted = false
	}
	d.look.term, d.look.name = term, name
}

// titled reports whether a session matches by its title, project or agent.
func (d *List) titled(s *session.Session) bool {
	return d.Title.Text == "" || Fuzzy(d.Title.Text, s.Name()+" "+s.Folder()+" "+s.AgentName())
}

// searchVerdict returns whether the messages of a session match the search, as far as known.
func (d *List) searchVerdict(s *session.Session) session.Verdict {
	if d.look.term == nil {
		return session.No
	}
	return d.foundIn(s, d.look.name)
}

// lookTogether toggles the search in system prompts and injected text.
func (d *List) lookTogether(int, string) tea.Cmd {
	d.look.all = !d.look.all
	if d.look.all {
		d.H.ShowStatus("/ searches system prompts and injected text too")
	} else {
		d.H.ShowStatus("/ leaves out system prompts and injected text")
	}
	return d.Narrow()
}

// foundBy returns the heading of a row: whether its title or its text matches.
func (d *List) foundBy(row int) string {
	if row < d.look.titles {
		return "in titles"
	}
	return "in texts"
}

// Minimum widths of a hit, and the screen width from which the columns about the end stay.
const (
	hitRole   = 7 // "result "
	hitWidth  = 60
	hitsAlone = 100
)

// layHits gives the room of the other columns to the matching lines.
func (d *List) layHits(w int) {
	if d.Column("title") < 0 {
		return
	}
	for i, c := range d.columns {
		col := &d.Table.Cols[i]
		switch {
		case c.Name == "title":
			col.Width = min(hitRole+hitWidth+30, w-30)
		case w < hitsAlone:
			col.Hidden = true
		}
	}
}

// hitCell shows the author of a matching line, the line, and the title of its session.
func (d *List) hitCell(s *session.Session, hit transcripts.Hit, w int, lead paint.Span) screen.Cell {
	h := withoutEscapes(hit)
	by := ""
	if hit.By != "" {
		by = paint.Fit(hit.By, hitRole-1) + " "
	}
	room := w - paint.Width(lead.Text) - len(by)
	wide := room
	if room > hitWidth+6 {
		wide = max(hitWidth, room*2/3)
	}
	text, ranges, front, back := h.Around(max(wide-2, 1)) // minus a mark on each side
	cell := screen.Cell{Lead: lead, Text: " ", Parts: []paint.Span{{Text: by, Ink: paint.InkDim}}}
	if front {
		cell.Parts = append(cell.Parts, paint.Span{Text: "…", Ink: paint.InkDim})
	} else {
		trimmed := strings.TrimLeft(text, " \t")
		off := len(text) - len(trimmed)
		text = trimmed
		for i := range ranges {
			ranges[i] = [2]int{max(ranges[i][0]-off, 0), max(ranges[i][1]-off, 0)}
		}
	}
	at := 0
	for _, r := range ranges {
		if r[0] < at || r[1] > len(text) {
			continue
		}
		cell.Parts = append(cell.Parts, paint.Span{Text: paint.PartOfLine(text[at:r[0]])}, paint.Span{Text: paint.PartOfLine(text[r[0]:r[1]]), Ground: paint.GroundMatch})
		at = r[1]
	}
	rest := paint.PartOfLine(text[at:])
	if back {
		rest += "…"
	}
	cell.Parts = append(cell.Parts, paint.Span{Text: rest})
	if wide < room {
		cell.Parts = append(paint.FitSpans(cell.Parts, len(by)+wide), paint.Span{Text: "  " + paint.Cut(s.Name(), room-wide-2), Ink: paint.InkDim})
	}
	return cell
}
