package describe

import (
	"path"
	"strconv"
	"strings"

	"turns/model"
	"turns/query/patch"
)

// EditKind is the effect of a [FileEdit].
type EditKind uint8

// The kinds of file edits.
const (
	EditTouch   EditKind = iota // it may change the file in an unknown way
	EditWrite                   // New is the complete file
	EditAppend                  // New follows the old content
	EditReplace                 // New replaces Old
	EditInsert                  // New follows line Line
	EditPatch                   // Hunks
	EditDelete                  //
	EditMove                    // to To
	EditCopy                    // to To
	EditRead                    // no change: the result shows lines First to Last, 0 for the ends
)

var editKindNames = [...]string{"touch", "write", "append", "replace", "insert", "patch", "delete", "move", "copy", "read"}

// String returns the kind as one word.
func (k EditKind) String() string { return editKindNames[k] }

// FileEdit is one operation of a call on a file, according to its arguments.
type FileEdit struct {
	Kind        EditKind
	Path, To    string // as written in the call; To is the new path of a move or a copy
	Old, New    string
	All         bool // every match of Old
	Line        int
	Hunks       []patch.Hunk
	Adds        bool // a patch that creates the file
	First, Last int
	Part        bool // a read of a part of the file
	// Within reports that Path is a folder or a pattern: files in it may have changed.
	Within bool
	// Shell reports that a shell command does it.
	Shell bool
}

// FileEdits returns the operations of a call on files, in order, according to its arguments: tools
// with a path, patches, and shell commands. It ignores the result, so the call may have failed.
func FileEdits(call *model.Content) []FileEdit {
	a := ParseArgs(call)
	f, _, _ := FamilyOf(call.Name)
	if f == FamilyOther || f == FamilyMCP {
		f = familyByShape(&a)
	}
	switch f {
	case FamilyRead:
		return a.fileReads()
	case FamilyWrite:
		return a.fileEdits(foldName(call.Name))
	case FamilyShell:
		return shellFileEdits(dropShell(strings.TrimSpace(a.command(len(call.Text)))), a.Get("workdir", "cwd", "working_directory"))
	}
	return nil
}

// full returns the full text of the first of the names with a string value. A file may be a
// JSON string itself: full decodes it twice only if the path is encoded twice as well.
func (a *CallArgs) full(names ...string) (string, bool) {
	raw := a.Raw(names...)
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if strings.HasPrefix(a.Raw(argsPath...), `"\"`) {
		return RawText(raw, len(raw)), true
	}
	return model.EscapedText([]byte(raw[1 : len(raw)-1])).String(), true
}

// The argument names for ranges of lines.
var (
	argsFirst = []string{"offset", "start_line", "startLine", "StartLine", "line_start", "start"}
	argsLast  = []string{"end_line", "endLine", "EndLine", "line_end", "end"}
)

// lineRange returns the first and the last line that a reading tool asks for, 0 for one that it
// leaves open.
func (a *CallArgs) lineRange() (first, last int) {
	first, _ = a.number(argsFirst...)
	last, _ = a.number(argsLast...)
	if n, ok := a.number("limit"); ok && last == 0 {
		last = max(first, 1) + n - 1
	}
	if ends := ListItems(a.Raw("view_range"), 2); len(ends) == 2 && first == 0 {
		r := CallArgs{Fields: []ArgField{{"first", ends[0]}, {"last", ends[1]}}}
		first, _ = r.number("first")
		last, _ = r.number("last")
	}
	return first, last
}

// fileReads returns the files that a reading tool shows, with the requested lines.
func (a *CallArgs) fileReads() []FileEdit {
	var edits []FileEdit
	first, last := a.lineRange()
	for _, t := range a.reads() {
		edits = append(edits, FileEdit{Kind: EditRead, Path: t.Path, First: first, Last: last})
	}
	return edits
}

// deleters and movers are tools that delete or move a file, in lower case and without separators.
var (
	deleters = map[string]bool{"deletefile": true, "removefile": true, "delete": true}
	movers   = map[string]bool{"movefile": true, "renamefile": true}
)

// fileEdits returns the edits of a writing tool.
func (a *CallArgs) fileEdits(tool string) []FileEdit {
	p := a.Get(argsPath...)
	command := a.Get("command")
	switch {
	case p != "" && (command == "view" || command == "read"):
		first, last := a.lineRange()
		return []FileEdit{{Kind: EditRead, Path: p, First: first, Last: last}}
	case p != "" && (deleters[tool] || command == "delete"):
		return []FileEdit{{Kind: EditDelete, Path: p}}
	case movers[tool]:
		if to := a.Get("destination", "new_path", "newPath", "to"); p != "" && to != "" {
			return []FileEdit{{Kind: EditMove, Path: p, To: to}}
		}
	}
	if text := strings.TrimSpace(a.text); len(a.Fields) == 0 && isPatch(text) {
		return patchEdits(a.text, "")
	}
	for _, names := range [][]string{argsPatch, {"command"}} {
		text, ok := a.full(names...)
		if !ok {
			continue
		}
		if blocks := patch.Blocks(text); len(blocks) > 0 && p != "" {
			return blockEdits(blocks, p)
		}
		if isPatch(text) {
			return patchEdits(text, p)
		}
	}
	if list := ListItems(a.Raw("edits", "replacements", "ReplacementChunks"), fieldsLook); len(list) > 0 {
		return a.listEdits(list, p)
	}
	return a.plainEdit(tool, p)
}

// plainEdit returns the edit of a tool with one or two texts.
func (a *CallArgs) plainEdit(tool, p string) []FileEdit {
	if p == "" {
		return nil
	}
	if e, ok := a.replaceEdit(p); ok {
		return []FileEdit{e}
	}
	if at, ok := a.number("insert_line", "insertLine"); ok {
		text, _ := a.full(append([]string{"insert_text"}, argsNew...)...)
		return []FileEdit{{Kind: EditInsert, Path: p, New: text, Line: at}}
	}
	if text, ok := a.full(argsContent...); ok && tool != "insertcontent" && tool != "editnotebook" && tool != "notebookedit" {
		if tool == "appendfile" || a.Get("mode") == "append" {
			return []FileEdit{{Kind: EditAppend, Path: p, New: text}}
		}
		return []FileEdit{{Kind: EditWrite, Path: p, New: text}}
	}
	return []FileEdit{{Kind: EditTouch, Path: p}}
}

// replaceEdit returns the replacement that the arguments describe.
func (a *CallArgs) replaceEdit(p string) (FileEdit, bool) {
	old, ok1 := a.full(argsOld...)
	text, ok2 := a.full(argsNew...)
	if !ok1 || !ok2 {
		return FileEdit{}, false
	}
	all := false
	for _, name := range []string{"replace_all", "replaceAll", "allow_multiple", "AllowMultiple", "allowMultiple"} {
		all = all || a.Raw(name) == "true" || a.Raw(name) == `"true"`
	}
	if n, ok := a.number("expected_replacements"); ok && n > 1 {
		all = true
	}
	return FileEdit{Kind: EditReplace, Path: p, Old: old, New: text, All: all}, true
}

// listEdits returns the edits in a list, each with its texts and possibly its own path.
func (a *CallArgs) listEdits(list []string, p string) []FileEdit {
	var edits []FileEdit
	for _, item := range list {
		inner := objectArgs(item)
		at := p
		if own := inner.Get(argsPath...); own != "" {
			at = own
		}
		if at == "" {
			continue
		}
		if e, ok := inner.replaceEdit(at); ok {
			edits = append(edits, e)
		} else {
			edits = append(edits, FileEdit{Kind: EditTouch, Path: at})
		}
	}
	return edits
}

// blockEdits returns the edits of SEARCH and REPLACE blocks, in order. As with patches, the tools
// match full lines.
func blockEdits(blocks []patch.Block, p string) []FileEdit {
	var edits []FileEdit
	for _, b := range blocks {
		h := patch.Hunk{}
		for _, line := range splitLines(b.Old) {
			h.Lines = append(h.Lines, "-"+strings.TrimSuffix(line, "\r"))
		}
		for _, line := range splitLines(b.New) {
			h.Lines = append(h.Lines, "+"+strings.TrimSuffix(line, "\r"))
		}
		edits = append(edits, FileEdit{Kind: EditPatch, Path: p, Hunks: []patch.Hunk{h}})
	}
	return edits
}

// patchEdits returns the edits of a patch; p is the file if the patch names none.
func patchEdits(text, p string) []FileEdit {
	var edits []FileEdit
	for _, f := range patch.Parse(text, p) {
		if f.Path == "" {
			continue
		}
		switch f.Op {
		case patch.Delete:
			edits = append(edits, FileEdit{Kind: EditDelete, Path: f.Path})
			continue
		case patch.Add:
			edits = append(edits, FileEdit{Kind: EditPatch, Path: f.Path, Hunks: f.Hunks, Adds: true})
			continue
		}
		if len(f.Hunks) > 0 {
			edits = append(edits, FileEdit{Kind: EditPatch, Path: f.Path, Hunks: f.Hunks})
		}
		if f.To != "" && f.To != f.Path {
			edits = append(edits, FileEdit{Kind: EditMove, Path: f.Path, To: f.To})
		}
	}
	return edits
}

// shellFileEdits returns the edits of a command line, in the order of its programs. Here documents
// come first, because their bodies are not commands.
func shellFileEdits(cmd, dir string) []FileEdit {
	var edits []FileEdit
	for _, p := range heredocs(cmd) {
		switch {
		case p.tag == "":
		case p.patches:
			edits = append(edits, patchEdits(p.body, "")...)
		case p.file != "" && p.appends:
			edits = append(edits, FileEdit{Kind: EditAppend, Path: p.file, New: p.body})
		case p.file != "":
			edits = append(edits, FileEdit{Kind: EditWrite, Path: p.file, New: p.body})
		}
	}
	if len(edits) == 0 && strings.HasPrefix(strings.TrimSpace(cmd), "apply_patch") {
		edits = patchEdits(patchWord(cmd), "")
	}
	for _, e := range inPlaceEdits(cmd, "") {
		for _, file := range e.files {
			edits = append(edits, FileEdit{Kind: EditTouch, Path: file})
		}
	}
	code := withoutHeredocs(cmd)
	for c := range shellCommands(code, "") {
		edits = append(edits, c.fileCommand()...)
	}
	if len(edits) == 0 {
		edits = shellReads(code)
	}
	for i := range edits {
		edits[i].Shell = true
		edits[i].Path, edits[i].To = inDir(dir, edits[i].Path), inDir(dir, edits[i].To)
	}
	return edits
}

// inDir resolves a path of a command that runs in a folder.
func inDir(dir, p string) string {
	if dir == "" || p == "" || p[0] == '/' || p[0] == '~' || len(p) > 1 && p[1] == ':' {
		return p
	}
	return strings.TrimRight(dir, "/") + "/" + p
}

// withoutHeredocs returns a command without the bodies of its here documents.
func withoutHeredocs(cmd string) string {
	if !strings.Contains(cmd, "<<") {
		return cmd
	}
	pieces := heredocs(cmd)
	if pieces == nil {
		return cmd
	}
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.code)
	}
	return b.String()
}

// rewriters are programs that rewrite the files in their arguments. The value is the argument
// required for that, "" if they always do.
var rewriters = map[string]string{
	"gofmt": "-w", "goimports": "-w", "gofumpt": "-w", "shfmt": "-w", "prettier": "--write", "eslint": "--fix", "biome": "--write",
	"black": "", "isort": "", "rustfmt": "", "autopep8": "-i", "yapf": "-i", "clang-format": "-i", "rubocop": "-a", "swiftformat": "", "truncate": "",
}

// subcommands are programs whose first argument decides whether they change the files after it.
var subcommands = map[string]string{
	"git": " checkout restore reset stash clean ", "ruff": " format ", "mix": " format ", "dart": " format ", "cargo": " fmt ", "terraform": " fmt ",
}

// fileCommand returns the effects of a program on the files in its arguments.
func (c *simpleCommand) fileCommand() []FileEdit {
	prog, args := c.program()
	if prog == "npx" && len(args) > 0 {
		prog, args = args[0], args[1:]
	}
	if prog == "git" && len(args) > 0 && (args[0] == "rm" || args[0] == "mv") {
		prog, args = args[0], args[1:]
	}
	if words, ok := subcommands[prog]; ok {
		if len(args) == 0 || !strings.Contains(words, " "+args[0]+" ") {
			return nil
		}
		return c.touches(args[1:])
	}
	if needs, ok := rewriters[prog]; ok {
		for _, arg := range args {
			if needs == "" || strings.HasPrefix(arg, needs) {
				return c.touches(args)
			}
		}
		return nil
	}
	switch prog {
	case "rm":
		return c.each(args, EditDelete)
	case "mv", "cp":
		return c.moves(prog, args)
	}
	return nil
}

// files returns the arguments that name files.
func (c *simpleCommand) files(args []string) (names []string) {
	for i, arg := range args {
		if arg == "" || arg[0] == '-' || strings.ContainsAny(arg, "<>") || i > 0 && strings.Trim(args[i-1], "12>") == "" {
			continue
		}
		names = append(names, arg)
	}
	return names
}

func (c *simpleCommand) each(args []string, kind EditKind) (edits []FileEdit) {
	for _, arg := range c.files(args) {
		if file := c.path(arg); file != "" {
			edits = append(edits, FileEdit{Kind: kind, Path: file, Within: kind == EditDelete && path.Ext(file) == ""})
		}
	}
	return edits
}

// touches returns the files, folders and patterns in the arguments of a program.
func (c *simpleCommand) touches(args []string) (edits []FileEdit) {
	for _, arg := range c.files(args) {
		if strings.ContainsAny(arg, "$`(){}!") {
			continue
		}
		within := arg == "." || strings.ContainsAny(arg, "*?[") || strings.HasSuffix(arg, "/") || path.Ext(arg) == ""
		if c.dir != "" && !path.IsAbs(arg) {
			arg = path.Join(c.dir, arg)
		}
		edits = append(edits, FileEdit{Kind: EditTouch, Path: arg, Within: within})
	}
	return edits
}

// moves returns the edits of mv and cp with two names.
func (c *simpleCommand) moves(prog string, args []string) []FileEdit {
	names := c.files(args)
	if len(names) != 2 {
		return nil
	}
	from, to := c.path(names[0]), c.path(names[1])
	if from == "" || to == "" {
		return nil
	}
	if strings.HasSuffix(names[1], "/") || names[1] == "." || path.Ext(to) == "" && path.Ext(from) != "" {
		to = path.Join(to, path.Base(from)) // a folder
	}
	kind := EditMove
	if prog == "cp" {
		kind = EditCopy
	}
	return []FileEdit{{Kind: kind, Path: from, To: to}}
}

// shellReads returns the file that a command prints if it does nothing else.
func shellReads(cmd string) []FileEdit {
	var only []simpleCommand
	for c := range shellCommands(cmd, "") {
		if prog, _ := c.program(); prog != "cd" {
			only = append(only, c)
		}
	}
	if len(only) == 0 || len(only) > 2 {
		return nil
	}
	c := only[0]
	prog, args := c.program()
	if c.writes() != "" || len(only) == 2 && prog != "nl" { // nl numbers the lines
		return nil
	}
	switch {
	case prog == "cat" && len(args) == 1, prog == "nl" && len(args) == 2 && args[0] == "-ba":
		if file := c.path(args[len(args)-1]); file != "" {
			return []FileEdit{{Kind: EditRead, Path: file, Part: len(only) > 1}}
		}
	case prog == "sed" && len(args) == 3 && args[0] == "-n":
		first, last, ok := strings.Cut(strings.TrimSuffix(args[1], "p"), ",")
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if file := c.path(args[2]); ok && err1 == nil && err2 == nil && file != "" && from > 0 {
			return []FileEdit{{Kind: EditRead, Path: file, First: from, Last: to}}
		}
	}
	return nil
}

// ReportsCreated reports whether a result states that the call created the file.
func ReportsCreated(text string) bool {
	low := strings.ToLower(text[:min(len(text), 200)])
	return strings.Contains(low, "created") || strings.Contains(low, "new file")
}

// Int returns the integer of the first of the names with one, or 0.
func (a *CallArgs) Int(names ...string) int {
	n, _ := a.number(names...)
	return n
}
