package model

// FileKind is the meaning of a [FileText].
type FileKind uint8

// The kinds of file texts.
const (
	FileBefore FileKind = iota // the complete file before a call; a null text: there was none
	FileAfter                  // the complete file after a call
	FileSeen                   // lines that a call read
	FilePatch                  // the hunks that a call applied, as a JSON list or a unified diff
	FileObject                 // a JSON object of the agent with contents or a diff of a file
)

var fileKindNames = [...]string{"before", "after", "seen", "patch", "object"}

// String returns the kind's name in dumps of facts.
func (k FileKind) String() string { return NameOf(fileKindNames[:], k, "file") }

// FileText is the content of a file, or of a part of it, recorded separately from the arguments and
// the result of the call. It is not in the index; reading the body of a message returns it.
type FileText struct {
	Kind FileKind
	Call Text // id of the call
	Path Text // absent: the file that the call names
	Text Text
	// First is the number of the first line of a FileSeen, from 1, and Total the number of lines of
	// the complete file; 0 if unknown.
	First, Total int32
}

// KeepFile adds the content of a file. It ignores an absent text.
func (f *Fact) KeepFile(t FileText) {
	if !t.Text.Absent() {
		f.Files = append(f.Files, t)
	}
}
