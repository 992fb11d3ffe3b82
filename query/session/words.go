package session

import (
	"cmp"
	"fmt"
	"strings"

	"turns/model"
	"turns/query/describe"
	"turns/query/human"
)

// wordings are the words of an activity, from long to short, so that narrow lists can also show it
// with its age.
var wordings = map[Doing][]string{
	Running: {"{tool} running", "{tool}"}, Thinking: {"thinking"}, Waiting: {human.Idle.String()},
	Question: {"asks you", "asks"}, Plan: {"plan for you", "plan"}, Approval: {"{tool} to allow", "to allow", "allow"},
	Looping: {"{tool}, {times} times the same", "{tool} ×{times}"},
}

// Words returns the state in words, "" if unknown.
func (st State) Words() string {
	if st.Agent {
		return "agent: " + st.words()
	}
	return st.words()
}

func (st State) words() string {
	reason := human.Reason(model.CleanLine(st.End.Reason))
	if st.Several > 0 {
		return st.several(reason)
	}
	if st.End.Scored && !strings.Contains(reason, "reward") && !st.Live() && st.Doing != Several {
		return fmt.Sprintf("score %.3g", st.End.Score)
	}
	switch st.Doing {
	case Finished:
		return cmp.Or(reason, human.Finished.String())
	case Failed:
		return cmp.Or(reason, human.Failed.String())
	case Interrupted:
		return cmp.Or(reason, "interrupted")
	case Open:
		switch {
		case st.End.Due == model.DueAnswer:
			return "no answer"
		case st.End.State == model.RunOpen && reason == model.CutOff:
			return "cut off"
		}
		return "no result"
	case Several:
		if st.Judged > 0 {
			return human.Count(st.Passed) + " of " + human.Count(st.Judged) + " passed"
		}
	case Silent:
		return human.Stuck.String() + " " + strings.TrimSuffix(human.Took(st.Silent), "00s")
	}
	if forms := wordings[st.Doing]; len(forms) > 0 {
		return st.fill(forms[0], st.tool())
	}
	return ""
}

// several describes the end of the last of several sessions, or of all.
func (st State) several(all string) string {
	more := ""
	if st.AtLeast {
		more = "+"
	}
	switch {
	case st.End.State == model.RunUnknown:
		return ""
	case !strings.Contains(all, ","):
		return all
	}
	return human.Count(st.Several) + more + " sessions, " + st.last()
}

// last says how the last of several sessions ended.
func (st State) last() string { return "last " + st.End.State.String() }

// word returns the name of a tool for people.
func word(tool string) string {
	_, word, _ := describe.FamilyOf(tool)
	return model.CleanLine(word)
}

// String returns the sign and the words.
func (st State) String() string { return strings.TrimSpace(st.glyph() + " " + st.Words()) }

// fill inserts the data of the state into a wording. A live list calls it frequently, and a
// strings.Replacer would dominate the cost of a row.
func (st State) fill(form, tool string) string {
	form = strings.Replace(form, "{times}", human.Count(st.End.Again), 1)
	return strings.Replace(form, "{tool}", tool, 1)
}

// tool returns the name of the running or repeated calls.
func (st State) tool() string {
	switch {
	case st.Doing == Looping:
		return word(st.End.Same)
	case st.Doing == Running && st.End.Runs > 1:
		return human.Plural(st.End.Runs, "call")
	}
	return word(st.End.Running)
}

// toolLeast is the minimum number of cells for a recognisable tool name.
const toolLeast = 4

// short returns the words of the activity and its age in at most room cells: it cuts the name of
// the tool first, then selects shorter words.
func (st State) short(age string, room int) string {
	prefixes := []string{""}
	if st.Agent {
		prefixes = []string{"agent: ", ""}
	}
	tool, text := st.tool(), st.Words()
	for _, prefix := range prefixes {
		for _, form := range wordings[st.Doing] {
			left, name := room-human.Width(prefix+st.fill(form, "")+age), ""
			if strings.Contains(form, "{tool}") {
				if left < min(toolLeast, human.Width(tool)) {
					continue
				}
				name = human.CutText(tool, left)
			}
			if text = prefix + st.fill(form, name) + age; left >= 0 {
				return text
			}
		}
	}
	return text
}

// CallWords returns the activity of a call in its own row.
func (d Doing) CallWords() string {
	for _, form := range wordings[d] {
		if text := strings.TrimSpace(strings.TrimPrefix(form, "{tool}")); text != "" {
			return text
		}
	}
	return ""
}
