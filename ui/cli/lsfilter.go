package cli

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"turns/model"
	"turns/model/load"
	"turns/query/lang"
)

// summaryFilter is a filter over summaries. nil lets all through.
type summaryFilter struct {
	root lang.Node
	ref  lang.TimeRef
}

// summaryFilter reads the filter of the list. What a list cannot answer is an
// error: it would look as if nothing matched.
func (a *app) summaryFilter() (*summaryFilter, error) {
	if strings.TrimSpace(a.filter) == "" {
		return nil, nil
	}
	f, err := lang.Parse(a.filter)
	if err != nil {
		return nil, located(err)
	}
	s := &summaryFilter{root: f.Root(), ref: lang.TimeRef{Now: time.Now(), Loc: a.zone()}}
	if !answerable(s.root) {
		return nil, hinted{fmt.Errorf("the filter %q asks for what a list does not know", a.filter),
			"a list knows project:, title:, session:, file:, model:, end:, after:, before:, dur:, is:error, is:pending and words; turns search looks into the transcripts"}
	}
	return s, nil
}

func answerable(n lang.Node) bool {
	all := func(kids []lang.Node) bool {
		for _, k := range kids {
			if !answerable(k) {
				return false
			}
		}
		return true
	}
	switch n := n.(type) {
	case *lang.And:
		return all(n.Kids)
	case *lang.Or:
		return all(n.Kids)
	case *lang.Not:
		return answerable(n.Kid)
	case *lang.Term:
		switch n.Key {
		case lang.KeyAny, lang.KeyTitle, lang.KeyProject, lang.KeySession, lang.KeyFile, lang.KeyModel, lang.KeyEnd, lang.KeyTime, lang.KeyDur:
			return true
		case lang.KeyIs:
			for i := range n.Values {
				if v := n.Values[i].Text; v != "error" && v != "pending" {
					return false
				}
			}
			return true
		}
	}
	return false
}

func (f *summaryFilter) holds(s *load.Summary) bool { return f == nil || f.node(f.root, s) }

func (f *summaryFilter) node(n lang.Node, s *load.Summary) bool {
	switch n := n.(type) {
	case *lang.And:
		for _, k := range n.Kids {
			if !f.node(k, s) {
				return false
			}
		}
		return true
	case *lang.Or:
		for _, k := range n.Kids {
			if f.node(k, s) {
				return true
			}
		}
		return false
	case *lang.Not:
		return !f.node(n.Kid, s)
	case *lang.Term:
		return f.term(n, s)
	}
	return true
}

func (f *summaryFilter) term(t *lang.Term, s *load.Summary) bool {
	switch t.Key {
	case lang.KeyTime:
		when := s.Last
		if when == 0 {
			when = s.Written
		}
		return t.HoldsTime(time.UnixMilli(when), f.ref)
	case lang.KeyDur:
		return s.Started != 0 && t.HoldsDur(time.Duration(s.Last-s.Started)*time.Millisecond)
	}
	for i := range t.Values {
		v := &t.Values[i]
		var ok bool
		switch t.Key {
		case lang.KeyTitle:
			ok = holdsText(v, s.Title)
		case lang.KeyProject:
			ok = v.MatchPath(s.Project) || holdsText(v, s.Project)
		case lang.KeySession:
			ok = v.MatchWhole(s.Session) || holdsText(v, s.Session)
		case lang.KeyFile:
			ok = v.MatchPath(s.Path) || holdsText(v, s.Path)
		case lang.KeyModel:
			ok = v.MatchWhole(s.Model) || holdsText(v, s.Model)
		case lang.KeyEnd:
			ok = endName(s) == v.Text
		case lang.KeyIs:
			ok = v.Text == "error" && s.Errors > 0 || v.Text == "pending" && s.Open
		default:
			ok = holdsText(v, s.Title+" "+s.Project+" "+s.Agent+" "+s.Model+" "+s.Path)
		}
		if ok {
			return true
		}
	}
	return false
}

// holdsText reports whether a text contains a value, ignoring case, or a regular
// expression matches in it.
func holdsText(v *lang.Value, s string) bool {
	switch v.Form {
	case lang.FormRegex:
		re, err := regexp.Compile(v.Pattern())
		return err == nil && re.MatchString(s)
	case lang.FormGlob:
		return v.MatchWhole(s)
	}
	return strings.Contains(strings.ToLower(s), strings.ToLower(v.Text))
}

// endName is how a conversation ended, as the key end: names it.
func endName(s *load.Summary) string {
	switch o := s.Outcome; {
	case s.Open && !s.Ended:
		return "open"
	case o == model.Failure, o == model.TimedOut:
		return "failed"
	case o == model.Stopped, o == model.Cancelled:
		return "interrupted"
	case o == model.Success, s.Ended:
		return "finished"
	}
	return "unknown"
}
