package format

import (
	"fmt"
	"strings"

	"turns/model"
	"turns/model/format/envelope"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// passed is a list of messages in a document that its format does not read.
type passed struct {
	path     string
	messages int
}

func (p passed) String() string { return fmt.Sprintf("%s (%d messages)", p.path, p.messages) }

// countingPassed returns the format with the skipped lists of messages in the match's reason: a
// document may have several, and a format reads one. Most documents have one.
func countingPassed(f *model.Format, m model.Match, s *model.Sample) (*model.Format, model.Match) {
	if s.Shape != model.Document || m.Score > familyScore || m.Score <= 1 || len(listsOf(f, m)) == 0 {
		return f, m
	}
	left := passedOver(envelope.Cut(s.Doc, listsOf(f, m))[0].Data)
	if len(left) == 0 {
		return f, m
	}
	var names []string
	for _, p := range left {
		names = append(names, p.String())
	}
	m.Reason += "; not read: " + strings.Join(names, ", ")
	g := *f
	g.Detect = func(*model.Sample) model.Match { return m }
	g.Parse = func(rec model.Record, fs *model.Facts) error {
		if err := f.Parse(rec, fs); err != nil || rec.List != "" {
			return err
		}
		for _, p := range passedOver(rec.Data) {
			note := fs.Add(model.Note)
			note.Name = model.StringText("not read")
			note.AddText(model.Words, model.StringText(fmt.Sprintf("%s holds %d more messages. To read them, put list = [%q] into what turns formats --infer writes.", p.path, p.messages, p.path)))
		}
		return nil
	}
	return &g, m
}

// countingInside returns the format of an envelope with the number of the document's messages that
// it reads, if it reads fewer than the document's lists have: the envelope is around one of
// several.
func countingInside(f *model.Format, m model.Match, s *model.Sample) (*model.Format, model.Match) {
	if s.Shape != model.Document || m.Score > familyScore || len(listsOf(f, m)) > 0 {
		return f, m
	}
	all := passedOver(s.Doc)
	var fs model.Facts
	if len(all) < 2 || f.Parse(model.Record{Data: s.Doc, Variant: m.Variant}, &fs) != nil {
		return f, m
	}
	why := readOf(all, &fs)
	if why == "" {
		return f, m
	}
	m.Reason += "; " + why
	g := *f
	g.Detect = func(*model.Sample) model.Match { return m }
	g.Parse = func(rec model.Record, fs *model.Facts) error {
		from := fs.Len()
		if err := f.Parse(rec, fs); err != nil || from > 0 {
			return err
		}
		if why := readOf(passedOver(rec.Data), fs); why != "" {
			note := fs.Add(model.Note)
			note.Name = model.StringText("not read")
			note.AddText(model.Words, model.StringText(why+". To read another list, put its path into list of what turns formats --infer writes."))
		}
		return nil
	}
	return &g, m
}

// readOf says how many messages of some lists facts have; "" for all of them.
func readOf(all []passed, fs *model.Facts) string {
	read, total := 0, 0
	for i := range fs.Len() {
		if fs.At(i).Op == model.Say {
			read++
		}
	}
	var names []string
	for _, p := range all {
		total += p.messages
		names = append(names, p.String())
	}
	if read >= total {
		return ""
	}
	return fmt.Sprintf("read %d of %d messages, which are in %s", read, total, strings.Join(names, ", "))
}

func listsOf(f *model.Format, m model.Match) []string {
	if f.Lists == nil {
		return nil
	}
	return f.Lists(m)
}

// maxPassedDepth limits the depth of objects to search for such lists.
const maxPassedDepth = 3

// passedOver returns the lists of messages in the rest of a document.
func passedOver(rest []byte) (list []passed) {
	c := jsonspan.New(rest)
	passedIn(&c, "", 0, &list)
	return list
}

func passedIn(c *jsonspan.Cursor, at string, depth int, list *[]passed) {
	for c.Object(); c.Key(); {
		path := string(c.Name)
		if at != "" {
			path = at + "." + path
		}
		switch kind := c.Kind(); {
		case kind == jsonspan.Object && depth < maxPassedDepth:
			passedIn(c, path, depth+1, list)
		case kind == jsonspan.Array:
			n := 0
			for c.Array(); c.More(); {
				if v := c.Skip(); kit.IsMessage(v) && kit.HasContent(v) {
					n++
				}
			}
			if n > 0 {
				*list = append(*list, passed{path, n})
			}
		default:
			c.Skip()
		}
	}
}
