package session

import (
	"cmp"
	"fmt"
	"strings"

	"turns/model"
	"turns/query/describe"
	"turns/query/human"
)

// wordings say what goes on, from long to short: what waits, and since when, is to stand in a
// narrow list as well.
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

// several says how the last one of several sessions ended, or how all did.
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
	return human.Count(st.Several) + more + " sessions, last " + st.End.State.String()
}

// word is what a tool is called.
func word(tool string) string {
	_, word, _ := describe.FamilyOf(tool)
	return model.CleanLine(word)
}

// String is the sign and the words.
func (st State) String() string { return strings.TrimSpace(st.glyph() + " " + st.Words()) }

// fill puts into a wording what is true of the state. A live list asks for it all the time, and a
// Replacer costs more than all else that is done for a row.
func (st State) fill(form, tool string) string {
	form = strings.Replace(form, "{times}", human.Count(st.End.Again), 1)
	return strings.Replace(form, "{tool}", tool, 1)
}

// tool is what the calls are called that run, or that are made again and again.
func (st State) tool() string {
	switch {
	case st.Doing == Looping:
		return word(st.End.Same)
	case st.Doing == Running && st.End.Runs > 1:
		return human.Plural(st.End.Runs, "call")
	}
	return word(st.End.Running)
}

// toolLeast is how many cells of the name of a tool must be left for it to say something.
const toolLeast = 4

// short are the words of what goes on with its age behind them in so much room: the name of the
// tool is cut first, then shorter words are taken.
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
