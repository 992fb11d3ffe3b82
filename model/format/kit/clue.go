package kit

import (
	"slices"
	"strings"
	"sync"

	"turns/model"
)

// Clue is one way to recognise a format: a place to look, the marks that must be there, and the
// resulting certainty.
//
// All formats share one scale of certainty, since the highest score wins and, of equal ones, the
// earlier format:
//
//	90 to 96  fields or tables that only this format has
//	80 to 89  fields of this format that a few others could have
//	70 to 79  the shape is the format's, but another program could write the same
//	50 to 69  probable, where no other format matches
//	30        roles and texts that any program could write
//	1         records of any kind
type Clue struct {
	In Place
	// Is are the signs of the records. In tables and files they are names: "sessions: id, title"
	// are columns of a table, "a|b" is one of two tables, "messages.jsonl" is a file. All of them
	// must exist.
	Is Signs
	// Under are the paths of the records in a document; the first existing one counts.
	Under   []string
	Score   int
	Variant uint8
	Reason  string
}

// Place is the part of a sample that a clue reads.
type Place uint8

// The places.
const (
	InLines         Place = iota // most lines fit, and one is certain
	InDocument                   // the one document
	InConversations              // a document, a list of such, or lines; the variant is that of EvalVariant
	InTables
	InFiles
)

// Clues returns the Detect of a format: the first clue that fits.
func Clues(clues ...Clue) func(s *model.Sample) model.Match {
	parsed := sync.OnceValue(func() [][]sign {
		list := make([][]sign, len(clues))
		for i := range clues {
			if clues[i].In < InTables {
				list[i] = clues[i].Is.parse()
			}
		}
		return list
	})
	return func(s *model.Sample) model.Match {
		for i := range clues {
			if m := clues[i].match(s, parsed()[i]); m.Score > 0 {
				return m
			}
		}
		return model.Match{}
	}
}

func (k *Clue) match(s *model.Sample, signs []sign) model.Match {
	m := model.Match{Score: k.Score, Variant: k.Variant, Reason: k.Reason}
	fits := false
	switch {
	case k.In >= InTables:
		fits = k.names(s)
	case !marked(s, signs):
	case k.In == InDocument:
		fits = k.document(s, signs)
	case k.In == InConversations:
		var v uint8
		v, fits = EvalVariant(s, nil, func(v []byte) bool { return vote(signs, v) >= Possible })
		m.Variant |= v
	case s.Shape == model.Lines:
		fits = most(s.Records, signs)
	}
	if !fits {
		return model.Match{}
	}
	return m
}

// marked reports whether a sample may have the marks of the signs of certainty.
func marked(s *model.Sample, signs []sign) bool {
	for i := range signs {
		if signs[i].vote != Certain {
			continue
		}
		if len(signs[i].marks) == 0 || slices.ContainsFunc(signs[i].marks, func(mark string) bool { return !s.Lacks(mark) }) {
			return true
		}
	}
	return false
}

// most reports whether at least half of the records fit, and one is certain.
func most(records [][]byte, signs []sign) bool {
	certain, unfit := false, 0
	for _, v := range records {
		switch vote(signs, v) {
		case Certain:
			certain = true
		case Unfit:
			if unfit++; unfit*2 > len(records) {
				return false // skip the others
			}
		case Excluded:
			return false
		}
	}
	return certain
}

// document judges the document, or the records in it.
func (k *Clue) document(s *model.Sample, signs []sign) bool {
	doc := SampleDocument(s)
	if doc == nil {
		return false
	}
	for _, path := range k.Under {
		if list := Elements(doc, path, SampleLimit); len(list) > 0 {
			return most(list, signs)
		}
	}
	return k.Under == nil && vote(signs, doc) == Certain
}

// names reports whether a database has all tables with their columns, or a folder all files.
func (k *Clue) names(s *model.Sample) bool {
	return !slices.ContainsFunc(k.Is, func(line string) bool {
		if k.In == InFiles {
			return s.Shape != model.Folder || !slices.Contains(s.Names, line)
		}
		tables, columns, _ := strings.Cut(line, ": ")
		return !slices.ContainsFunc(strings.Split(tables, "|"), func(table string) bool {
			return RowsHave(s, table, strings.FieldsFunc(columns, func(r rune) bool { return r == ',' || r == ' ' })...)
		})
	})
}
