package describe

import (
	"strings"

	"turns/model"
)

// Touch is the effect of a call on a file.
type Touch struct {
	Path           string // as written in the call
	Edit           bool   // true: writes; false: reads
	Added, Removed int    // lines of an edit
}

// Touched returns the files that a call reads or writes, according to its arguments: tools with a
// path, patches, and edits through a shell.
func Touched(call *model.Content) []Touch {
	a := ParseArgs(call)
	f, _, _ := FamilyOf(call.Name)
	if f == FamilyOther || f == FamilyMCP {
		f = familyByShape(&a)
	}
	switch f {
	case FamilyRead:
		return a.reads()
	case FamilyWrite, FamilyShell:
		var touched []Touch
		shown := arguments(call, nil)
		for i := range shown {
			if s := &shown[i]; s.Kind == ShownDiff && s.Head != "" {
				t := Touch{Path: strings.TrimPrefix(strings.TrimPrefix(s.Head, "new "), "deleted "), Edit: true}
				t.Added, t.Removed = patchLines(s.Text)
				touched = append(touched, t)
			}
		}
		if len(touched) == 0 && f == FamilyWrite {
			if p := a.Get(argsPath...); p != "" {
				return []Touch{{Path: p, Edit: a.Get("command") != "view"}}
			}
		}
		if f == FamilyShell {
			touched = append(touched, shellTouches(a.command(patchMax), a.Get("workdir", "cwd", "working_directory"))...)
		}
		return touched
	}
	return nil
}

// reads returns the files in the arguments of a reading tool.
func (a *CallArgs) reads() []Touch {
	if p := a.Get(argsPath...); p != "" {
		return []Touch{{Path: p}}
	}
	var touched []Touch
	for _, item := range ListItems(a.Raw("paths", "files", "file_paths"), fieldsLook) {
		if p := pathIn(item); p != "" {
			touched = append(touched, Touch{Path: p})
		}
	}
	return touched
}
