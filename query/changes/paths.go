package changes

import (
	"path"
	"strings"
)

// cleanPath is a path without dots. One that leads out of the root stays in it.
func cleanPath(p string) string { return path.Clean(p) }

// within reports whether a file is inside of a folder, or fits a pattern.
func within(file, pattern string) bool {
	if strings.ContainsAny(pattern, "*?[") {
		if ok, err := path.Match(pattern, file); ok && err == nil {
			return true
		}
		if before, _, ok := strings.Cut(pattern, "**"); ok {
			return strings.HasPrefix(file, before)
		}
		return false
	}
	pattern = strings.TrimRight(pattern, "/")
	return file == pattern || strings.HasPrefix(file, pattern+"/")
}

// windowsFolder is a folder as resolved paths have it.
func windowsFolder(p string) string {
	if isWindows(p) {
		return slashed(p)
	}
	return p
}
