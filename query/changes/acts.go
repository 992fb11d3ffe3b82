package changes

import (
	"context"
	"strings"

	"turns/model"
	"turns/query/describe"
	"turns/query/patch"
)

// act is the effect of one call on one file: the arguments of the call, and the contents that
// the transcript recorded with it.
type act struct {
	edit   describe.FileEdit
	path   string       // resolved
	to     string       // of a move or copy, resolved
	before *content     // nil: not recorded
	after  *content     // nil: not recorded
	hunks  []patch.Hunk // as recorded with the result
	seen   *seenText    // nil: no text shown
	create bool         // the result says that there was no file
}

// content is a recorded file; absent if there was none.
type content struct {
	text   string
	absent bool
}

// acts reads what a call did to files. It caches the last result.
func (h *History) acts(ctx context.Context, id model.CallID) ([]act, error) {
	if h.last == id && h.lastActs != nil {
		return h.lastActs, nil
	}
	row := h.Snap.Call(id)
	call, err := h.pairs.Call(ctx, id)
	if err != nil || call == nil {
		return nil, err
	}
	edits := describe.FileEdits(call)
	if len(edits) == 0 {
		return nil, nil
	}
	answer, result, err := h.pairs.Result(ctx, id)
	if err != nil {
		return nil, err
	}
	d := h.describer(row.Place())
	acts := make([]act, 0, len(edits))
	for _, e := range edits {
		if row.Outcome.Failed() {
			if !e.Shell || e.Kind == describe.EditRead {
				continue
			}
			e.Kind = describe.EditTouch // a part of it may have been done
		}
		acts = append(acts, act{edit: e, path: d.FileOf(e.Path), to: d.FileOf(e.To)})
	}
	if result != nil && !row.Outcome.Failed() {
		e := evidence{h: h, d: d, call: call, result: result, answer: answer, acts: acts}
		e.read()
	}
	h.last, h.lastActs = id, acts
	return acts, nil
}

// describer returns the describer for the session of a message.
func (h *History) describer(at model.ID) describe.Describer {
	s := h.Snap.Session(at)
	d, ok := h.folders[s]
	if !ok {
		d = describe.NewDescriber(s)
		h.folders[s] = d
	}
	return d
}

// apply returns the content after the act; false if it cannot be applied.
func (a *act) apply(before string, absent bool) (string, bool) {
	if text, ok := a.applyEdit(before, absent); ok && len(text) <= textMax {
		return text, true
	}
	if len(a.hunks) > 0 {
		text, err := patch.Apply(before, a.hunks)
		return text, err == nil && len(text) <= textMax
	}
	return "", false
}

func (a *act) applyEdit(before string, absent bool) (string, bool) {
	e := &a.edit
	switch e.Kind {
	case describe.EditWrite:
		return e.New, true
	case describe.EditAppend:
		return before + e.New, true
	case describe.EditReplace:
		return replace(before, e.Old, e.New, e.All, len(a.hunks) > 0)
	case describe.EditInsert:
		return insert(before, e.Line, e.New)
	case describe.EditPatch:
		if e.Adds || absent {
			return added(e.Hunks), true
		}
		text, err := patch.Apply(before, e.Hunks)
		return text, err == nil
	}
	return "", false
}

// changed returns the lines that an act changes, as recorded or according to its arguments.
func (a *act) changed() []patch.Hunk {
	switch {
	case len(a.hunks) > 0:
		return a.hunks
	case len(a.edit.Hunks) > 0:
		return a.edit.Hunks
	}
	return patch.Diff(a.edit.Old, a.edit.New)
}

// added returns the content of a file that a patch creates.
func added(hunks []patch.Hunk) string {
	var b strings.Builder
	open := false
	for i := range hunks {
		_, after := hunks[i].Sides()
		for _, line := range after {
			b.WriteString(line + "\n")
		}
		open = hunks[i].NewOpen
	}
	if open {
		return strings.TrimSuffix(b.String(), "\n")
	}
	return b.String()
}

// replace replaces old by text in before: the first match, or every match with all. ok is false if
// old is missing. If recorded and text is empty, it removes the line break after old as well, as
// Claude Code does, whose results record hunks.
func replace(before, old, text string, all, recorded bool) (string, bool) {
	if old == "" {
		return text, before == ""
	}
	at := strings.Index(before, old)
	if at < 0 {
		old, text = strings.ReplaceAll(old, "\n", "\r\n"), strings.ReplaceAll(text, "\n", "\r\n")
		if at = strings.Index(before, old); at < 0 {
			return "", false
		}
	}
	if recorded && text == "" && !strings.HasSuffix(old, "\n") {
		if whole := strings.Index(before, old+"\n"); whole >= 0 {
			at, old = whole, old+"\n"
		}
	}
	if all {
		return strings.ReplaceAll(before, old, text), true
	}
	return before[:at] + text + before[at+len(old):], true
}

// insert puts text after a line.
func insert(before string, line int, text string) (string, bool) {
	at := 0
	for range line {
		i := strings.IndexByte(before[at:], '\n')
		if i < 0 {
			if at == len(before) {
				return "", false
			}
			at = len(before)
			break
		}
		at += i + 1
	}
	if text != "" && text[len(text)-1] != '\n' && at < len(before) {
		text += "\n"
	}
	if at > 0 && before[at-1] != '\n' {
		text = "\n" + text
	}
	return before[:at] + text + before[at:], true
}
