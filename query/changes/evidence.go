package changes

import (
	"math"
	"strings"

	"turns/model"
	"turns/query/describe"
	"turns/query/patch"
)

// evidence reads what a transcript records about files in addition to the arguments of a call.
type evidence struct {
	h            *History
	d            describe.Describer
	call, result *model.Content
	answer       *model.Message
	acts         []act
}

// read adds the evidence to the acts.
func (e *evidence) read() {
	e.texts()
	results := 0
	for i := range e.answer.Blocks {
		if e.answer.Blocks[i].Kind == model.ToolResult {
			results++
		}
	}
	for i := range e.answer.Extra {
		kv := &e.answer.Extra[i]
		name, of, some := strings.Cut(kv.Name, " of ")
		if some && of != e.call.ID || !some && results > 1 { // its call is not recorded
			continue
		}
		if read, ok := recorded[name]; ok && (len(kv.Value) > 0) {
			read(e, kv.Value)
		}
	}
	created := describe.ReportsCreated(e.result.Text)
	for i := range e.acts {
		a := &e.acts[i]
		if a.edit.Kind == describe.EditWrite {
			a.create = a.create || created
		}
		if a.before != nil && a.before.text == "" && a.create {
			a.before.absent = true
		}
	}
	e.final()
	e.shown()
}

// texts adds the texts found by the parser of the format.
func (e *evidence) texts() {
	files := e.answer.Files
	for i := range files {
		t := &files[i]
		if t.Call.String() != e.call.ID {
			continue
		}
		a := e.at(t.Path.String())
		if a == nil {
			continue
		}
		switch t.Kind {
		case model.FileBefore:
			if !t.Text.IsNull() {
				a.before = e.content(t.Text.String())
			} else if a.edit.Kind != describe.EditReplace || a.edit.Old == "" {
				a.before = &content{absent: true}
			}
		case model.FileAfter:
			a.after = e.content(t.Text.String())
		case model.FileSeen:
			if t.Text.Size() <= textMax {
				a.seen = recordedLines(t)
			}
		case model.FilePatch:
			if text := t.Text.String(); strings.HasPrefix(text, "[") {
				a.hunks = listHunks(text)
			} else {
				e.hunksOf(a, text)
			}
		case model.FileObject:
			e.display(t.Text.String())
		}
	}
}

// at returns the act for a path: the only one of a call, or the one with the path; nil if there is
// none.
func (e *evidence) at(path string) *act {
	if len(e.acts) == 1 {
		return &e.acts[0]
	}
	p := e.d.FileOf(path)
	for i := range e.acts {
		if a := &e.acts[i]; path != "" && (a.path == p || strings.HasSuffix(a.path, "/"+path)) {
			return a
		}
	}
	return nil
}

// last returns the last act of the file of an act.
func (e *evidence) last(of *act) *act {
	found := of
	for i := range e.acts {
		if e.acts[i].path == of.path {
			found = &e.acts[i]
		}
	}
	return found
}

func (e *evidence) content(text string) *content {
	if len(text) > textMax {
		return nil
	}
	return &content{text: text}
}

// recorded maps the fields that agents record with a result to their readers.
var recorded = map[string]func(e *evidence, value string){
	"resultDisplay":   (*evidence).display,   // Gemini CLI, Qwen Code, iFlow
	"filediff":        (*evidence).display,   // OpenCode: an edit
	"files":           (*evidence).list,      // OpenCode: a patch
	"extras":          (*evidence).extras,    // OpenHands
	"detailedContent": (*evidence).unified,   // Copilot CLI
	"diff":            (*evidence).unified,   // OpenCode, Pi
	"patch":           (*evidence).unified,   // OpenCode, Pi
	"exists":          (*evidence).existence, // OpenCode: a write
	"details":         (*evidence).details,   // Pi
	"structured":      (*evidence).list,      // OpenCode
}

// The field names for a file in recorded objects.
var (
	namesPath   = []string{"filePath", "file", "path", "file_path", "fileName", "relativePath"}
	namesBefore = []string{"originalContent", "before", "old_content", "oldContent"}
	namesAfter  = []string{"newContent", "after", "new_content"}
	namesPatch  = []string{"fileDiff", "patch", "diff"}
)

// display reads an object about one file.
func (e *evidence) display(value string) {
	if !strings.HasPrefix(value, "{") {
		return
	}
	fields := describe.CallArgs{Fields: describe.ObjectFields(value)}
	a := e.at(fields.Get(namesPath...))
	if a == nil {
		return
	}
	if raw := fields.Raw(namesBefore...); strings.HasPrefix(raw, `"`) {
		a.before = e.content(stringOf(raw))
	} else if hasNull(&fields, namesBefore) && a.edit.Kind == describe.EditWrite {
		a.before = &content{absent: true}
	}
	if raw := fields.Raw(namesAfter...); strings.HasPrefix(raw, `"`) {
		if last := e.last(a); last.edit.Kind != describe.EditDelete {
			last.after = e.content(stringOf(raw))
		}
	}
	if raw := fields.Raw(namesPatch...); strings.HasPrefix(raw, `"`) {
		e.hunksOf(a, stringOf(raw))
	}
}

// hasNull reports whether one of the names has the value null.
func hasNull(fields *describe.CallArgs, names []string) bool {
	for i := range fields.Fields {
		for _, name := range names {
			if fields.Fields[i].Name == name && fields.Fields[i].Raw == "null" {
				return true
			}
		}
	}
	return false
}

// stringOf returns the text of a JSON string, decoded once.
func stringOf(raw string) string {
	return model.EscapedText([]byte(raw[1:max(len(raw)-1, 1)])).String()
}

// list reads a list of objects about files, or an object with one.
func (e *evidence) list(value string) {
	if strings.HasPrefix(value, "{") {
		fields := describe.CallArgs{Fields: describe.ObjectFields(value)}
		if raw := fields.Raw("files", "changes"); strings.HasPrefix(raw, "[") {
			value = raw
		} else {
			e.display(value)
			return
		}
	}
	for _, item := range describe.ListItems(value, filesMax) {
		e.display(item)
	}
}

// filesMax is the maximum number of files of one call.
const filesMax = 1000

// extras reads the fields of an OpenHands observation. For a replacement, some builds record
// only the replaced text in the fields for the file's contents.
func (e *evidence) extras(value string) {
	fields := describe.CallArgs{Fields: describe.ObjectFields(value)}
	a := e.at(fields.Get("path"))
	if a == nil || a.edit.Kind == describe.EditRead {
		return
	}
	before, after := fields.Raw("old_content"), fields.Raw("new_content")
	switch {
	case a.edit.Kind == describe.EditWrite && fields.Raw("prev_exist") == "false":
		a.before = &content{absent: true}
	case strings.HasPrefix(before, `"`) && strings.HasPrefix(after, `"`):
		old := stringOf(before)
		if a.edit.Kind == describe.EditReplace && (len(old) <= len(a.edit.Old) || !strings.Contains(old, a.edit.Old)) {
			return
		}
		a.before, a.after = e.content(old), e.content(stringOf(after))
	}
}

// unified reads the applied change as a unified diff.
func (e *evidence) unified(value string) { e.hunksOf(nil, value) }

// details reads the fields of a result of Pi.
func (e *evidence) details(value string) {
	if strings.HasPrefix(value, "{") {
		fields := describe.CallArgs{Fields: describe.ObjectFields(value)}
		if raw := fields.Raw("patch", "diff"); strings.HasPrefix(raw, `"`) {
			e.hunksOf(nil, stringOf(raw))
		}
	}
}

// existence reads whether a written file existed before.
func (e *evidence) existence(value string) {
	if len(e.acts) == 1 && value == "false" && e.acts[0].before == nil {
		e.acts[0].before = &content{absent: true}
	}
}

// hunksOf adds the hunks of a diff to an act, or to the acts for its files.
func (e *evidence) hunksOf(a *act, text string) {
	if !strings.Contains(text, "@@ -") {
		return
	}
	for _, f := range patch.Parse(text, "") {
		of := a
		if of == nil {
			of = e.at(f.Path)
		}
		if of == nil {
			continue
		}
		of.hunks = append(of.hunks, f.Hunks...)
		if f.Op == patch.Add && of.before == nil {
			of.before = &content{absent: true}
		}
	}
}

// listHunks reads hunks from a list of {oldStart, newStart, lines}.
func listHunks(value string) []patch.Hunk {
	var hunks []patch.Hunk
	for _, item := range describe.ListItems(value, filesMax) {
		fields := describe.CallArgs{Fields: describe.ObjectFields(item)}
		h := patch.Hunk{Old: max(fields.Int("oldStart"), 1), New: max(fields.Int("newStart"), 1)}
		for _, raw := range describe.ListItems(fields.Raw("lines"), math.MaxInt) {
			line := describe.RawText(raw, len(raw))
			switch {
			case strings.HasPrefix(line, `\`) && len(h.Lines) > 0:
				sign := h.Lines[len(h.Lines)-1][0]
				h.OldOpen, h.NewOpen = h.OldOpen || sign != '+', h.NewOpen || sign != '-'
			case line != "" && strings.IndexByte(" +-", line[0]) >= 0:
				h.Lines = append(h.Lines, line)
			default:
				h.Lines = append(h.Lines, " "+line)
			}
		}
		hunks = append(hunks, h)
	}
	return hunks
}

// final reads the content that Cline and Roo put into a result: <final_file_content path="…">.
func (e *evidence) final() {
	_, rest, ok := strings.Cut(e.result.Text, `<final_file_content path="`)
	if !ok {
		return
	}
	path, rest, ok := strings.Cut(rest, "\">\n")
	if !ok {
		return
	}
	end := strings.LastIndex(rest, "\n</final_file_content>")
	a := e.at(path)
	if end < 0 || a == nil || len(rest) > textMax {
		return
	}
	e.last(a).after = &content{text: rest[:end]}
}
