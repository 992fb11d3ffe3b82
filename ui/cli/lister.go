package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/label"
)

// errEnoughRows ends a list that has reached --limit.
var errEnoughRows = errors.New("enough rows")

// lister prints a selection as rows.
type lister struct {
	w    io.Writer
	res  describe.View
	read *query.Pairs
	zone *time.Location
	day  string
	most int // most rows to print; 0: all
	rows int // printed so far

	labels *label.Here
	in     []bool // by row, whether it is selected; nil: all
	// number of rows of each message printed before, updated by message; nil: none
	past map[model.ID]int
	done map[model.CallID]bool // calls printed with their results

	session int           // session of the current rows
	ruled   bool          // its rule was printed
	titles  *model.Titles // of the sessions; nil: not loaded yet

	describers map[uint32]describe.Describer // by session
	notes      []describe.EventCount         // kinds of the skipped notes
}

// all prints the selected messages. If all are selected, it prints the rows between them as well.
func (l *lister) all(ctx context.Context) error {
	l.describers = make(map[uint32]describe.Describer)
	snap := l.res.Snap
	whole := l.res.Whole()
	unread := whole && describe.Unread(snap) != ""
	if !whole {
		l.in = make([]bool, snap.Rows())
		for _, id := range l.res.IDs {
			l.in[id] = true
		}
		for _, id := range l.res.IDs {
			if err := l.message(ctx, id); err != nil {
				return err
			}
		}
		return nil
	}
	for n := range snap.Rows() {
		id := snap.Row(n)
		h := snap.HeadRow(id)
		var err error
		switch {
		case h.Op == model.Note && unread:
			err = l.record(ctx, n, id)
		case h.Op == model.Note:
			l.fold(snap.Name(h.Name))
			continue
		case h.Op == model.Say && h.Flags&model.Rewound != 0:
			l.fold("rewound message")
			continue
		case h.Op == model.Say:
			err = l.message(ctx, id)
		default:
			err = l.note(ctx, id)
		}
		if err != nil {
			return err
		}
	}
	return l.flush()
}

func (l *lister) fold(kind string) {
	for i := range l.notes {
		if l.notes[i].Kind == kind {
			l.notes[i].Count++
			return
		}
	}
	l.notes = append(l.notes, describe.EventCount{Kind: kind, Count: 1})
}

// flush prints the folded notes.
func (l *lister) flush() error {
	if len(l.notes) == 0 {
		return nil
	}
	line := describe.FoldedNotes(l.notes)
	l.notes = l.notes[:0]
	return l.row("", "", line)
}

func (l *lister) describer(id model.ID) describe.Describer {
	snap := l.res.Snap
	s := snap.Threads()[snap.HeadRow(id).Thread].Session
	d, ok := l.describers[s]
	if !ok {
		d = describe.NewDescriber(&snap.Sessions()[s])
		d.Zone = l.zone
		l.describers[s] = d
	}
	return d
}

func (l *lister) message(ctx context.Context, id model.ID) error {
	lines, err := l.describer(id).Message(ctx, l.read, id)
	if err != nil {
		return err
	}
	alone, err := l.answers(ctx, id)
	if err != nil {
		return err
	}
	lines = append(lines, alone...)
	lines = slices.DeleteFunc(lines, func(line describe.Line) bool { return !l.res.ShowsRow(id, &line) })
	if l.past != nil {
		n := l.past[id]
		l.past[id] = max(n, len(lines))
		lines = lines[min(n, len(lines)):]
		l.finish(lines)
	}
	if len(lines) == 0 {
		return nil // its results are printed with their calls
	}
	if err := l.flush(); err != nil {
		return err
	}
	if err := l.sessionRule(ctx, id); err != nil {
		return err
	}
	h := l.res.Snap.HeadRow(id)
	index, at := fmt.Sprint(l.res.Snap.Pos(id)), l.clock(h.Time)
	for i, line := range lines {
		if labels := l.labelsOf(id, line.Call, i == 0); labels != "" {
			line.Outcome = strings.TrimPrefix(line.Outcome+" · "+labels, " · ")
		}
		if err := l.row(index, at, line); err != nil {
			return err
		}
		index, at = "", ""
	}
	return nil
}

// finish records the calls printed with their results.
func (l *lister) finish(lines []describe.Line) {
	for i := range lines {
		if call := lines[i].Call; call != model.CallID(model.NoRow) && l.res.Snap.Call(call).Result != model.NoID {
			l.done[call] = true
		}
	}
}

// labelsOf returns the labels of a row: of its call, and in the first row those of the message.
func (l *lister) labelsOf(id model.ID, call model.CallID, first bool) string {
	var marks []label.Mark
	for _, p := range l.labels.Of(l.res.Snap, id) {
		if none := p.Call == model.CallID(model.NoRow); none && first || !none && p.Call == call {
			marks = append(marks, p.Mark)
		}
	}
	return model.CleanLine(label.Join(marks))
}

// answers returns rows for the results in a message whose calls are not selected, and so cannot
// show them.
func (l *lister) answers(ctx context.Context, id model.ID) ([]describe.Line, error) {
	if l.in == nil {
		return nil, nil
	}
	var lines []describe.Line
	for _, row := range l.res.Snap.Answers(id) {
		if row.Msg == model.NoID || l.in[row.Msg] || l.done[row.ID] {
			continue
		}
		c, err := l.read.Read(ctx, row.ID)
		if err != nil {
			return nil, err
		}
		if c.Call == nil {
			continue
		}
		line := l.describer(id).Call(c.Call, c.Result, c.Row)
		line.Call = row.ID
		lines = append(lines, line)
	}
	return lines, nil
}

// ruleTitle is the longest title in a rule.
const ruleTitle = 80

// sessionRule prints a rule at the beginning of another session in the file.
func (l *lister) sessionRule(ctx context.Context, id model.ID) error {
	snap := l.res.Snap
	sessions := snap.Sessions()
	s := int(snap.Threads()[snap.HeadRow(id).Thread].Session)
	if l.ruled && s == l.session || !snap.Several() {
		return nil
	}
	l.session, l.ruled = s, true
	if l.titles == nil {
		l.titles = model.NewTitles(snap, nil)
	}
	name := cmp.Or(l.titles.Of(ctx, s), sessions[s].Field("session"))
	rule := fmt.Sprintf("━━ %s  %s", human.SessionOf(s), human.CutText(model.CleanLine(name), ruleTitle))
	_, err := fmt.Fprintln(l.w, strings.TrimRight(rule, " "))
	return err
}

func (l *lister) note(ctx context.Context, id model.ID) error {
	if err := l.flush(); err != nil {
		return err
	}
	m, err := l.res.Snap.Body(ctx, id)
	if err != nil {
		return err
	}
	return l.row("", l.clock(m.Time), l.describer(id).Rule(l.res.Snap, m))
}

// record prints a record of an unknown format as recorded.
func (l *lister) record(ctx context.Context, n int, id model.ID) error {
	m, err := l.res.Snap.Body(ctx, id)
	if err != nil {
		return err
	}
	var text strings.Builder
	for i := range m.Blocks {
		text.WriteString(m.Blocks[i].Text)
	}
	if strings.TrimSpace(text.String()) == "" {
		return nil // the rest of a document that is a list
	}
	lines := strings.Split(strings.Trim(text.String(), "\n"), "\n")
	for i, line := range lines {
		index := ""
		if i == 0 {
			index = strconv.Itoa(n)
		}
		if err := l.row(index, "", describe.Line{Kind: describe.LineEvent, Word: "record", About: model.CleanLine(line)}); err != nil {
			return err
		}
	}
	return nil
}

func (l *lister) clock(ms int64) string {
	if ms == 0 {
		return ""
	}
	t := time.UnixMilli(ms).In(l.zone)
	if day := t.Format("2006-01-02"); day != l.day {
		l.day = day
		fmt.Fprintf(l.w, "── %s\n", t.Format("Mon 2 Jan 2006"))
	}
	return t.Format("15:04:05")
}

func (l *lister) row(index, at string, line describe.Line) error {
	if l.rows++; l.most > 0 && l.rows > l.most {
		return errEnoughRows
	}
	if line.Kind == describe.LineRule {
		_, err := fmt.Fprintf(l.w, "── %s\n", strings.TrimSpace(line.Word+" "+line.About+" "+line.Outcome))
		return err
	}
	about := line.About
	if line.Lines > 1 {
		about += fmt.Sprintf(" ⏎%d", line.Lines)
	}
	text := fmt.Sprintf("%6s %-8s %s %s %s", index, at, line.Glyph(), pad(line.Word, 10), about)
	if line.Outcome != "" {
		text += "  · " + line.Outcome
	}
	_, err := fmt.Fprintln(l.w, strings.TrimRight(text, " "))
	return err
}

func pad(s string, width int) string {
	if n := width - human.Width(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}
