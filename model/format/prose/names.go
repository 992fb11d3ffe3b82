package prose

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"turns/model"
	"turns/model/format/described"
)

// minDuo is the minimum number of turns of two unknown names in a conversation.
const minDuo = 8

// duo returns the two names of a dialogue in which each line has one of them, in turns, and most
// lines are sentences. If alone is set, each name has its own line, above the text. The first to
// speak is the user. It returns nil for other texts.
func (s sections) duo(text []byte, alone bool) map[string]described.Class {
	var names []string
	turns, sentences, silent := 0, 0, false // silent: no text of the last turn so far
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		m := s.is().FindSubmatchIndex(line)
		switch {
		case len(line) == 0:
			continue
		case alone && (m == nil || m[1] < len(line)):
			if silent && bytes.ContainsAny(line, " 。？！，") {
				sentences++
			}
			silent = false
			continue
		case m == nil:
			return nil
		}
		name := string(line[m[2]:m[3]])
		if turns < 2 && looksLikeName(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
		if len(names) < min(turns+1, 2) || names[turns%2] != name {
			return nil
		}
		if rest := line[m[1]:]; bytes.ContainsAny(rest, " 。？！，") {
			sentences++
		}
		turns++
		silent = true
	}
	if turns < minDuo || sentences*2 < turns {
		return nil
	}
	return map[string]described.Class{names[0]: described.User, names[1]: described.Assistant}
}

// companion returns the name that answers the user of a text: the only other one that repeats. The
// user's words must be sentences, and one of the two must ask something: records also have a field
// for their user. It returns nil for other texts.
func (s sections) companion(text []byte) map[string]described.Class {
	all, after := map[string]int{}, map[string]int{}
	users, sentences, replies, asks := 0, 0, 0, false
	said, open, mine := 0, false, false // said: offset of the last name's words
	end := func(at int) {
		words := bytes.TrimSpace(text[said:at])
		asks = asks || bytes.ContainsAny(words, "?？")
		if mine && (bytes.Count(words, []byte(" ")) > 2 || strings.ContainsAny(string(words[max(0, len(words)-3):]), ".?!。？！")) {
			sentences++
		}
	}
	for at, line := range linesOf(text) {
		m := s.is().FindSubmatchIndex(line)
		if m == nil {
			continue
		}
		end(at)
		name := string(line[m[2]:m[3]])
		said, mine = at+m[1], speakerOf(name, false).role == model.User && !described.NamesPart(name)
		if mine {
			users, open = users+1, true
			continue
		}
		if all[name]++; open {
			replies, open = replies+1, false
			after[name]++
		}
	}
	end(len(text))
	for name, n := range after {
		if users < 3 || n < 2 || n*4 < replies*3 || users > 2*all[name]+1 || !looksLikeName(name) || described.SpeakerOf(name) != described.NoClass || !asks || sentences*2 < users {
			continue
		}
		for other, n := range all {
			if other != name && n > 1 && n*2 >= all[name] {
				return nil
			}
		}
		return map[string]described.Class{name: described.Assistant}
	}
	return nil
}

// linesOf yields the lines of a text without their ends, and the offset of each.
func linesOf(text []byte) func(yield func(at int, line []byte) bool) {
	return func(yield func(int, []byte) bool) {
		at := 0
		for line := range bytes.Lines(text) {
			if !yield(at, bytes.TrimRight(line, "\r\n")) {
				return
			}
			at += len(line)
		}
	}
}

// timedNames returns the names in headings with a time that no known word explains: those of a few
// people who alternate. Without a known speaker, the text must announce a conversation; the first
// to speak is then the user. It returns nil for other texts.
func (s sections) timedNames(text []byte) map[string]described.Class {
	names, count := map[string]described.Class{}, map[string]int{}
	first, last, turns, n, again := "", "", 0, 0, 0
	sides := map[described.Class]bool{}
	for _, line := range linesOf(text) {
		m := s.is().FindSubmatch(line)
		if m == nil {
			continue
		}
		name := string(m[1])
		if n++; name != last {
			turns, last = turns+1, name
		}
		if count[name]++; count[name] == 2 {
			again++
		}
		switch class := described.SpeakerOf(name); {
		case class != described.NoClass && !described.NamesPart(name):
			sides[class] = true
		case !looksLikePerson(name):
			return nil
		case count[name] == 1:
			first = cmp.Or(first, name)
			names[name] = described.Assistant
		}
	}
	switch {
	case len(count) > maxTeam || again < 2 || again*2 < len(count) || turns*2 < n:
		return nil
	case sides[described.User] || len(names) == 0:
	case !sides[described.Assistant] && !talk().Match(text[:min(len(text), shortOpening)]):
		return nil
	default:
		names[first] = described.User
	}
	return names
}

var (
	clock = lazy(`\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?`)
	// day matches a date; one with slashes begins with the month if a clock of twelve hours follows
	day = lazy(`\b(\d{4}-\d\d-\d\d)\b|\b(\d{1,2}/\d{1,2}/\d{4}),? +\d{1,2}:\d\d(?::\d\d)? ?[AaPp][Mm]`)
)

// dayOf returns the date at the beginning of a text, such as "2026-07-13"; "" if it has none.
func dayOf(text []byte) string {
	m := day().FindSubmatch(text[:min(len(text), shortOpening)])
	if m == nil {
		return ""
	}
	if t, err := time.Parse("1/2/2006", string(m[2])); err == nil {
		return t.Format(time.DateOnly)
	}
	return string(m[1])
}

// timeOf returns the time in a heading. A clock without a date is on the day of the text.
func (s sections) timeOf(heading []byte) string {
	if at := dated().Find(heading); at != nil || s.day == "" {
		return string(at)
	}
	at := strings.ToUpper(strings.ReplaceAll(string(clock().Find(heading)), " ", ""))
	for _, form := range [...]string{"15:04:05", "15:04", "3:04:05PM", "3:04PM"} {
		if t, err := time.Parse(form, at); err == nil {
			return s.day + " " + t.Format(time.TimeOnly)
		}
	}
	return ""
}
