package format

import (
	"cmp"
	"slices"

	"turns/model"
	"turns/model/format/amend"
	"turns/model/format/envelope"
	"turns/model/format/infer"
	"turns/model/format/kit"
	"turns/model/format/prose"
	"turns/model/jsonspan"
)

// Detect returns the most likely format of a sample, and its match. If no format matches the
// records, it tries the values inside them. The result is never nil: unknown records have the
// format records.
func Detect(s *model.Sample) (*model.Format, model.Match) {
	f, m := recognise(s)
	return countingPassed(f, m, s)
}

// recognise is Detect without the check for skipped lists.
func recognise(s *model.Sample) (*model.Format, model.Match) {
	texts := prose.Finder{Detect: Detect, Holds: holds}
	if prose.IsCassette(s) {
		if g, n := texts.Find(s); g != nil {
			return g, n
		}
		f := kit.RecordsFormat()
		return f, f.Detect(s)
	}
	f, m := detect(s)
	if m.Score < sureScore && kit.IsGraph(s) {
		f = kit.RecordsFormat()
		return f, f.Detect(s)
	}
	if s.Shape == model.Document && m.Score <= familyScore && m.Score > 1 && infer.Read(f, m, s).NewestFirst() {
		return byTime(f, m)
	}
	if s.Shape == model.Database && m.Score <= 1 {
		if g, n := fromTables(s); g != nil {
			return g, n
		}
	}
	if m.Score <= genericScore {
		if g, n := texts.Find(s); g != nil {
			return g, n
		}
	}
	if s.Shape != model.Lines && s.Shape != model.Document || !f.AsIs(m) {
		return f, m
	}
	return amended(f, m, s)
}

// byTime returns a format that sorts its messages by time: APIs list the newest first.
func byTime(f *model.Format, m model.Match) (*model.Format, model.Match) {
	g := *f
	g.Order = model.ByTime
	m.Reason += "; the newest first"
	g.Detect = func(*model.Sample) model.Match { return m }
	return &g, m
}

// holds reports whether a format finds a conversation in a sample.
func holds(f *model.Format, m model.Match, s *model.Sample) bool {
	return m.Score > 1 && infer.Read(f, m, s).Conversation()
}

// amended returns the format that recognises a sample after restoring names, if it understands more
// than f; otherwise f.
func amended(f *model.Format, m model.Match, s *model.Sample) (*model.Format, model.Match) {
	seen := amend.Look(s)
	changes := seen.Changes()
	if len(changes) == 0 {
		return renamed(f, m, s, seen)
	}
	counts := infer.Read(f, m, s)
	known := detectKnown
	if m.Score >= sureScore && counts.Complete() { // its shape is its own: other formats need not be asked
		known = func(s *model.Sample) (*model.Format, model.Match) { return f, f.Detect(s) }
	}
	few := beginning(s)
	for _, c := range changes {
		g, n := known(c.Sample(few))
		if n.Score <= genericScore || !g.AsIs(n) {
			continue
		}
		inner := c.Format(g, n)
		t := infer.Read(inner, n, s)
		mends := c.Names != nil && t.Mends(counts) && (n.Score >= sureScore || g.Name == f.Name)
		rivals := f.Name == infer.Name && t.Rivals(counts)
		if rivals {
			plain := g.Detect(s)
			rivals = plain.Score < n.Score || !infer.Read(g, plain, s).Equals(t) // the change makes a difference
		}
		if mends || t.Surpasses(counts) || n.Score >= sureScore && n.Score > m.Score && t.Equals(counts) || rivals {
			n.Reason += "; " + c.Why
			counts, f, m = t, inner, n
		}
	}
	return renamed(f, m, s, seen)
}

// renamedRecords is the number of records that each try reads. They are few, because tries are
// many.
const renamedRecords = 6

// renamed returns the format that recognises a sample after one field gets another name, if it
// reads more of the beginning than f; otherwise f.
func renamed(f *model.Format, m model.Match, s *model.Sample, seen *amend.Seen) (*model.Format, model.Match) {
	if f.Standard {
		return f, m
	}
	few := beginning(s)
	few.Records = few.Records[:min(len(few.Records), renamedRecords)]
	knows := m.Score > genericScore && f.Name != infer.Name
	known := detectKnown
	var counts *infer.Counts
	for c := range seen.Renames(knows) {
		if counts == nil {
			if counts = infer.Read(f, m, few); !counts.Wants() && f.Name != infer.Name {
				return f, m
			}
			if knows && (m.Score >= sureScore || counts.Complete()) {
				known = func(s *model.Sample) (*model.Format, model.Match) { return f, f.Detect(s) }
			}
		}
		g, n := known(c.Sample(few))
		if n.Score <= genericScore || !g.AsIs(n) || knows && g.Name != f.Name && n.Score < m.Score {
			continue // not read, or less certainly than without the name
		}
		inner := c.Format(g, n)
		t := infer.Read(inner, n, few)
		if knows && !t.Repairs(counts) || !knows && (!t.Conversation() || !t.Mutual() || t.Troubled() && n.Score < familyScore || !t.Surpasses(counts) && !t.Mends(counts)) {
			continue
		}
		if knows && !infer.Read(c.Hidden().Format(f, m), m, few).Matches(counts) {
			continue // a field that the format reads keeps its meaning
		}
		n.Reason += "; " + c.Why
		counts, f, m = t, inner, n
	}
	return f, m
}

// fewBytes of a document suffice to recognise its format after restoring names.
const fewBytes = 512 << 10

// beginning returns a sample of the first lines, or of the first part of a document.
func beginning(s *model.Sample) *model.Sample {
	few := *s
	few.Records = s.Records[:min(fewRecords, len(s.Records))]
	if len(s.Doc) > fewBytes {
		few.Doc, few.Whole = s.Doc[:fewBytes], false
	}
	return &few
}

// detect is Detect for samples without changed names.
func detect(s *model.Sample) (*model.Format, model.Match) {
	f, m := detectKnown(s)
	if m.Score > genericScore && !mayWrap(s, m) {
		if m.Score <= familyScore && (infer.NamesSessions(s) || infer.Grows(s)) {
			if g, n := talks(f, m, s); g != nil {
				return g, n
			}
		}
		return sound(f, m, s)
	}
	f, m, inferred := detectInside(f, m, s)
	if m.Score < sureScore {
		if g, n := talks(f, m, s); g != nil {
			return g, n
		}
	}
	if inferred {
		return bothSides(f, m, s)
	}
	return sound(f, m, s)
}

// bothSides replaces a format that reads only the questions or only the answers by one that
// reads both: {"prompt": [{"role": …}], "response": "…"}. It returns f if there is none.
func bothSides(f *model.Format, m model.Match, s *model.Sample) (*model.Format, model.Match) {
	if m.Score > plainScore || f.Name == infer.Name {
		return f, m
	}
	if g, n := Infer(s); g != nil && infer.Read(g, n, s).Beats(infer.Read(f, m, s)) {
		return g, n
	}
	return f, m
}

// talks returns the format of written conversations if it understands more of a sample than f: more
// text, several conversations that f joins, or one that f splits. Otherwise it returns nil.
func talks(f *model.Format, m model.Match, s *model.Sample) (*model.Format, model.Match) {
	found := infer.Talk(s, helpers)
	if found == nil {
		return nil, model.Match{}
	}
	g, n := formatOf(found, s)
	if m.Score <= 1 || g == nil {
		return g, n
	}
	counts, other := infer.Read(g, n, s), infer.Read(f, m, s)
	if found.Merged && counts.Holds(other) {
		return g, n
	}
	if counts.Exceeds(other) && (m.Score <= genericScore || found.Several || f.Name == infer.Name) || counts.AsMuchAs(other) && (found.Sessions > 1 || found.Merged) {
		return g, n
	}
	return nil, model.Match{}
}

// detectInside returns the format of records in envelopes, or an inferred one, if it understands
// more than f; inferred reports that it is one of these.
func detectInside(f *model.Format, m model.Match, s *model.Sample) (_ *model.Format, _ model.Match, inferred bool) {
	inside, found := envelope.Finder{Detect: knownInside, Moment: kit.MomentOf, Weak: genericScore}.Find(s)
	if inside != nil {
		inside, found = countingInside(inside, found, s)
	}
	if inside != nil && found.Score >= plainScore &&
		(found.Score > max(m.Score, plainScore) || m.Score <= 1 || found.Score == m.Score && oneEach(s)) {
		return inside, found, true
	}
	weak := inside != nil && m.Score <= 1
	if weak {
		f, m = inside, found
	}
	if m.Score <= genericScore || weak {
		if g, n := Infer(s); g != nil && (m.Score <= 1 || infer.Read(g, n, s).Beats(infer.Read(f, m, s))) {
			return g, n, true
		}
		if g, n := (envelope.Finder{Detect: Infer, Moment: kit.MomentOf}).Find(s); g != nil && m.Score <= 1 {
			return g, n, true
		}
	}
	return f, m, false
}

// knownInside is detectKnown for the content of envelopes. It is stricter, because commits and
// comments, for example, also have an author and a text.
func knownInside(s *model.Sample) (*model.Format, model.Match) {
	f, m := detectKnown(s)
	if m.Score == genericScore && !kit.NamesSpeakers(s) {
		return f, model.Match{}
	}
	return f, m
}

// sureScore is the score of a distinct shape: if something looks odd in it, it may be right.
const sureScore = 90

// fewRecords suffice to check that a format still finds its fields.
const fewRecords = 12

// sound returns the format of a sample, unless its reading is in trouble and an inferred one is
// not: then the names of fields have changed. An inferred one may also find the answers that a
// format of requests does not know.
func sound(f *model.Format, m model.Match, s *model.Sample) (*model.Format, model.Match) {
	if m.Score <= genericScore || s.Shape != model.Lines && s.Shape != model.Document || f.Deltas && m.Score > familyScore || !f.AsIs(m) {
		return f, m
	}
	if m.Score <= familyScore && infer.Awaits(s) { // the answer may be a text next to the messages
		if g, n := Infer(s); g != nil && infer.Read(g, n, s).Surpasses(infer.Read(f, m, s)) {
			return g, n
		}
	}
	first := *s // recognition is most of the cost of opening: a few records suffice
	first.Records = s.Records[:min(fewRecords, len(s.Records))]
	few := infer.Read(f, m, &first)
	if !few.Troubled() || m.Score >= sureScore && !few.Blank() {
		return f, m
	}
	if f.Name == "openai" && kit.OnlyAPIFields(s) {
		return f, m // the contents really are empty for a reader
	}
	g, n := Infer(s)
	if g == nil {
		return f, m
	}
	counts := infer.Read(f, m, s)
	if better := infer.Read(g, n, s); better.Troubled() || !better.Beats(counts) {
		return f, m
	}
	n.Reason += "; some fields are not where " + f.Title + " has them"
	return g, n
}

// As returns the match of a sample for a format that the user chose, which may be wrapped in
// another.
func As(f *model.Format, s *model.Sample) (*model.Format, model.Match) {
	only := func(s *model.Sample) (*model.Format, model.Match) { return f, f.Detect(s) }
	if known, err := Find(infer.Name); err == nil && f == known {
		only = func(s *model.Sample) (*model.Format, model.Match) {
			if s.Shape == model.Database {
				return fromTables(s)
			}
			return formatOf(Inferred(s), s)
		}
	}
	g, m := only(s)
	if g == nil {
		g = f
	}
	if m.Score == 0 {
		if inside, found := (envelope.Finder{Detect: only, Moment: kit.MomentOf}).Find(s); inside != nil {
			return inside, found
		}
		m.Variant = listVariant(g, s)
	}
	return g, m
}

// familyScore is the highest score of formats whose field names others also use: such records may
// be envelopes.
const familyScore = 70

// mayWrap reports whether records of a family may be envelopes of a format that knows more: they
// are lists, or messages are inside of them.
func mayWrap(s *model.Sample, m model.Match) bool {
	if len(s.Records) == 1 && s.Bad > 0 { // a document after other text
		return true
	}
	if m.Score > familyScore {
		return len(s.Records) > 0 && s.Records[0][0] == '['
	}
	switch {
	case s.Shape == model.Lines && len(s.Records) > 0:
		return !kit.IsMessage(s.Records[0])
	case s.Shape == model.Document:
		return jsonspan.KindOf(s.Doc) == jsonspan.Object && !kit.IsMessage(s.Doc)
	}
	return false
}

// oneEach reports whether each record is a list of one: that is how streams are written, not
// conversations.
func oneEach(s *model.Sample) bool {
	return !slices.ContainsFunc(s.Records, func(v []byte) bool { return kit.SoleElement(v) == nil }) && len(s.Records) > 1
}

// For speed only: variantsAsked is the number of variants to try for a document's list of messages,
// more than any format has.
const variantsAsked = 16

// listVariant returns the variant of a format that finds a list in the document, if its marks do
// not decide; 0 if there is none.
func listVariant(f *model.Format, s *model.Sample) uint8 {
	doc := kit.SampleDocument(s)
	if f.Lists == nil || doc == nil {
		return 0
	}
	for v := range uint8(variantsAsked) {
		for _, path := range f.Lists(model.Match{Variant: v}) {
			if len(kit.Elements(doc, path, 1)) > 0 {
				return v
			}
		}
	}
	return 0
}

// detectKnown asks all formats. On a tie the earlier one wins.
func detectKnown(s *model.Sample) (*model.Format, model.Match) {
	best, match := formats[len(formats)-1], model.Match{}
	s = s.Remembering()
	for _, f := range formats {
		if match.Score >= cmp.Or(f.Highest, 100) {
			continue
		}
		if m := f.Detect(s); m.Score > match.Score {
			best, match = f, m
		}
	}
	if match.Score <= genericScore {
		return asked(written(), s, best, match)
	}
	return best, match
}

// asked asks more formats. On a tie the earlier one wins.
func asked(more []*model.Format, s *model.Sample, best *model.Format, match model.Match) (*model.Format, model.Match) {
	for _, f := range more {
		if m := f.Detect(s); m.Score > match.Score {
			best, match = f, m
		}
	}
	return best, match
}

// Explained is the verdict of one format on a sample.
type Explained struct {
	Format *model.Format
	Match  model.Match
}

// Explain returns the matches of all formats that recognise the sample, the best first.
func Explain(s *model.Sample) []Explained {
	var all []Explained
	for _, f := range All() {
		if m := f.Detect(s); m.Score > 0 {
			all = append(all, Explained{f, m})
		}
	}
	slices.SortStableFunc(all, func(a, b Explained) int { return b.Match.Score - a.Match.Score })
	// found inside the records that the others see
	if f, m := Detect(s); len(all) > 0 && m.Score > all[0].Match.Score {
		all = append([]Explained{{f, m}}, all...)
	}
	return all
}
