// Package people writes exports for people: Markdown, CSV, HTML and text. One function redacts
// secrets, shortens paths and cleans all text.
package people

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"turns/export"
	"turns/export/shape"
	"turns/export/walk"
	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/label"
	"turns/query/redact"
	"turns/query/summary"
)

// people is the common part of all formats for people: every text of a conversation passes through
// text, line or block before it is written.
type people struct {
	*walk.Walker
	w       *bufio.Writer
	opts    *export.Options
	secrets *redact.Redactor // nil: credentials stay
	zone    *time.Location
	places  map[uint32]place        // by session
	here    place                   // of the current message
	scripts map[model.CallID]string // ids of calls that made others
	report  export.Report
	// of a table: tools of the calls so far, by their recorded id
	tools map[string]string
}

// place has the folders of a session.
type place struct {
	cwd, home string
	describer describe.Describer
}

func newPeople(w io.Writer, view describe.View, opts *export.Options) *people {
	p := &people{Walker: walk.New(view, opts), w: bufio.NewWriterSize(w, 64<<10), opts: opts, zone: opts.Zone, places: map[uint32]place{}, scripts: map[model.CallID]string{}}
	p.Only = opts.Part
	p.zone = cmp.Or(p.zone, time.UTC)
	if opts.Redact {
		p.secrets = redact.New()
	}
	p.here = p.placeOf(&view.Snap.Sessions()[0])
	return p
}

// begin makes a message the current one.
func (p *people) begin(s *walk.Paired) {
	snap := p.View.Snap
	n := snap.Threads()[s.Head.Thread].Session
	at, ok := p.places[n]
	if !ok {
		at = p.placeOf(&snap.Sessions()[n])
		p.places[n] = at
	}
	p.here = at
}

func (p *people) placeOf(s *model.Session) place {
	d := describe.NewDescriber(s)
	if p.opts.Home != "" {
		d.Home = p.opts.Home
	}
	d.Zone = p.zone
	return place{cwd: strings.TrimSuffix(s.Field("cwd"), "/"), home: strings.TrimSuffix(d.Home, "/"), describer: d}
}

// text cleans a recorded text for people.
func (p *people) text(s string) string { return p.safe(model.Clean(s)) }

// safe removes credentials from a cleaned text. Before cleaning, a colour or a control character
// within one could hide it.
func (p *people) safe(s string) string {
	if p.secrets != nil {
		var n int
		s, n = p.secrets.RedactString(s)
		p.report.Secrets += n
	}
	if !p.opts.Absolute {
		s = p.here.shorten(s)
	}
	return s
}

// line returns a text on one line.
func (p *people) line(s string) string { return strings.Join(strings.Fields(p.text(s)), " ") }

// arguments returns the arguments of a call, as on the screen.
func (p *people) arguments(c *walk.Call) []describe.Shown {
	return p.pieces(describe.Arguments(p.counted(c.Call), p.hide(c.Result), c.Answer), model.Clean)
}

// returned returns the result of a call, as on the screen.
func (p *people) returned(c *walk.Call) []describe.Shown {
	f, _, _ := describe.FamilyOf(c.Name(p.View.Snap))
	pieces := describe.Result(c.Result, f)
	if len(pieces) != 1 || pieces[0].Text != c.Result.Text { // it was in an envelope
		pieces = describe.Result(p.counted(c.Result), f)
	}
	return p.pieces(pieces, model.Printed)
}

// pieces cleans recorded texts for people.
func (p *people) pieces(pieces []describe.Shown, clean func(string) string) []describe.Shown {
	for i := range pieces {
		s := &pieces[i]
		if s.Kind == describe.ShownJSON {
			if out, ok := (shape.Layout{Indent: 2}).AppendValue(make([]byte, 0, len(s.Text)+len(s.Text)/8+64), []byte(s.Text), 0); ok {
				s.Text = string(out)
			}
		}
		s.Head, s.Text = p.line(s.Head), strings.TrimRight(p.safe(clean(s.Text)), "\n")
	}
	return pieces
}

// counted returns a block without credentials, and counts these: if a text is cut into pieces, the
// rules may not find a value without its name.
func (p *people) counted(b *model.Content) *model.Content {
	if p.secrets == nil || b == nil {
		return b
	}
	_, n := p.secrets.RedactString(b.Text)
	p.report.Secrets += n
	return p.hide(b)
}

// shorten writes paths below the session's folder relative to it, and ~ for the home directory.
func (at *place) shorten(s string) string {
	if len(at.cwd) > 1 {
		s = replacePath(s, at.cwd, "", ".")
	}
	if len(at.home) > 1 && at.home != at.cwd {
		s = replacePath(s, at.home, "~/", "~")
	}
	return s
}

// replacePath replaces the folder dir: before a slash by below, without the slash; at the end of a
// path by alone. Longer names with the same beginning stay.
func replacePath(s, dir, below, alone string) string {
	i := strings.Index(s, dir)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		end := i + len(dir)
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, n := utf8.DecodeRuneInString(s[end:])
		switch {
		case i > 0 && (before == '/' || before == '.' || before == '_' || before == '~' || isName(before) && !escaped(s[:i])):
			b.WriteString(s[:end])
		case after == '/' && inPath(s[end+1:]):
			b.WriteString(s[:i] + below)
			end += n
		case after == '/':
			b.WriteString(s[:i] + alone)
			end += n
		case n > 0 && inPath(s[end:]):
			b.WriteString(s[:end])
		default:
			b.WriteString(s[:i] + alone)
		}
		s = s[end:]
		i = strings.Index(s, dir)
	}
	b.WriteString(s)
	return b.String()
}

// inPath reports whether a path continues.
func inPath(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	if r == '.' { // the end of a sentence, or a name
		next, _ := utf8.DecodeRuneInString(s[n:])
		return isName(next) || next == '.' || next == '/'
	}
	return n > 0 && (isName(r) || r == '_' || r == '-' || r == '@' || r == '*' || r == '{')
}

func isName(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// escaped reports whether s ends in an escape such as \n, which is not part of a name.
func escaped(s string) bool {
	return len(s) >= 2 && s[len(s)-2] == '\\' && strings.IndexByte("ntr", s[len(s)-1]) >= 0
}

// clock formats a time in the zone of the reader, "" if unknown.
func (p *people) clock(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).In(p.zone).Format("2006-01-02 15:04:05")
}

// describe returns a call in one line. Credentials are removed before it is cut to a line: half of
// one would not be recognised.
func (p *people) describe(c *walk.Call) describe.Line {
	var l describe.Line
	row := &c.Row
	if p.secrets != nil {
		clean := *c
		clean.Call, clean.Result, clean.Made, clean.First = p.hide(c.Call), p.hide(c.Result), p.hide(c.Made), p.hide(c.First)
		c = &clean
	}
	if !c.Known {
		row = nil
	}
	if made := cmp.Or(c.Call, c.Made); made != nil {
		l = p.here.describer.Call(made, c.Result, row)
	} else {
		l = p.here.describer.Answer(furtherResult(c))
		if name := c.Name(p.View.Snap); name != "" {
			l.Word = name
		}
	}
	l.Word, l.About, l.Outcome = p.line(cmp.Or(l.Word, "tool")), p.line(l.About), p.line(l.Outcome)
	return l
}

// furtherResult returns a result that is not the first one of a call, in the form of answers.
func furtherResult(c *walk.Call) *query.CallOf {
	return &query.CallOf{Row: &c.Row, Result: c.Result, First: c.First}
}

// hide returns a block without credentials. They are counted when the text is written.
func (p *people) hide(b *model.Content) *model.Content {
	if p.secrets == nil || b == nil {
		return b
	}
	text, n := p.secrets.RedactString(b.Text)
	if n == 0 {
		return b
	}
	hidden := *b
	hidden.Text = text
	return &hidden
}

// took returns how long a call ran, "" if unknown.
func took(c *walk.Call) string {
	if !c.Known || c.Row.Took == model.NoTook {
		return ""
	}
	d, _ := c.Row.Duration()
	return human.Took(d)
}

// overview is the information above a conversation.
type overview struct{ title, source, format, dates, counts string }

// overview describes the selected messages.
func (p *people) overview(ctx context.Context) (o overview) {
	snap := p.View.Snap
	o.title = p.line(cmp.Or(p.opts.Title, p.named(ctx)))
	path := p.opts.Source
	if sources := snap.Sources(); len(sources) > 0 {
		path = cmp.Or(path, sources[0].Path)
		o.format = cmp.Or(sources[0].Title, sources[0].Format)
	}
	o.source = p.line(path)
	if o.title == "" && path != "" {
		o.title = p.line(filepath.Base(path))
	}
	o.title = cmp.Or(o.title, "Conversation")
	if stats, err := summary.Stats(ctx, p.View.Selection, nil); err == nil { // the messages report that ctx ended
		o.dates, o.counts = human.Span(int64(stats.FirstTime), int64(stats.LastTime), p.zone), p.line(stats.Overview())
	}
	return o
}

// named returns the name of the exported conversation, "" for several.
func (p *people) named(ctx context.Context) string {
	snap, session := p.View.Snap, -1
	for _, id := range p.View.IDs {
		n := int(snap.Threads()[snap.HeadRow(id).Thread].Session)
		if session >= 0 && n != session {
			return ""
		}
		session = n
	}
	if p.secrets != nil {
		snap = snap.Mapped(p.secrets.String) // before its lines are joined
	}
	title := &model.Content{Text: model.NewTitles(snap, nil).Of(ctx, max(session, 0))}
	return human.OneLine(p.hide(title).Text, describe.LineMax) // counted where it is written
}

// shown passes the visible blocks of a message to the functions.
func (p *people) shown(s *walk.Paired, call, result func(c *walk.Call), block func(i int)) {
	for i := range s.Blocks {
		switch s.Blocks[i].Kind {
		case model.ToolCall:
			if c := s.Calls[i]; c != nil {
				call(c)
			}
		case model.ToolResult:
			if c := s.Results[i]; c != nil && !p.opts.NoResults {
				result(c)
			}
		default:
			if p.Shows(s, i, p.opts) {
				block(i)
			}
		}
	}
}

// speaker returns the heading of a message.
func (p *people) speaker(s *walk.Paired) string {
	name := p.View.Snap.RoleName(s.Head)
	if s.Role == model.Other || s.Role == model.NoRole {
		name = p.line(name)
	}
	r, n := utf8.DecodeRuneInString(name)
	if n == 0 {
		return "Unknown"
	}
	return string(unicode.ToUpper(r)) + name[n:]
}

// about returns the known properties of a message other than its texts, for a small line.
func (p *people) about(s *walk.Paired) []string {
	out := []string{human.Place(s.Pos)}
	if at := p.clock(s.Time); at != "" {
		out = append(out, at)
	}
	if s.Model != "" {
		out = append(out, p.line(s.Model))
	}
	for _, f := range [...]struct {
		flag model.Flags
		word string
	}{
		{model.Injected, "injected"}, {model.Sidechain, "subagent"}, {model.Recap, "summary"}, {model.APIError, "API error"},
		{model.Interrupted, "interrupted"}, {model.Truncated, "cut at the output limit"}, {model.Refused, "refused"},
	} {
		if s.Head.Flags&f.flag != 0 {
			out = append(out, f.word)
		}
	}
	for i := range s.Blocks {
		if text := describe.Circumstance(&s.Blocks[i]); text != "" {
			out = append(out, p.line(text))
		}
	}
	if labels := p.labelsOf(s.ID); labels != "" {
		out = append(out, labels)
	}
	if fate := p.line(describe.Fate(s.Message)); fate != "" {
		out = append(out, fate)
	}
	return out
}

// labelsOf returns the annotations of a message, in one line.
func (p *people) labelsOf(id model.ID) string {
	marks := label.Marks(p.opts.Labels.Of(p.View.Snap, id))
	if len(marks) == 0 {
		return ""
	}
	return p.line(label.Join(marks))
}

// mediaLine returns a line in place of an image, a sound or a file.
func (p *people) mediaLine(b *model.Content) string { return "[" + p.line(describe.MediaText(b)) + "]" }

// put writes texts. end returns the first error.
func (p *people) put(parts ...string) {
	for _, s := range parts {
		p.w.WriteString(s)
	}
}

// end flushes the output and closes the report.
func (p *people) end(err error) (export.Report, error) {
	if err == nil {
		err = p.w.Flush()
	}
	return p.done(), err
}

// done closes the report.
func (p *people) done() export.Report {
	p.report.Messages = len(p.View.IDs)
	if p.Only {
		p.report.Outside(p.Outside, "left out")
	}
	p.report.Unreadable(p.View.Snap)
	p.report.NoteCount(p.report.Secrets, "%s replaced; --no-redact keeps them", "credential was", "credentials were")
	return p.report
}
