package describe

import (
	"slices"

	"turns/model"
)

// Does returns the effects of a call, independent of the agent's name for the tool: the values of
// does: in a filter. A command that writes a file has two. For an unknown tool, the arguments
// decide; nil if they do not show an effect.
func Does(call *model.Content) []string {
	f, word, _ := FamilyOf(call.Name)
	if f == FamilyMCP { // a tool of an MCP server
		f = families[foldName(word)]
	}
	if f == NoFamily || f == FamilyOther {
		a := ParseArgs(call)
		f = familyByShape(&a)
	}
	edits := func() bool {
		return slices.ContainsFunc(Touched(call), func(t Touch) bool { return t.Edit })
	}
	switch f {
	case FamilyOther:
		return nil
	case FamilyShell:
		if edits() {
			return []string{"shell", "edit"}
		}
	case FamilyWrite:
		if touched := Touched(call); len(touched) > 0 && !edits() { // an editor that shows a file
			return []string{"read"}
		}
		return []string{"edit"}
	}
	return []string{f.String()}
}
