package changes

import (
	"path"
	"strings"
)

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
