package changes

import (
	"path"
	"strings"
)

// cleanPath returns a path without dots. A path that leads out of the root stays in it.
func cleanPath(p string) string { return path.Clean(p) }

// within reports whether a file is inside a folder, or matches a pattern.
func within(file, pattern string) bool {
	if strings.ContainsAny(pattern, "*?[") {
		if ok, _ := path.Match(pattern, file); ok {
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

// windowsFolder returns a folder in the form of resolved paths.
func windowsFolder(p string) string {
	if isWindows(p) {
		return slashed(p)
	}
	return p
}
