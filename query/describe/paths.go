package describe

import (
	"path"
	"strings"

	"turns/model"
)

// NewDescriber takes the folder from the recorded fields of a session, and the home directory from
// the beginning of that folder.
func NewDescriber(s *model.Session) Describer {
	d := Describer{Cwd: s.Field("cwd")}
	drive, folder := "", d.Cwd
	if isWindows(folder) {
		folder = slashed(folder)
		drive, folder = folder[:2], folder[2:]
	}
	parts := strings.SplitN(folder, "/", 4)
	switch {
	case len(parts) >= 3 && parts[0] == "" && (parts[1] == "home" || parts[1] == "Users") && parts[2] != "":
		d.Home = drive + "/" + parts[1] + "/" + parts[2]
	case d.Cwd == "/root" || strings.HasPrefix(d.Cwd, "/root/"):
		d.Home = "/root"
	}
	return d
}

// FileOf returns the path that identifies a file, whatever path a call names: absolute if the
// folder of the session is known, with / as the separator and without dots. It does not access the
// file system. The path of a file is "" if p is.
func (d Describer) FileOf(p string) string {
	p = strings.TrimPrefix(strings.TrimSpace(p), "file://")
	if p == "" {
		return ""
	}
	cwd := d.Cwd
	if isWindows(p) || isWindows(cwd) && !strings.HasPrefix(p, "/") {
		p, cwd = slashed(p), slashed(cwd)
	}
	switch {
	case p == "~" || strings.HasPrefix(p, "~/"):
		if d.Home != "" {
			p = d.Home + p[1:]
		}
	case !strings.HasPrefix(p, "/") && !isWindows(p) && cwd != "":
		p = strings.TrimRight(cwd, "/") + "/" + p
	}
	return path.Clean(p)
}

// FileShown returns [Describer.FileOf] for people: relative to the session's folder, with ~ for the
// home directory.
func (d Describer) FileShown(p string) string {
	p = d.FileOf(p)
	if isWindows(d.Cwd) {
		d.Cwd = slashed(d.Cwd)
	}
	return d.PathOf(p)
}

// isWindows reports whether a path begins with the letter of a drive.
func isWindows(p string) bool {
	return len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/') && (p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z')
}

// slashed returns a Windows path with / and a lower-case drive letter.
func slashed(p string) string {
	p = strings.ReplaceAll(p, `\`, "/")
	if isWindows(p) {
		p = strings.ToLower(p[:1]) + p[1:]
	}
	return p
}

// PathOf returns a path for people: relative to the session's folder, with ~ for the home
// directory.
func (d Describer) PathOf(p string) string {
	p = strings.TrimPrefix(p, "file://")
	if rest, ok := cutFolder(p, d.Cwd); ok {
		return rest
	}
	if p == d.Cwd && p != "" {
		return "."
	}
	if rest, ok := cutFolder(p, d.Home); ok {
		return "~/" + rest
	}
	return p
}

// cutFolder returns a path relative to a folder. It accepts Windows paths.
func cutFolder(p, folder string) (string, bool) {
	folder = strings.TrimRight(folder, `/\`)
	if len(p) > len(folder)+1 && folder != "" && strings.HasPrefix(p, folder) && (p[len(folder)] == '/' || p[len(folder)] == '\\') {
		return p[len(folder)+1:], true
	}
	return "", false
}

// Paths shortens the paths in a command.
func (d Describer) Paths(s string) string {
	if d.Cwd != "" && d.Cwd != "/" {
		s = replaceFolder(s, strings.TrimRight(d.Cwd, "/")+"/", "")
	}
	if d.Home != "" {
		s = replaceFolder(s, d.Home+"/", "~/")
	}
	return s
}

// replaceFolder replaces a folder at the beginning of paths.
func replaceFolder(s, folder, with string) string {
	for from := 0; ; {
		i := strings.Index(s[from:], folder)
		if i < 0 {
			return s
		}
		i += from
		if i > 0 && !strings.ContainsRune(" \t\n'\"=(:,<>`[", rune(s[i-1])) {
			from = i + len(folder)
			continue
		}
		s = s[:i] + with + s[i+len(folder):]
		from = i + len(with)
	}
}
