package describe

import (
	"slices"
	"strings"

	"turns/model"
	"turns/query/human"
	"turns/query/patch"
)

// edits returns a write, an edit or a patch as a diff for each file; nil for other arguments. used
// lists the names of the arguments that the diffs show.
func (a *CallArgs) edits(most int) (shown []Shown, used []string) {
	full := func(names []string) (string, bool) {
		raw := a.Raw(names...)
		return RawText(raw, most), strings.HasPrefix(raw, `"`)
	}
	path, _ := full(argsPath)
	for _, names := range [][]string{argsPatch, {"command"}} {
		if text, ok := full(names); ok && isPatch(text) {
			return patchDiffs(text, path), append(a.names(names), inPatch(text, path, a.names(argsPath))...)
		} else if diff := blocksDiff(text); ok && diff != "" {
			return []Shown{{Kind: ShownDiff, Head: path, Text: diff}}, append(a.names(names), a.names(argsPath)...)
		}
	}
	list := []string{"edits", "replacements", "ReplacementChunks"}
	if items := ListItems(a.Raw(list...), fieldsLook); len(items) > 0 {
		var b strings.Builder
		for i, item := range items {
			inner := objectArgs(item)
			if !inner.replaces() {
				return nil, nil
			}
			b.WriteString("@@ edit " + human.Count(i+1) + " @@\n" + inner.replacement(most))
		}
		return []Shown{{Kind: ShownDiff, Head: path, Text: b.String()}}, append(a.names(list), a.names(argsPath)...)
	}
	if a.replaces() {
		return []Shown{{Kind: ShownDiff, Head: path, Text: a.replacement(most)}}, append(append(a.names(argsOld), a.names(argsNew)...), a.names(argsPath)...)
	}
	for _, names := range [][]string{argsContent, argsNew, {"code_edit"}} {
		if text, ok := full(names); ok && (path != "" || text != "") {
			return []Shown{{Kind: ShownDiff, Head: path, Text: signed("+", splitLines(text))}}, append(a.names(names), a.names(argsPath)...)
		}
	}
	return nil, nil
}

// blocksDiff returns a patch of SEARCH and REPLACE blocks as a diff, "" for any other text.
func blocksDiff(text string) string {
	var b strings.Builder
	for i, block := range patch.Blocks(text) {
		b.WriteString("@@ edit " + human.Count(i+1) + " @@\n" + LineDiff(block.Old, block.New))
	}
	return b.String()
}

// inPatch returns the name of the path argument if the patch or its heading shows the path.
func inPatch(text, path string, name []string) []string {
	if strings.Contains(text, path) || strings.HasPrefix(text, "@@") || strings.HasPrefix(text, "---") {
		return name
	}
	return nil
}

func (a *CallArgs) replaces() bool {
	return strings.HasPrefix(a.Raw(argsOld...), `"`) && strings.HasPrefix(a.Raw(argsNew...), `"`)
}

func (a *CallArgs) replacement(most int) string {
	return LineDiff(RawText(a.Raw(argsOld...), most), RawText(a.Raw(argsNew...), most))
}

func isPatch(s string) bool {
	return strings.Contains(s, "*** Begin Patch") || strings.Contains(s, "*** Update File: ") ||
		strings.Contains(s, "\n@@ ") || strings.HasPrefix(s, "@@ ") || strings.HasPrefix(s, "diff --git ")
}

// patchHeads begin the part of a patch for one file.
var patchHeads = [...]struct{ mark, word string }{
	{"*** Update File: ", ""}, {"*** Add File: ", "new "}, {"*** Delete File: ", "deleted "}, {"diff --git ", ""},
}

// patchDiffs splits a patch into a diff for each file. The text around it, such as the shell
// command that applies it, comes first.
func patchDiffs(patch, path string) []Shown {
	var shown []Shown
	var text strings.Builder
	head, kind := path, ShownDiff
	if !strings.HasPrefix(patch, "@@") && !strings.HasPrefix(patch, "---") {
		kind = ShownText
	}
	flush := func() {
		if text.Len() > 0 || kind == ShownDiff && head != path {
			shown = append(shown, Shown{Kind: kind, Head: head, Text: text.String()})
		}
		text.Reset()
	}
	lines := slices.Collect(strings.Lines(patch))
	for i, line := range lines {
		plain := strings.TrimRight(line, "\r\n")
		if i+2 < len(lines) && isUnifiedHead(lines[i:]) {
			word, name := unifiedHead(plain, strings.TrimRight(lines[i+1], "\r\n"))
			if !strings.HasSuffix(head, name) || kind != ShownDiff || strings.Contains(text.String(), "@@ ") {
				flush()
				kind, head = ShownDiff, word+name
			} else if head == name {
				head = word + name
			}
		}
		if plain == "*** Begin Patch" || plain == "*** End Patch" || plain == "*** End of File" {
			continue
		}
		for _, h := range patchHeads {
			if name, ok := strings.CutPrefix(plain, h.mark); ok {
				flush()
				kind, head, line = ShownDiff, h.word+strings.TrimSpace(name), ""
				if _, b, ok := strings.Cut(name, " b/"); ok && h.mark == "diff --git " {
					head = b
				}
			}
		}
		text.WriteString(line)
	}
	flush()
	return shown
}

// isUnifiedHead reports whether lines begin a file of a unified diff. A removed line that begins
// with two signs looks like the first of them.
func isUnifiedHead(lines []string) bool {
	return strings.HasPrefix(lines[0], "--- ") && strings.HasPrefix(lines[1], "+++ ") && strings.HasPrefix(lines[2], "@@")
}

// unifiedHead returns the file in the first two lines of a unified diff, and "new " or "deleted ".
func unifiedHead(before, after string) (word, name string) {
	nameOf := func(line, side string) string {
		line, _, _ = strings.Cut(line[len("--- "):], "\t")
		return strings.TrimPrefix(strings.TrimSpace(line), side)
	}
	a, b := nameOf(before, "a/"), nameOf(after, "b/")
	switch {
	case b == "/dev/null":
		return "deleted ", a
	case a == "/dev/null":
		return "new ", b
	}
	return "", b
}

// diffLimit is the maximum number of lines per side for a line-by-line comparison.
const diffLimit = 400

// LineDiff compares two texts line by line; each line begins with its sign.
func LineDiff(before, after string) string {
	a, b := splitLines(before), splitLines(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	const around = 3
	skipped := func(n int) string {
		if n <= 0 {
			return ""
		}
		return " ⋯ " + human.Plural(n, "line") + " as before\n"
	}
	rest := a[len(a)-tail:]
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	out := skipped(head-around) + signed(" ", a[max(head-around, 0):head])
	if len(x) > diffLimit || len(y) > diffLimit {
		out += signed("-", x) + signed("+", y)
	} else {
		out += compared(x, y)
	}
	return out + signed(" ", rest[:min(len(rest), around)]) + skipped(len(rest)-around)
}

func signed(sign string, lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(sign + line + "\n")
	}
	return b.String()
}

// compared returns the shortest diff from a to b, by their longest common subsequence.
func compared(a, b []string) string {
	var out strings.Builder
	i, j := 0, 0
	for _, p := range patch.LinePairs(a, b) {
		out.WriteString(signed("-", a[i:p.A]) + signed("+", b[j:p.B]) + " " + a[p.A] + "\n")
		i, j = int(p.A)+1, int(p.B)+1
	}
	return out.String() + signed("-", a[i:]) + signed("+", b[j:])
}

// numbered adds line numbers to the diff of an edit. They come from the applied patch in the answer
// to its call, if that patch has all changes of the edit.
func numbered(shown []Shown, answer *model.Message) []Shown {
	if answer == nil {
		return shown
	}
	at := -1
	for i := range shown {
		if shown[i].Kind == ShownDiff {
			if at >= 0 {
				return shown // unclear to which diff the numbers belong
			}
			at = i
		}
	}
	if at < 0 || strings.Contains(shown[at].Text, "@@ -") {
		return shown
	}
	patch := recordedPatch(answer)
	if patch == "" || !holdsChanges(patch, shown[at].Text) {
		return shown
	}
	shown[at].Text = patch
	return shown
}

// recordedPatch returns the patch that an agent recorded with a result, "" if there is none.
func recordedPatch(answer *model.Message) string {
	var b strings.Builder
	for _, kv := range answer.Extra {
		if kv.Name != "structuredPatch" {
			continue
		}
		for _, item := range ListItems(kv.Value, fieldsLook) {
			hunk := objectArgs(item)
			old, ok := hunk.number("oldStart")
			new, ok2 := hunk.number("newStart")
			if !ok || !ok2 {
				return ""
			}
			oldLines, _ := hunk.number("oldLines")
			newLines, _ := hunk.number("newLines")
			b.WriteString("@@ -" + plain(old) + "," + plain(oldLines) + " +" + plain(new) + "," + plain(newLines) + " @@\n")
			for _, line := range ListItems(hunk.Raw("lines"), patchMax) {
				b.WriteString(RawText(line, len(line)) + "\n")
			}
		}
	}
	return b.String()
}

// holdsChanges reports whether a patch contains every line that a diff adds or removes.
func holdsChanges(patch, diff string) bool {
	in := map[string]int{}
	for line := range strings.SplitSeq(patch, "\n") {
		in[line]++
	}
	changes := false
	for line := range strings.SplitSeq(diff, "\n") {
		if line == "" || line[0] != '+' && line[0] != '-' {
			continue
		}
		changes = true
		if in[line]--; in[line] < 0 {
			return false
		}
	}
	return changes
}
