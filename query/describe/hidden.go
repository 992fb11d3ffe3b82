package describe

import (
	"slices"
	"strings"

	"turns/model"
	"turns/query/human"
)

// warn returns a warning about executed text that the call's line does not show: control and
// invisible characters, and a second value for one name.
func (c *callLine) warn() string {
	n := model.Marks(c.call.Name) + model.Marks(c.call.ID)
	if c.args.Fields == nil {
		n += model.Marks(c.args.text)
	} else {
		n += marksInJSON(c.args.text)
	}
	marks := hiddenMarks(n)
	if c.args.twice != "" {
		marks = joined(marks, human.OneLine(c.args.twice, 40)+" given twice, the last counts")
	}
	if c.line.Family == FamilyShell {
		marks = joined(marks, c.args.rivals())
	}
	return marks
}

// rivals names a second command in the arguments; the tool decides which of the two ran.
func (a *CallArgs) rivals() string {
	shown := a.Raw(argsCommand...)
	for _, f := range a.Fields {
		if f.Raw != shown && len(f.Raw) > 2 && f.Raw[0] == '"' && slices.Contains(argsCommand[:6], f.Name) {
			return human.OneLine(f.Name, 20) + " also given"
		}
	}
	return ""
}

// warn adds a warning about invisible characters in a text.
func (l *Line) warn(text string) {
	l.Warning = hiddenMarks(model.Marks(text))
	l.Outcome = joined(l.Warning, l.Outcome)
}

// hiddenMarks formats the number of characters that are shown as marks.
func hiddenMarks(n int) string {
	if n == 0 {
		return ""
	}
	return human.Count(n) + " hidden"
}

// marksInJSON counts the characters in the strings of a JSON value that are shown as marks.
func marksInJSON(s string) int {
	if model.Marks(s) == 0 && !strings.Contains(s, `\u`) && !strings.Contains(s, `\r`) && !strings.Contains(s, `\b`) && !strings.Contains(s, `\f`) {
		return 0
	}
	n := 0
	for i := 0; i < len(s); {
		k := strings.IndexByte(s[i:], '"')
		if k < 0 {
			break
		}
		end := stringEnd(s, i+k)
		n += model.Marks(RawText(s[i+k:end], len(s)))
		i = end
	}
	return n
}
