package library

import (
	"fmt"
	"path/filepath"
	"strings"

	"turns/model"
	"turns/model/format"
)

// resume is the command that goes on with a session in its agent, in the folder
// that it worked in; "" where none is known. A session is not resumed, with the
// reason, where what would be pasted into a terminal is not what is seen.
func resume(s *model.Summary) (string, error) {
	f, err := format.Find(s.Format)
	if err != nil { // described by its user
		return "", nil
	}
	command := f.Resume
	byID := strings.HasSuffix(command, " ID")
	if command == "" || s.Sessions > 1 || s.Session == "" && byID {
		return "", nil
	}
	if byID && !sessionID(s.Session) {
		return "", fmt.Errorf("resuming session %q: no agent gives such an id", s.Session)
	}
	file, _ := PartOf(s.Path)
	if s.Format == "cursor" && strings.HasSuffix(file, ".vscdb") {
		// of the editor, where its agent on the command line finds nothing
		return "", nil
	}
	if strings.HasSuffix(command, " FILE") {
		word, err := model.ShellWord(absolute(s.Path))
		if err != nil {
			return "", err
		}
		command = strings.TrimSuffix(command, "FILE") + word
	} else if byID {
		command = strings.TrimSuffix(command, "ID") + s.Session
	}
	dir := s.Project
	if s.Format == "aider" {
		dir = filepath.Dir(absolute(s.Path))
	}
	if filepath.IsAbs(dir) {
		word, err := model.ShellWord(dir)
		if err != nil {
			return "", err
		}
		command = "cd " + word + " && " + command
	}
	return command, nil
}

// absolute is asked only where a command holds the path: a list has thousands of sessions, and
// each question looks for the working folder anew.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// sessionID reports whether s may be the id of a session: agents make them of
// letters, digits and few signs, none of which means anything to a shell or is
// taken for a flag.
func sessionID(s string) bool {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.:@", r)
	}
	return s != "" && len(s) <= 200 && !strings.ContainsRune("-.", rune(s[0])) && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0
}
