package export

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"turns/export/redact"
	"turns/model"
	"turns/query"
)

// dialect is how a provider or a framework writes a conversation. Its methods are
// called in this order: begin, message for each, end.
type dialect interface {
	// begin writes what stands before the messages. system is the system prompt
	// where the provider wants it apart.
	begin(system []string)
	message(m *query.Wire)
	end()
}

// sheet is what a dialect writes on. A message is written when it is complete, so
// that one is in memory at a time.
type sheet struct {
	object
	w      io.Writer
	opts   *Options
	sel    query.Selection
	rules  query.Provider
	redact *redact.Redactor
	report *Report
	scrub  []byte

	unmarked int // failed results in a format that has no mark for them
	media    int // images, sounds and files that could not be written
	results  int
	systems  int
}

// writeAs is the export of a provider's format.
func writeAs(name string, make func(*sheet) dialect) func(context.Context, io.Writer, query.View, Options) (Report, error) {
	return func(ctx context.Context, w io.Writer, view query.View, opts Options) (report Report, err error) {
		rules, err := query.FindProvider(name)
		if err != nil {
			return report, err
		}
		buf := bufio.NewWriterSize(w, 64<<10)
		s := &sheet{w: buf, opts: &opts, sel: view.Selection, rules: rules, report: &report}
		s.layout = layout{opts.Indent}
		if opts.Redact {
			s.redact = redact.New()
		}
		if err := s.run(ctx, make(s)); err != nil {
			return report, err
		}
		return report, buf.Flush()
	}
}

func (s *sheet) run(ctx context.Context, d dialect) error {
	feed := newFeeder(s.sel, &s.rules, s.opts)
	var system []string
	begun := false
	begin := func() {
		if !begun {
			begun = true
			d.begin(system)
		}
	}
	repair := query.NewRepairer(s.rules, query.RepairOptions{Frontier: s.rules.Frontier}, func(m *query.Wire) error {
		if s.rules.System == query.SystemApart && isSystem(m) && !begun {
			system = append(system, wordsOf(m))
			return nil
		}
		begin()
		d.message(m)
		return s.flush()
	})
	err := feed.each(ctx, func(m query.Wire) error {
		s.report.Messages++
		return repair.Add(m)
	})
	if err == nil {
		err = repair.Finish()
	}
	if err != nil {
		return err
	}
	begin()
	d.end()
	if err := s.flush(); err != nil {
		return err
	}
	s.notes(feed, &repair.Report)
	return nil
}

// notes says what the format could not.
func (s *sheet) notes(feed *feeder, r *query.RepairReport) {
	s.report.Notes = append(s.report.Notes, r.Lines()...)
	s.report.noteCount(s.unmarked, "%s written like any other: the format has no mark for errors", "failed result was", "failed results were")
	s.report.noteCount(s.media, "%s could not be written in this format and left out", "image, sound or file", "images, sounds and files")
	s.report.noteCount(s.results, "%s left out: the format has no results", "tool result was", "tool results were")
	s.report.noteCount(s.systems, "%s left out: the format has none", "system message was", "system messages were")
	s.report.noteCount(feed.apart, "%s of subagents left out", "message")
	if n := s.sessions(); n > 1 && s.rules.Name != "sharegpt" && s.rules.Name != "openai-finetune" {
		s.report.note("%d conversations were written one after another", n)
	}
	s.report.unreadable(s.sel.Snap)
}

// sessions is how many conversations the selection holds.
func (s *sheet) sessions() int {
	seen := map[uint32]bool{}
	for _, id := range s.sel.IDs {
		seen[s.sel.Snap.Threads()[s.sel.Snap.HeadRow(id).Thread].Session] = true
	}
	return len(seen)
}

func (s *sheet) flush() error {
	out := s.buf
	if s.redact != nil && len(s.redact.Find(out)) > 0 {
		var n int
		s.scrub, n = s.redact.Redact(s.scrub[:0], out)
		s.report.Secrets += n
		out = s.scrub
	}
	_, err := s.w.Write(out)
	if s.buf = s.buf[:0]; cap(s.buf) > 4<<20 {
		s.buf = nil
	}
	return err
}

// float writes a number.
func (s *sheet) float(name string, x float64) {
	s.key(name)
	s.buf = strconv.AppendFloat(s.buf, x, 'f', -1, 64)
}

// item opens an element of a list.
func (s *sheet) item() {
	s.element()
	s.open('{')
}

// value writes a recorded JSON value, and what is none as a string.
func (s *sheet) value(name, v string) {
	s.key(name)
	s.bare(v)
}

func (s *sheet) bare(v string) {
	if out, ok := s.layout.appendValue(s.buf, []byte(v), s.depth); ok {
		s.buf = out
		return
	}
	s.buf = model.AppendQuoted(s.buf, []byte(v))
}

// recorded writes a block as it was recorded, where it is the provider's own.
func (s *sheet) recorded(b *query.WireBlock) bool {
	if !native(s.rules.Name, b.Raw) {
		return false
	}
	out, ok := s.layout.appendValue(s.buf, b.Raw, s.depth)
	if ok {
		s.buf = out
	}
	return ok
}

// recordedItem is recorded for an element of a list.
func (s *sheet) recordedItem(b *query.WireBlock) bool {
	if !native(s.rules.Name, b.Raw) {
		return false
	}
	buf, fresh := len(s.buf), s.fresh
	s.element()
	if s.recorded(b) {
		return true
	}
	s.buf, s.fresh = s.buf[:buf], fresh
	return false
}

func (s *sheet) time(name string, ms int64) {
	if ms != 0 {
		s.string(name, time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z"))
	}
}

// model writes the model that the conversation ended with, where the provider has
// it: a request for another's model would be refused.
func (s *sheet) model(prefixes ...string) {
	if name := s.lastModel(); name != "" {
		for _, p := range prefixes {
			if strings.HasPrefix(name, p) {
				s.string("model", name)
				return
			}
		}
	}
	s.report.note("the request names no model; add one before sending it")
}

func (s *sheet) lastModel() string {
	for i := len(s.sel.IDs) - 1; i >= 0; i-- {
		if h := s.sel.Snap.HeadRow(s.sel.IDs[i]); h.Role == model.Assistant && h.Name != 0 {
			return s.sel.Snap.Name(h.Name)
		}
	}
	return s.session("model")
}

// session is what the conversation says about itself.
func (s *sheet) session(field string) string {
	if len(s.sel.IDs) == 0 {
		return s.sel.Snap.Sessions()[0].Field(field)
	}
	return s.sel.Snap.Session(s.sel.IDs[0]).Field(field)
}

func isSystem(m *query.Wire) bool { return m.Role == model.System || m.Role == model.Developer }

// wordsOf are the words of a message.
func wordsOf(m *query.Wire) string { return kindText(m, model.Words) }

func kindText(m *query.Wire, kind model.BlockKind) string {
	var parts []string
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == kind && !b.Null {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// onlyWords reports whether a message is one text, and says it.
func onlyWords(m *query.Wire) (string, bool) {
	if len(m.Blocks) == 1 && m.Blocks[0].Kind == model.Words && m.Blocks[0].Raw == nil {
		return m.Blocks[0].Text, true
	}
	return "", false
}

// ownID is the id of a message, or one made of its place.
func ownID(m *query.Wire) string {
	if m.Own != "" {
		return m.Own
	}
	return fmt.Sprintf("msg_%d", max(m.Index, 0))
}

// dataOf is base64 data with its media type, or a URL.
func dataOf(b *query.WireBlock) (mime, data, url string) {
	mime = b.Name
	if rest, ok := strings.CutPrefix(b.Text, "data:"); ok {
		if head, body, ok := strings.Cut(rest, ","); ok {
			return orElse(strings.TrimSuffix(head, ";base64"), mime), body, ""
		}
	}
	if isPlace(model.StringText(b.Text)) {
		return mime, "", b.Text
	}
	if !strings.Contains(mime, "/") {
		mime = guessMIME([]byte(b.Text), mime)
	}
	return mime, b.Text, ""
}
