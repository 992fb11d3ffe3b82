package load

import "strings"

// calledCommand is the command as it was typed, of a line that says in elements
// that one was called: <command-name>/review</command-name>; "" for any other line.
func calledCommand(line string) string {
	if !strings.HasPrefix(line, "<command-") {
		return ""
	}
	name, args := element(line, "command-name"), element(line, "command-args")
	if name == "" {
		return ""
	}
	return strings.TrimSpace("/" + strings.TrimPrefix(name, "/") + " " + args)
}

// element is what the first element of a name holds.
func element(line, name string) string {
	_, inside, _ := strings.Cut(line, "<"+name+">")
	inside, _, closed := strings.Cut(inside, "</"+name+">")
	if !closed {
		return ""
	}
	return strings.TrimSpace(inside)
}
