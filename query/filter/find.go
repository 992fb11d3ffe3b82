package filter

import (
	"context"
	"iter"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"

	"turns/model"
	"turns/query"
	"turns/query/human"
	"turns/query/lang"
)

// Pattern is the text or regex of a search.
type Pattern struct {
	filter *lang.Filter
	values textSet
}

// Literals returns texts of which every match contains one, for [model.StreamMaybe]; nil if they
// are unknown.
func (p *Pattern) Literals() [][]byte { return p.values.lits() }

// Literals returns texts of which one must be present if any of the filters matches, like
// [Pattern.Literals]; nil if they are unknown.
func Literals(filters []*lang.Filter) (all [][]byte) {
	for _, f := range filters {
		t, ok := f.Root().(*lang.Term)
		if !ok {
			return nil
		}
		switch t.Key {
		case lang.KeyAny, lang.KeyText, lang.KeyContent, lang.KeyReasoning, lang.KeyArgs, lang.KeyResult:
		default:
			return nil
		}
		values, err := newTexts(t)
		if err != nil {
			return nil
		}
		lits := values.lits()
		if lits == nil {
			return nil
		}
		all = append(all, lits...)
	}
	return all
}

// NewPattern parses the text of a search: /regex/flags or any other text literally. With smart,
// case matters only if a capital letter was typed; otherwise case matters in a regex and not in a
// text. An error is a [SyntaxError].
func NewPattern(src string, smart bool) (*Pattern, error) {
	v := lang.Value{Form: lang.FormText, Text: src}
	if wholeRegex(src) {
		f, err := lang.Parse(src)
		if err != nil {
			return nil, err
		}
		v = f.Root().(*lang.Term).Values[0]
		if smart && !strings.Contains(v.Flags, "i") && !hasCapital(v.Text) {
			if f, err = lang.Parse(src + "i"); err != nil {
				return nil, err
			}
			v = f.Root().(*lang.Term).Values[0]
		}
	} else if smart && strings.ContainsFunc(src, unicode.IsUpper) {
		quoted := regexp.QuoteMeta(textValid(src)) // in the form of the searched texts
		re, err := syntax.Parse(quoted, syntax.Perl)
		if err != nil {
			return nil, &lang.SyntaxError{Src: src, Col: 1, Msg: err.Error()}
		}
		v = lang.Value{Form: lang.FormRegex, Text: quoted, Regexp: re}
	}
	term := &lang.Term{Pos: lang.Pos{Col: 1}, Values: []lang.Value{v}}
	values, err := newTexts(term)
	if err != nil {
		return nil, err
	}
	return &Pattern{filter: term.Filter(), values: values}, nil
}

// wholeRegex reports whether all of src is one regular expression between slashes.
func wholeRegex(src string) bool {
	if !strings.HasPrefix(src, "/") { // the lexer expects one
		return false
	}
	tok, ok := lang.NewLexer(src).Regex(false)
	return ok && tok.End == len(src)
}

// hasCapital reports whether a regex contains a capital letter; \S and \W do not count.
func hasCapital(pattern string) bool {
	escaped := false
	for _, r := range pattern {
		if !escaped && unicode.IsUpper(r) {
			return true
		}
		escaped = !escaped && r == '\\'
	}
	return false
}

// Filter returns the filter that finds the same messages, as typed into the filter bar.
func (p *Pattern) Filter() *lang.Filter { return p.filter }

// Hit is a matching line.
type Hit struct {
	ID     model.ID
	Call   model.CallID // of an argument or a result; NoRow for none
	Kind   model.BlockKind
	Name   bool     // the name of the tool matched: Text is the name, Line 0
	Field  string   // field of the conversation, shown with its first message; "" for all others
	Tool   string   // of Call
	Line   int      // of the block's readable text, from 1
	Text   string   // the line, as recorded
	Ranges [][2]int // byte ranges of Text, ascending
}

// where returns the kind of the match as a word: text, reasoning, call, result, media, other or
// name.
func (h *Hit) where() string {
	if h.Name {
		return "name"
	}
	return h.Kind.String()
}

// maxRanges is the maximum number of matches searched in a block: readers need no more, and a regex
// like . matches every letter.
const maxRanges = 10_000

// lineHits yields the matching lines of a text, with at most limit matches.
func (t textSet) lineHits(text string, limit int, yield func(line int, text string, ranges [][2]int) bool) bool {
	for _, m := range t {
		if m.re != nil {
			text = textValid(text)
		}
	}
	var all [][2]int
	for _, m := range t {
		all = append(all, m.ranges(text, limit)...)
	}
	if len(t) > 1 {
		all = joinRanges(all)
	}
	line, start := 1, 0
	for i := 0; i < len(all); {
		line += strings.Count(text[start:all[i][0]], "\n")
		if n := strings.LastIndexByte(text[start:all[i][0]], '\n'); n >= 0 {
			start += n + 1
		}
		end := len(text)
		if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
			end = start + n
		}
		var ranges [][2]int
		for ; i < len(all) && all[i][0] <= end; i++ {
			if from, to := all[i][0]-start, min(all[i][1], end)-start; from < to {
				ranges = append(ranges, [2]int{from, to})
			}
		}
		shown := strings.TrimSuffix(text[start:end], "\r")
		if !yield(line, shown, clipRanges(ranges, len(shown))) {
			return false
		}
	}
	return true
}

// clipRanges limits ranges to n bytes.
func clipRanges(ranges [][2]int, n int) [][2]int {
	for i := range ranges {
		ranges[i][1] = min(ranges[i][1], n)
	}
	return ranges
}

// joinRanges sorts ranges and joins overlapping ones.
func joinRanges(all [][2]int) [][2]int {
	sortRanges(all)
	out := all[:0]
	for _, r := range all {
		if n := len(out); n > 0 && r[0] < out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], r[1])
		} else {
			out = append(out, r)
		}
	}
	return out
}

// Find yields every matching line of a selection, in order. An error ends it; it skips unreadable
// messages. It calls progress, which may be nil, like Env.Progress.
func Find(ctx context.Context, sel query.Selection, p *Pattern, progress func(done, total int)) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		m, err := NewMatcher(p.filter, sel.Snap, Env{Progress: progress})
		if err != nil {
			yield(Hit{}, err)
			return
		}
		stopped := false
		st := state{ctx: ctx, snap: sel.Snap, reading: true}
		recorded := query.RecordedOf(sel.Snap)
		report := func(h Hit) bool { return yield(h, nil) }
		_, err = m.Scan(ctx, sel.IDs, func(match Match) bool {
			stopped = !p.recorded(recorded, match.ID, maxRanges, report) || !st.lines(match.ID, p, maxRanges, report)
			return !stopped
		})
		if err != nil && !stopped {
			yield(Hit{}, err)
		}
	}
}

// recorded yields the matching lines of the recorded texts about the conversation that begins with
// a message.
func (p *Pattern) recorded(all map[model.ID][]query.RecordedText, id model.ID, limit int, yield func(Hit) bool) bool {
	for _, r := range all[id] {
		h := Hit{ID: id, Call: model.CallID(model.NoRow), Field: r.Field}
		going := p.values.lineHits(r.Text, limit, func(line int, text string, ranges [][2]int) bool {
			h.Line, h.Text, h.Ranges = line, text, ranges
			return yield(h)
		})
		if !going {
			return false
		}
	}
	return true
}

// lines yields the matching lines of a message.
func (st *state) lines(id model.ID, p *Pattern, limit int, yield func(Hit) bool) bool {
	st.load(id)
	msg := st.message()
	if msg == nil {
		return true
	}
	made, result := 0, 0
	for i := range msg.Blocks {
		b := &msg.Blocks[i]
		h := Hit{ID: id, Call: model.CallID(model.NoRow), Kind: b.Kind}
		unit := -1
		switch b.Kind {
		case model.ToolCall:
			unit = st.madeUnit(made)
			made++
		case model.ToolResult:
			unit = st.resultUnit(result)
			result++
		case model.Media:
			continue
		}
		if unit >= 0 {
			h.Call, h.Tool = st.calls[unit].id, st.snap.Name(st.calls[unit].row.Tool)
		}
		if b.Kind == model.ToolCall && p.values.match(b.Name) {
			named := h
			named.Name, named.Text, named.Ranges = true, b.Name, p.values[0].ranges(textValid(b.Name), limit)
			if !yield(named) {
				return false
			}
		}
		found := p.values.lineHits(Readable(b), limit, func(line int, text string, ranges [][2]int) bool {
			h.Line, h.Text, h.Ranges = line, text, ranges
			return yield(h)
		})
		if !found {
			return false
		}
	}
	return true
}

// LineFinder finds the line that makes a filter with texts match a row.
type LineFinder struct{ terms []lineTerm }

type lineTerm struct {
	key    lang.Key
	values textSet
}

// NewLineFinder returns a finder for the positive texts of a filter.
func NewLineFinder(f *lang.Filter) (*LineFinder, error) {
	l := &LineFinder{}
	for t, negated := range f.Terms {
		switch t.Key {
		case lang.KeyAny, lang.KeyText, lang.KeyContent, lang.KeyReasoning, lang.KeyArgs, lang.KeyResult:
			values, err := newTexts(t)
			if err != nil {
				return nil, err
			}
			if !negated {
				l.terms = append(l.terms, lineTerm{t.Key, values})
			}
		}
	}
	return l, nil
}

// Empty reports whether the filter has no texts.
func (l *LineFinder) Empty() bool { return len(l.terms) == 0 }

// Block returns the first line of a block that matches one of the texts. The caller sets ID and
// Call of the hit.
func (l *LineFinder) Block(b *model.Content) (hit Hit, ok bool) {
	if b == nil {
		return hit, false
	}
	for _, t := range l.terms {
		if !t.looksAt(b.Kind) {
			continue
		}
		t.values.lineHits(Readable(b), 100, func(line int, text string, ranges [][2]int) bool {
			hit, ok = Hit{Call: model.CallID(model.NoRow), Kind: b.Kind, Line: line, Text: text, Ranges: ranges}, true
			return false
		})
		if ok {
			return hit, true
		}
	}
	return hit, false
}

func (t *lineTerm) looksAt(kind model.BlockKind) bool {
	switch t.key {
	case lang.KeyArgs:
		return kind == model.ToolCall
	case lang.KeyResult:
		return kind == model.ToolResult
	}
	return looksAt(t.key, nil, kind)
}

// Message returns the first line of a message that matches one of the texts.
func (l *LineFinder) Message(m *model.Message) (hit Hit, ok bool) {
	for i := range m.Blocks {
		if hit, ok = l.Block(&m.Blocks[i]); ok {
			hit.ID = m.ID
			return hit, true
		}
	}
	return hit, false
}

// Conversation returns the first matching line among the recorded texts about a conversation.
func (l *LineFinder) Conversation(texts []query.RecordedText) (hit Hit, ok bool) {
	for _, t := range l.terms {
		p := Pattern{values: t.values}
		if t.key != lang.KeyAny && t.key != lang.KeyText {
			continue
		}
		p.recorded(map[model.ID][]query.RecordedText{model.NoID: texts}, model.NoID, 1, func(h Hit) bool {
			hit, ok = h, true
			return false
		})
	}
	return hit, ok
}

// Around cuts a long line to about n bytes around its first range, between letters, and moves the
// ranges; cutFront and cutBack report the cut ends.
func (h *Hit) Around(n int) (text string, ranges [][2]int, cutFront, cutBack bool) {
	if len(h.Text) <= n || len(h.Ranges) == 0 {
		return h.Text, h.Ranges, false, false
	}
	first := h.Ranges[0]
	from := max(0, first[0]-min(n/3, max(n-(first[1]-first[0]), 0))) // all of the range, if it fits
	to := min(len(h.Text), from+n)
	for from > 0 && !utf8.RuneStart(h.Text[from]) {
		from--
	}
	for to < len(h.Text) && !utf8.RuneStart(h.Text[to]) {
		to++
	}
	text, ranges = human.Uncover(h.Text, from, to, h.Ranges)
	return text, ranges, from > 0, to < len(h.Text)
}
