package describe

import (
	"path"
	"strings"

	"turns/model"
)

// Touch is what a call does with a file.
type Touch struct {
	Path           string // as it was given
	Edit           bool   // it writes, else it reads
	Added, Removed int    // lines of an edit
}

// Touched are the files that a call reads or writes by its arguments: those of tools that take a
// path, of patches, and of edits through a shell.
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
			cmd := a.command(argTextMax)
			touched = append(touched, shellReads(dropShell(strings.TrimSpace(cmd)), a.Get("workdir", "cwd", "working_directory"))...)
		}
		return touched
	}
	return nil
}

// reads are the files that a call of a reading tool names.
func (a *CallArgs) reads() []Touch {
	if p := a.Get(argsPath...); p != "" {
		return []Touch{{Path: p}}
	}
	var touched []Touch
	for _, item := range ListItems(a.Raw("paths", "files", "file_paths"), fieldsLook) {
		p := RawText(item, argTextMax)
		if strings.HasPrefix(item, "{") {
			inner := CallArgs{Fields: ObjectFields(item)}
			p = inner.Get(argsPath...)
		}
		if p != "" {
			touched = append(touched, Touch{Path: p})
		}
	}
	return touched
}

// readers are programs that print the files that they are given.
var readers = map[string]bool{"cat": true, "nl": true, "head": true, "tail": true, "bat": true, "sed": true, "less": true}

// shellReads are the files that the commands of a line print, as far as they are named plainly.
func shellReads(cmd, dir string) []Touch {
	if strings.Contains(cmd, "\n") {
		return nil
	}
	var touched []Touch
	for part := range strings.SplitSeq(strings.ReplaceAll(cmd, "&&", ";"), ";") {
		part, _, _ = strings.Cut(part, "|")
		words := strings.Fields(part)
		if len(words) == 2 && words[0] == "cd" {
			if words[1] = strings.Trim(words[1], `'"`); path.IsAbs(words[1]) {
				dir = ""
			}
			dir = path.Join(dir, words[1])
			continue
		}
		if len(words) < 2 || !readers[words[0]] {
			continue
		}
		script := words[0] == "sed"
		if script && !strings.HasPrefix(words[1], "-n") {
			continue // it may write
		}
		for _, word := range words[1:] {
			plain := strings.Trim(word, `'"`)
			switch {
			case strings.HasPrefix(word, "-") || strings.Trim(plain, "0123456789") == "":
			case script:
				script = false
			case strings.ContainsAny(plain, "$*?{}<>&`()[]!\\"):
				return touched
			default:
				if dir != "" && !path.IsAbs(plain) && plain[0] != '~' {
					plain = path.Join(dir, plain)
				}
				touched = append(touched, Touch{Path: plain})
			}
		}
	}
	return touched
}

// hereFiles takes a command apart in which here documents become files: each is a diff of its file.
// nil for any other command.
func hereFiles(cmd string) []Shown {
	var shown []Shown
	var code, body strings.Builder
	file, tag := "", ""
	for line := range strings.Lines(cmd) {
		plain := strings.TrimRight(line, "\r\n")
		if tag == "" {
			code.WriteString(line)
			if file, tag = hereFile(plain); tag != "" {
				shown = append(shown, Shown{Kind: ShownCode, Lang: "bash", Text: strings.TrimRight(code.String(), "\n")})
				code.Reset()
			}
			continue
		}
		if strings.TrimLeft(plain, "\t") == tag {
			shown = append(shown, Shown{Kind: ShownDiff, Head: file, Text: body.String()})
			body.Reset()
			tag = ""
			continue
		}
		body.WriteString("+" + plain + "\n")
	}
	if len(shown) == 0 || tag != "" {
		return nil
	}
	if rest := strings.TrimRight(code.String(), "\n"); rest != "" {
		shown = append(shown, Shown{Kind: ShownCode, Lang: "bash", Text: rest})
	}
	return shown
}

// hereFile is the file that a line writes a here document into, and the word that ends it; "" for
// any other line.
func hereFile(line string) (file, tag string) {
	before, after, ok := strings.Cut(line, "<<")
	if !ok || strings.HasPrefix(after, "<") || strings.Contains(after, "<<") {
		return "", ""
	}
	words := strings.Fields(strings.TrimPrefix(after, "-"))
	if len(words) == 0 {
		return "", ""
	}
	tag = strings.Trim(words[0], `'"\`)
	rest := append(strings.Fields(before), words[1:]...)
	for i, word := range rest {
		next := ""
		if i+1 < len(rest) {
			next = rest[i+1]
		}
		switch {
		case word == ">" || word == ">>" || word == "tee":
			file = next
		case strings.HasPrefix(word, ">"):
			file = strings.TrimLeft(word, ">")
		case word == "|", word == "|&":
			return "", "" // another program takes it
		}
	}
	file = strings.Trim(file, `'"`)
	if file == "" || tag == "" || strings.ContainsAny(file, "&$`*<>|") || strings.HasPrefix(file, "-") || strings.HasPrefix(file, "/dev/") {
		return "", ""
	}
	return file, tag
}
