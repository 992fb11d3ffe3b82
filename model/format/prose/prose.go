// Package prose reads conversations in text files: rows of columns, sections
// under headings with the name of a speaker, YAML, and pages of shared chats. It turns each piece
// into JSON for a known format, or for one that package infer finds.
package prose

import (
	"bytes"
	"regexp"
	"sync"

	"turns/model"
	"turns/model/format/envelope"
	"turns/model/format/infer"
)

// layout is one way of writing a conversation as text.
type layout struct {
	name string
	own  bool // the pieces become JSON in this package's own form, not in the text's
	// cut returns the first piece of a text and the number of bytes it uses: 0 if the end of the
	// piece is not available yet. eof means that no more text follows.
	cut func(text []byte, eof bool) (piece []byte, n int)
	// appendTo appends a piece as JSON; it returns dst unchanged if the piece is not a message.
	appendTo func(dst, piece []byte) []byte
}

// byteOrderMark precedes the text of some programs.
var byteOrderMark = []byte("\ufeff")

// look are the functions that find layouts in the beginning of a text, the surest first.
var look = [...]func(text []byte) *layout{lookForPages, lookForExports, lookForTemplates, lookForRows, lookForYAML, lookForScreens, lookForLiterals, lookForSections, lookForPrompts}

// maxSampled limits the pieces to check.
const maxSampled = 60

// maxPiece is the maximum size of a piece: text without any borders must not be in memory as a
// whole.
const maxPiece = 8 << 20

// A Finder finds conversations in texts.
type Finder struct {
	// Detect returns the format of the pieces as JSON.
	Detect func(*model.Sample) (*model.Format, model.Match)
	// Holds reports whether a format reads them as a conversation.
	Holds func(*model.Format, model.Match, *model.Sample) bool
}

// Find returns the format of a text; nil if the text is not a conversation.
func (f Finder) Find(s *model.Sample) (*model.Format, model.Match) {
	if s.Shape != model.Prose && (s.Shape != model.Lines || s.Bad == 0 || len(s.Text) == 0) {
		return nil, model.Match{}
	}
	text, layouts := bytes.TrimPrefix(s.Text, byteOrderMark), look[:]
	if IsCassette(s) {
		layouts = []func([]byte) *layout{lookForYAML}
	}
	for _, in := range layouts {
		l := in(text)
		if l == nil {
			continue
		}
		pieces := l.sample(text)
		if len(pieces) == 0 {
			continue
		}
		inner := &model.Sample{Path: s.Path, Shape: model.Lines, Records: pieces}
		if g, m := f.Detect(inner); g != nil && lists(g, m) == nil && (l.own && m.Score > 1 || f.Holds(g, m, inner)) {
			return l.format(g, m)
		}
		if len(pieces) > 1 {
			continue
		}
		inner = &model.Sample{Path: s.Path, Shape: model.Document, Doc: pieces[0], Whole: true}
		if g, m := f.Detect(inner); g != nil && f.Holds(g, m, inner) {
			return l.format(g, m)
		}
	}
	return nil, model.Match{}
}

func lists(f *model.Format, m model.Match) []string {
	if f.Lists == nil {
		return nil
	}
	return f.Lists(m)
}

// sample returns the first messages of a text.
func (l *layout) sample(text []byte) (list [][]byte) {
	for len(text) > 0 && len(list) < maxSampled {
		piece, n := l.cut(text, true)
		if n == 0 {
			break
		}
		if v := l.appendTo(nil, piece); len(v) > 0 {
			list = append(list, v)
		}
		text = text[n:]
	}
	return list
}

// format returns the format of the text, with another one that parses its pieces.
func (l *layout) format(inner *model.Format, m model.Match) (*model.Format, model.Match) {
	f, variant := *inner, m.Variant
	f.Unroll, f.Lists, f.Base, f.Bases, f.Children = nil, nil, nil, nil, nil
	f.Split = func(model.Match) model.Splitter { return splitter{l} }
	f.Parse = func(rec model.Record, fs *model.Facts) error {
		v := l.appendTo(nil, rec.Data)
		if len(v) == 0 {
			note := fs.Add(model.Note)
			note.Name = model.StringText("text")
			note.AddText(model.Words, model.PlainText(rec.Data))
			return nil
		}
		rec.Data, rec.Variant = v, variant
		if lists(inner, m) == nil {
			return inner.Parse(rec, fs)
		}
		return parts(inner, m, rec, fs)
	}
	m.Reason += ", in " + l.name
	if f.Title += ", in " + l.name; l.own {
		f.Name, f.Title = infer.Name, "Inferred: "+l.name
	}
	f.Detect = func(*model.Sample) model.Match { return m }
	return &f, m
}

// parts parses a piece that is a separate document with lists.
func parts(inner *model.Format, m model.Match, rec model.Record, fs *model.Facts) error {
	for _, p := range envelope.Cut(rec.Data, inner.Lists(m)) {
		sub := new(model.Facts)
		sub.Within(fs)
		one := rec
		one.Data, one.List = p.Data, p.List
		one.Ref.Off += int64(fs.Len()) // distinguishes ids made from the position
		if err := inner.Parse(one, sub); err != nil {
			return err
		}
		fs.Take(sub)
	}
	return nil
}

type splitter struct{ *layout }

// Split cuts one piece; it skips blank ones.
func (s splitter) Split(buf []byte, eof bool) (model.Record, int) {
	text := bytes.TrimPrefix(buf, byteOrderMark)
	piece, n := s.cut(text, eof)
	switch {
	case n == 0 && len(buf) < maxPiece && !eof:
		return model.Record{}, 0
	case n == 0:
		piece, n = text, len(text)
	}
	skipped := len(buf) - len(text)
	rec := model.Record{Data: bytes.TrimRight(piece, "\r\n"), Ref: model.Ref{Off: int64(skipped)}}
	if len(bytes.TrimSpace(piece)) == 0 {
		rec.Data = nil
	}
	return rec, skipped + n
}

// field appends a field to an open object.
func field(dst, name, value []byte) []byte { return model.AppendQuoted(key(dst, name), value) }

func key(dst, name []byte) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(model.AppendQuoted(dst, name), ':')
}

// message appends a message.
func message(dst []byte, role string, text []byte) []byte {
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return dst
	}
	dst = field(append(dst, '{'), []byte("role"), []byte(role))
	return append(field(dst, []byte("content"), text), '}')
}

// lazy returns a function that compiles an expression at its first use: few runs of turns read
// text, and compiling all of them takes 2 ms. It panics there if the expression is not valid.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
