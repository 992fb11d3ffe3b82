package patch

import (
	"strconv"
	"strings"
)

// Op is the effect of a patch on a file.
type Op uint8

// The operations.
const (
	Update Op = iota
	Add
	Delete
)

// File is the part of a patch about one file.
type File struct {
	Op    Op
	Path  string
	To    string // new path of a moved file, "" for none
	Hunks []Hunk
}

// Hunk is a place of a file that a patch changes.
type Hunk struct {
	// Old and New are the numbers of the first lines before and after, from 1; 0 if unknown.
	Old, New int
	Anchor   string // a line above the hunk, in the notation of apply_patch; "" for none
	// Lines are the lines of the hunk, each with its sign: ' ', '-' or '+'.
	Lines []string
	// OldOpen and NewOpen report that the last line before or after has no newline.
	OldOpen, NewOpen bool
	End              bool // the hunk ends with the file
}

// Counts returns how many lines the hunks add and remove.
func Counts(hunks []Hunk) (added, removed int) {
	for i := range hunks {
		for _, line := range hunks[i].Lines {
			switch line[0] {
			case '+':
				added++
			case '-':
				removed++
			}
		}
	}
	return added, removed
}

// Sides returns the lines of the hunk before and after.
func (h *Hunk) Sides() (before, after []string) {
	for _, line := range h.Lines {
		if line[0] != '+' {
			before = append(before, line[1:])
		}
		if line[0] != '-' {
			after = append(after, line[1:])
		}
	}
	return before, after
}

// Parse parses a patch in the notation of apply_patch or a unified diff. path names the file of
// hunks without a header. It skips lines outside of a patch.
func Parse(text, path string) []File {
	p := parser{path: path}
	lines := strings.Split(text, "\n")
	if n := len(lines); n > 0 && lines[n-1] == "" {
		lines = lines[:n-1]
	}
	for i := 0; i < len(lines); i++ {
		if p.head(lines, &i) {
			continue
		}
		p.line(lines[i])
	}
	p.endHunk()
	return p.files
}

type parser struct {
	path     string
	files    []File
	hunk     *Hunk
	old, new int  // remaining lines according to the numbers of the hunk
	counted  bool // the hunk has numbers
	envelope bool // in the notation of apply_patch
}

// head reads a line, or several, that begin a file.
func (p *parser) head(lines []string, i *int) bool {
	line := strings.TrimSuffix(lines[*i], "\r")
	if p.counted && p.old+p.new > 0 { // a removed line may look like a head
		return false
	}
	for _, h := range [...]struct {
		mark string
		op   Op
	}{{"*** Update File: ", Update}, {"*** Add File: ", Add}, {"*** Delete File: ", Delete}} {
		if name, ok := strings.CutPrefix(line, h.mark); ok {
			p.begin(File{Op: h.op, Path: strings.TrimSpace(name)})
			p.envelope = true
			return true
		}
	}
	switch {
	case line == "*** Begin Patch" || line == "*** End Patch":
		p.endHunk()
		return true
	case line == "*** End of File":
		if p.hunk != nil {
			p.hunk.End = true
		}
		return true
	case strings.HasPrefix(line, "*** Move to: "):
		if f := p.file(); f != nil {
			f.To = strings.TrimSpace(line[len("*** Move to: "):])
		}
		return true
	case strings.HasPrefix(line, "diff --git "):
		p.begin(File{Path: gitName(line)})
		p.envelope = false
		return true
	}
	if f := p.file(); f != nil && p.hunk == nil && f.change(line) {
		return true
	}
	if *i+1 < len(lines) && strings.HasPrefix(line, "--- ") && strings.HasPrefix(lines[*i+1], "+++ ") && !p.envelope {
		p.unified(line, strings.TrimSuffix(lines[*i+1], "\r"))
		*i++
		return true
	}
	return false
}

// change reads a line of git before the hunks that tells what happens to the file.
func (f *File) change(line string) bool {
	if to, ok := strings.CutPrefix(line, "rename to "); ok {
		f.To = to
	} else if from, ok := strings.CutPrefix(line, "rename from "); ok {
		f.Path = from
	} else if strings.HasPrefix(line, "deleted file mode ") {
		f.Op = Delete
	} else {
		return false
	}
	return true
}

// unified reads the two lines that name the sides of a unified diff.
func (p *parser) unified(before, after string) {
	a, b := sideName(before[len("--- "):], "a/"), sideName(after[len("+++ "):], "b/")
	f := p.file()
	if f == nil || len(f.Hunks) > 0 || p.hunk != nil {
		p.begin(File{Path: b})
		f = p.file()
	}
	switch {
	case b == "/dev/null":
		f.Op, f.Path = Delete, a
	case a == "/dev/null":
		f.Op, f.Path = Add, b
	case f.To == "":
		f.Path = b
	}
	if p.path != "" {
		f.Path = p.path
	}
}

// sideName returns the file in a line of a unified diff.
func sideName(name, side string) string {
	name, _, _ = strings.Cut(name, "\t")
	return strings.TrimPrefix(strings.TrimSpace(name), side)
}

// gitName returns the second file of "diff --git a/x b/x".
func gitName(line string) string {
	if _, b, ok := strings.Cut(line, " b/"); ok {
		return b
	}
	return ""
}

func (p *parser) begin(f File) {
	p.endHunk()
	p.files = append(p.files, f)
}

func (p *parser) file() *File {
	if len(p.files) == 0 {
		return nil
	}
	return &p.files[len(p.files)-1]
}

func (p *parser) endHunk() {
	if p.hunk == nil {
		return
	}
	if f := p.file(); f != nil && len(p.hunk.Lines) > 0 {
		f.Hunks = append(f.Hunks, *p.hunk)
	}
	p.hunk, p.counted, p.old, p.new = nil, false, 0, 0
}

// line reads a line that does not begin a file.
func (p *parser) line(line string) {
	f := p.file()
	if strings.HasPrefix(line, "@@") && !(p.counted && p.old+p.new > 0) {
		if f == nil {
			p.begin(File{Path: p.path})
		}
		p.beginHunk(line)
		return
	}
	if strings.HasPrefix(line, `\ No newline`) && p.hunk != nil && len(p.hunk.Lines) > 0 {
		sign := p.hunk.Lines[len(p.hunk.Lines)-1][0]
		p.hunk.OldOpen = p.hunk.OldOpen || sign != '+'
		p.hunk.NewOpen = p.hunk.NewOpen || sign != '-'
		return
	}
	if f == nil {
		return
	}
	if p.hunk == nil {
		if !p.envelope || line == "" || strings.IndexByte(" +-", line[0]) < 0 {
			return
		}
		p.hunk = &Hunk{} // apply_patch may leave out the first @@
	}
	if p.counted && p.old+p.new <= 0 {
		p.endHunk()
		return
	}
	if line == "" {
		line = " " // editors remove the blank of an empty line
	}
	switch line[0] {
	case ' ':
		p.old, p.new = p.old-1, p.new-1
	case '-':
		p.old--
	case '+':
		p.new--
	default:
		if p.counted || !p.envelope {
			p.endHunk()
			return
		}
		line = " " + line
	}
	p.hunk.Lines = append(p.hunk.Lines, line)
}

// beginHunk reads "@@ -1,2 +1,3 @@", "@@" or "@@ a line above".
func (p *parser) beginHunk(line string) {
	p.endHunk()
	p.hunk = &Hunk{}
	rest := strings.TrimSpace(strings.TrimPrefix(line, "@@"))
	before, after, ok := strings.Cut(rest, " ")
	if ok && strings.HasPrefix(before, "-") && strings.HasPrefix(after, "+") {
		after, _, _ = strings.Cut(after, " ")
		old, oldLines, ok1 := hunkRange(before[1:])
		new, newLines, ok2 := hunkRange(after[1:])
		if ok1 && ok2 {
			p.hunk.Old, p.hunk.New = max(old, 1), max(new, 1)
			if oldLines == 0 {
				p.hunk.Old = old + 1 // an insertion is counted from the line above
			}
			p.counted, p.old, p.new = true, oldLines, newLines
			return
		}
	}
	p.hunk.Anchor = strings.TrimSpace(strings.TrimSuffix(rest, "@@"))
}

// hunkRange reads "1,2" or "1".
func hunkRange(s string) (first, lines int, ok bool) {
	a, b, found := strings.Cut(s, ",")
	first, err := strconv.Atoi(a)
	if err != nil || first < 0 {
		return 0, 0, false
	}
	if !found {
		return first, 1, true
	}
	lines, err = strconv.Atoi(b)
	return first, lines, err == nil && lines >= 0
}

// Block is a text and its replacement.
type Block struct{ Old, New string }

// Blocks reads the notation of SEARCH and REPLACE blocks. It skips a block without an end.
func Blocks(text string) []Block {
	var blocks []Block
	var old, new strings.Builder
	state := 0 // 0 outside, 1 search, 2 replace
	for line := range strings.Lines(text) {
		switch plain := strings.TrimRight(line, "\r\n"); {
		case state == 0 && isMark(plain, "-<", "SEARCH"):
			state = 1
			old.Reset()
			new.Reset()
		case state == 1 && plain == "=======":
			state = 2
		case state == 2 && isMark(plain, "+>", "REPLACE"):
			state = 0
			blocks = append(blocks, Block{old.String(), new.String()})
		case state == 1 && (strings.HasPrefix(plain, ":start_line:") || strings.HasPrefix(plain, ":end_line:") || plain == "-------" && old.Len() == 0):
		case state == 1:
			old.WriteString(line)
		case state == 2:
			new.WriteString(line)
		}
	}
	return blocks
}

// isMark reports whether a line is signs and a word, such as "------- SEARCH".
func isMark(line, signs, word string) bool {
	rest, ok := strings.CutSuffix(line, word)
	if rest = strings.TrimRight(strings.TrimSuffix(rest, ">"), " "); !ok || len(rest) < 5 {
		return false
	}
	for _, sign := range signs {
		if strings.Trim(rest, string(sign)) == "" {
			return true
		}
	}
	return false
}
