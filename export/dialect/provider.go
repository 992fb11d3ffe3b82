package dialect

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"turns/export"
	"turns/export/shape"
	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/provider"
	"turns/query/redact"
)

// dialect writes a conversation in the form of a provider or a framework. Its methods are called in
// this order: begin, message for each, end.
type dialect interface {
	// begin writes the text before the messages. system is the system prompt, if the provider wants
	// it separately.
	begin(system []string)
	message(m *provider.Wire)
	end()
}

// preparer is a dialect that reads more of the transcript than its messages.
type preparer interface {
	prepare(ctx context.Context) error
}

// sheet is the output of a dialect. It writes each message when that is complete, so that only one
// is in memory.
type sheet struct {
	shape.Object
	*spec
	w      io.Writer
	opts   *export.Options
	sel    query.Selection
	rules  provider.Provider
	redact *redact.Redactor
	report *export.Report
	scrub  []byte
	asks   asked

	held    []provider.Wire // delayed messages
	holding uint32          // their conversation
	ended   model.Role      // role of the last message

	gone     int // messages that are no longer valid
	cut      int // messages after the end
	unmarked int // failed results in a format without a mark for them
	results  int
	systems  int
	idless   int // calls with ids that the format has no field for
	unplaced int // media that the format has no field for
	unsigned int // signatures that the format has no field for
	broken   int // lone surrogates
}

// write exports a selection in the format.
func (sp *spec) write(ctx context.Context, w io.Writer, view describe.View, opts export.Options) (report export.Report, err error) {
	rules, err := provider.Find(sp.Name)
	if err != nil {
		return report, err
	}
	buf := bufio.NewWriterSize(w, 64<<10)
	mine := *sp
	mine.blocks, sp = maps.Clone(sp.blocks), &mine
	s := &sheet{w: buf, spec: sp, opts: &opts, sel: view.Selection, rules: rules, report: &report}
	s.Layout = shape.Layout{Indent: opts.Indent}
	if opts.Redact {
		s.redact = redact.New()
	}
	if sp.tune != nil {
		sp.tune(s)
	}
	sp.own = compile(sp.blocks)
	if err := s.run(ctx, sp.make(s)); err != nil {
		return report, err
	}
	return report, buf.Flush()
}

func (s *sheet) run(ctx context.Context, d dialect) error {
	feed := newFeeder(s.sel, s.spec, s.opts)
	s.collectTools()
	if p, ok := d.(preparer); ok {
		if err := p.prepare(ctx); err != nil {
			return err
		}
	}
	var system []string
	begun := false
	begin := func() {
		if !begun {
			begun = true
			d.begin(system)
		}
	}
	repair := provider.NewRepairer(s.rules, provider.RepairOptions{Frontier: s.rules.Frontier}, func(m *provider.Wire) error {
		if s.rules.System == provider.SystemApart && isSystem(m) && !begun {
			system = append(system, wordsOf(m))
			return nil
		}
		begin()
		return s.next(d, m)
	})
	err := feed.each(ctx, func(m provider.Wire) error {
		if m.ID != model.NoID && !s.rules.Record && s.sel.Snap.HeadRow(m.ID).Flags&(model.Invalidated|model.Superseded|model.Archived) != 0 {
			s.gone++
			return nil
		}
		s.report.Messages++
		return repair.Add(m)
	})
	if err == nil {
		err = repair.Finish()
	}
	if err != nil {
		return err
	}
	s.drop()
	begin()
	d.end()
	if err := s.flush(); err != nil {
		return err
	}
	s.notes(feed, &repair.Report)
	return nil
}

// notes reports what the format could not express.
func (s *sheet) notes(feed *feeder, r *provider.RepairReport) {
	s.report.Notes = append(s.report.Notes, r.Lines()...)
	s.report.NoteCount(s.gone, "%s left out: invalidated, superseded or archived", "message was", "messages were")
	s.report.NoteCount(s.unmarked, "%s written like any other: the format has no mark for errors", "failed result was", "failed results were")
	if s.endsWithModel {
		s.report.NoteCount(s.cut, "%s behind the last answer left out: an example ends with one", "message")
	} else {
		s.report.NoteCount(s.cut, "%s behind the last prompt or result left out", "message")
	}
	if s.ended == model.Assistant && s.rules.Prefill != "" {
		s.report.Note("the conversation ends with the model's words, which %s; --until-user leaves them out", s.rules.Prefill)
	}
	s.report.NoteCount(s.unplaced, "%s could not be written; words stand in its place", "image, sound or file of an error", "images, sounds and files of errors")
	s.report.NoteCount(s.unsigned, "%s left out: it means something to its provider only", "signature was", "signatures were")
	s.report.NoteCount(s.broken, "%s replaced: no provider takes it", "half of a character was", "halves of characters were")
	s.report.NoteCount(s.results, "%s left out: the format has no results", "tool result was", "tool results were")
	s.report.NoteCount(s.idless, "%s left out: the format has no ids", "id of a call was", "ids of calls were")
	s.report.NoteCount(s.systems, "%s left out: the format has none", "system message was", "system messages were")
	s.report.Outside(feed.walk.Outside, "added: a request needs the results of its calls")
	s.report.NoteCount(feed.again, "%s left out: an earlier message made the same", "repeated call was", "repeated calls were")
	s.report.NoteCount(feed.apart, "%s of subagents left out", "message")
	if n := s.sessions(); n > 1 && !s.rules.Each {
		s.report.Note("%d conversations were written one after another", n)
	}
	s.report.Unreadable(s.sel.Snap)
}

// sessions returns the number of conversations in the selection.
func (s *sheet) sessions() int {
	seen := map[uint32]bool{}
	for _, id := range s.sel.IDs {
		seen[s.sel.Snap.Threads()[s.sel.Snap.HeadRow(id).Thread].Session] = true
	}
	return len(seen)
}

func (s *sheet) flush() error {
	out := s.replaceHalves(s.Buf)
	if s.redact != nil && len(s.redact.Find(out)) > 0 {
		var n int
		s.scrub, n = s.redact.Redact(s.scrub[:0], out)
		s.report.Secrets += n
		out = s.scrub
	}
	_, err := s.w.Write(out)
	if s.Buf = s.Buf[:0]; cap(s.Buf) > 4<<20 {
		s.Buf = nil
	}
	return err
}

// float writes a number.
func (s *sheet) float(name string, x float64) {
	s.Key(name)
	s.Buf = strconv.AppendFloat(s.Buf, x, 'f', -1, 64)
}

// listCalls writes the calls of a message as a list of objects.
func (s *sheet) listCalls(m *provider.Wire, each func(b *provider.WireBlock)) {
	s.OpenList("tool_calls")
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == model.ToolCall {
			s.Item()
			each(b)
			s.Close("}")
		}
	}
	s.Close("]")
}

// listParts writes the content of a message: recorded blocks unchanged, the others as objects.
func (s *sheet) listParts(m *provider.Wire, each func(b *provider.WireBlock)) {
	s.OpenList("content")
	for i := range m.Blocks {
		if b := &m.Blocks[i]; !s.recordedItem(b) {
			s.Item()
			each(b)
			s.Close("}")
		}
	}
	s.Close("]")
}

// listWords writes the words and files of a message as its content.
func (s *sheet) listWords(m *provider.Wire, words func(string), file func(*provider.Attachment)) {
	s.OpenList("content")
	for i := range m.Blocks {
		switch b := &m.Blocks[i]; b.Kind {
		case model.Words:
			words(b.Text)
		case model.Media:
			file(b.File)
		}
	}
	s.Close("]")
}

// mixed writes a text, or a list of the text and its files.
func (s *sheet) mixed(name, text string, media []provider.WireBlock, file func(*provider.Attachment)) {
	if len(media) == 0 {
		s.String(name, text)
		return
	}
	s.OpenList(name)
	if text != "" {
		s.textItem(text)
	}
	for i := range media {
		file(media[i].File)
	}
	s.Close("]")
}

// typed begins a list element with its type.
func (s *sheet) typed(typ string) {
	s.Item()
	s.String("type", typ)
}

// textItem writes a text as an element of a list of blocks.
func (s *sheet) textItem(text string) {
	s.typed("text")
	s.String("text", text)
	s.Close("}")
}

// endLine writes the closing brackets, innermost first, and ends the line.
func (s *sheet) endLine(brackets string) {
	s.Close(brackets)
	s.Buf = append(s.Buf, '\n')
}

// unmark counts a failed result in a format that has no mark for it.
func (s *sheet) unmark(b *provider.WireBlock) {
	if b.Outcome.Failed() && !b.Made {
		s.unmarked++
	}
}

// value writes a recorded JSON value; invalid JSON becomes a string.
func (s *sheet) value(name, v string) {
	s.Key(name)
	s.Value([]byte(v))
}

// recordedItem writes a recorded block unchanged as an element of a list, if it is in the
// provider's format.
func (s *sheet) recordedItem(b *provider.WireBlock) bool {
	return s.native(b.Raw) && (b.Kind != model.Media || sameFile(b)) && s.copied(b.Raw)
}

// words writes a text as an element of a list.
func (s *sheet) words(v string) {
	s.Element()
	s.Buf = model.AppendQuoted(s.Buf, []byte(v))
}

func (s *sheet) time(ms int64) {
	s.Optional("timestamp", stamp(ms))
}

// stamp formats a time, "" for 0.
func stamp(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}

func (s *sheet) lastModel() string {
	for _, id := range slices.Backward(s.sel.IDs) {
		if h := s.sel.Snap.HeadRow(id); h.Role == model.Assistant && h.Name != 0 {
			return s.sel.Snap.Name(h.Name)
		}
	}
	return s.session("model")
}

// session returns a field of the conversation.
func (s *sheet) session(field string) string {
	if len(s.sel.IDs) == 0 {
		return s.sel.Snap.Sessions()[0].Field(field)
	}
	return s.sel.Snap.Session(s.sel.IDs[0]).Field(field)
}

func isSystem(m *provider.Wire) bool { return m.Role == model.System || m.Role == model.Developer }

// wordsOf returns the words of a message.
func wordsOf(m *provider.Wire) string { return kindText(m, model.Words) }

func kindText(m *provider.Wire, kind model.BlockKind) string {
	var parts []string
	for i := range m.Blocks {
		if b := &m.Blocks[i]; b.Kind == kind && !b.Null {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// onlyWords returns the text of a message that consists of one text.
func onlyWords(m *provider.Wire) (string, bool) {
	if len(m.Blocks) == 1 && m.Blocks[0].Kind == model.Words && m.Blocks[0].Raw == nil {
		return m.Blocks[0].Text, true
	}
	return "", false
}

// ownID returns the id of a message, or one made from its position.
func ownID(m *provider.Wire) string {
	return cmp.Or(m.Own, fmt.Sprintf("msg_%d", max(m.Index, 0)))
}
