package changes

import (
	"context"
	"errors"
	"path"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/human"
	"turns/query/patch"
)

// Trail has the lines that one session wrote to files, for blame.
type Trail struct {
	Path    string // of the transcript
	Session string // id as recorded, "" if unknown
	Agent   string
	Started int64 // Unix ms, 0 if unknown
	Files   []TrailFile
}

// TrailFile is the part of a trail about one file.
type TrailFile struct {
	Path string // resolved
	Rel  string // relative to the folder of the session
	// Final is the file after the last version with known content, and Origins the author of each
	// of its lines: an index into Authors, -1 for lines that the session did not write.
	Final   []string
	Origins []int32
	Authors []Author
	// Written are the lines that the versions added, in order, and WrittenBy their authors.
	Written   []string
	WrittenBy []int32
}

// Author is a call that wrote lines.
type Author struct {
	Index  int // position of its message
	Turn   int
	Time   int64 // Unix ms, 0 if unknown
	Model  string
	Prompt string // first line of the prompt of the turn
	Agent  string // subagent, "" for the session itself
	// Weak authors overwrote a file whose previous content is unknown, or edited a file whose
	// other lines are unknown. They may not have written all of these lines.
	Weak bool
}

// Trail returns the lines that the session wrote into the files that match accepts; nil accepts
// all. name is the path of its transcript.
func (h *History) Trail(ctx context.Context, name string, match FileMatch) (*Trail, error) {
	t := &Trail{Path: name}
	if s := h.Snap.Sessions(); len(s) > 0 {
		t.Session, t.Agent = s[0].Field("session"), s[0].Field("agent")
	}
	if src := h.Snap.Sources(); t.Agent == "" && len(src) > 0 {
		t.Agent = src[0].Title
	}
	coverage := query.NewCoverage(query.Everything(h.Snap))
	t.Started, _ = coverage.Span()
	prompts := map[int]string{}
	for _, f := range h.Files {
		if match != nil && !f.matches(h, match) {
			continue
		}
		b := trailBuilder{h: h, f: f, prompts: prompts}
		if err := b.walk(ctx); err != nil {
			return nil, err
		}
		if len(b.file.Authors) > 0 {
			b.file.Path, b.file.Rel = f.key, f.Path
			t.Files = append(t.Files, b.file)
		}
	}
	return t, nil
}

// matches reports whether the file had an accepted path at some time.
func (f *File) matches(h *History, match FileMatch) bool {
	seen := ""
	for i := range f.Versions {
		if p := f.Versions[i].Path; p != seen {
			if seen = p; match(p, h.Shown(f, p)) {
				return true
			}
		}
	}
	return false
}

// trailBuilder follows the lines of a file through its versions.
type trailBuilder struct {
	h       *History
	f       *File
	prompts map[int]string
	file    TrailFile

	lines   []string
	origins []int32
	known   bool
}

func (b *trailBuilder) walk(ctx context.Context) error {
	for i := range b.f.Versions {
		v := &b.f.Versions[i]
		text, absent, err := b.h.Content(ctx, b.f, i)
		switch {
		case errors.Is(err, ErrUnknown):
			if err := b.hunks(ctx, v); err != nil {
				return err
			}
			continue
		case err != nil:
			return err
		case absent:
			b.lines, b.origins, b.known = nil, nil, true
			continue
		}
		author := int32(-1)
		if v.Op != Start && v.Op != Outside && v.Op != Rename && !v.Inherited && len(text) > 0 {
			if author, err = b.author(ctx, v, !b.known || v.Op == Touch || v.Op == Copy); err != nil {
				return err
			}
		}
		b.step(strings.Split(strings.TrimSuffix(text, "\n"), "\n"), author)
		b.file.Final, b.file.Origins = b.lines, b.origins
	}
	return nil
}

// step processes the next known content: the lines in common with the previous one keep their
// origin.
func (b *trailBuilder) step(lines []string, author int32) {
	origins := make([]int32, len(lines))
	for i := range origins {
		origins[i] = author
	}
	switch {
	case b.known:
		for _, p := range patch.LinePairs(b.lines, lines) {
			origins[p.B] = b.origins[p.A]
		}
	case author < 0: // found after edits with known lines
		written := make(map[string]int32, len(b.file.Written))
		for i, line := range b.file.Written {
			written[line] = b.file.WrittenBy[i]
		}
		for i, line := range lines {
			if by, ok := written[line]; ok && distinctive(line) {
				origins[i] = by
			}
		}
	}
	for i, line := range lines {
		if author >= 0 && origins[i] == author {
			b.wrote(line, author)
		}
	}
	b.lines, b.origins, b.known = lines, origins, true
}

// writtenMax is the maximum number of lines stored for one file.
const writtenMax = 1 << 18

func (b *trailBuilder) wrote(line string, author int32) {
	if len(b.file.Written) < writtenMax {
		b.file.Written, b.file.WrittenBy = append(b.file.Written, line), append(b.file.WrittenBy, author)
	}
}

// hunks stores the lines of an edit of an unknown file.
func (b *trailBuilder) hunks(ctx context.Context, v *Version) error {
	b.lines, b.origins, b.known = nil, nil, false
	if v.Op == Start || v.Op == Outside || v.Op == Touch || v.Inherited {
		return nil
	}
	acts, err := b.h.acts(ctx, v.Call)
	if err != nil {
		return err
	}
	author := int32(-1)
	for i := range acts {
		a := &acts[i]
		if a.path != v.Path {
			continue
		}
		for _, hunk := range a.changed() {
			for _, line := range hunk.Lines {
				if line[0] != '+' {
					continue
				}
				if author < 0 {
					if author, err = b.author(ctx, v, true); err != nil {
						return err
					}
				}
				b.wrote(line[1:], author)
			}
		}
	}
	return nil
}

// author adds the call of a version.
func (b *trailBuilder) author(ctx context.Context, v *Version, weak bool) (int32, error) {
	s := b.h.Snap
	a := Author{Index: v.Pos, Turn: b.h.Turns.Turn(v.Message), Weak: weak}
	head := s.HeadRow(v.Message)
	a.Time = head.Time
	if head.Role == model.Assistant {
		a.Model = s.Name(head.Name)
	}
	if t := &s.Threads()[head.Thread]; !t.Main {
		a.Agent = t.Name
	}
	prompt, ok := b.prompts[a.Turn]
	if !ok {
		var err error
		if prompt, err = b.h.prompt(ctx, a.Turn); err != nil {
			return -1, err
		}
		b.prompts[a.Turn] = prompt
	}
	a.Prompt = prompt
	b.file.Authors = append(b.file.Authors, a)
	return int32(len(b.file.Authors) - 1), nil
}

// promptReach is the number of messages of a turn that are searched for its prompt.
const promptReach = 16

// prompt returns the first line that a person wrote at the beginning of a turn, "" if there is
// none.
func (h *History) prompt(ctx context.Context, turn int) (string, error) {
	first := h.Turns.First(turn)
	if first == model.NoID || h.Snap.Pos(first) < 0 {
		return "", nil
	}
	from := h.Snap.Pos(first)
	for pos := from; pos < min(from+promptReach, h.Snap.Len()); pos++ {
		id := h.Snap.At(pos)
		if head := h.Snap.HeadRow(id); head.Role != model.User || head.Flags&(model.Injected|model.Interrupted) != 0 || h.Turns.Turn(id) != turn {
			continue
		}
		m, err := h.Snap.Body(ctx, id)
		if err != nil {
			return "", err
		}
		text, _ := m.Content()
		line, _ := describe.FirstLine(human.Peek(text, 400))
		return line, nil
	}
	return "", nil
}

// distinctive reports whether a line has enough letters to be recognised elsewhere.
func distinctive(line string) bool {
	letters := 0
	for i := 0; i < len(line); i++ {
		if c := line[i]; c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 {
			letters++
		}
	}
	return letters >= 10
}

// FileMatch reports whether a file of a session may be the wanted file on disk, by its resolved
// path and its path within the folder of the session.
type FileMatch func(resolved, relative string) bool

// Searched is how the sessions to search for a file were chosen.
type Searched uint8

// The ways to choose sessions: all of this machine, those below a folder, or by name.
const (
	Everywhere Searched = iota
	InFolder
	ByName
)

// MatchFile returns a match for target. It accepts the same resolved path, and any path within
// the folder of a session that target ends with. For a session chosen by name it accepts every
// file with the same base name; for sessions found in a folder, only if they do not record
// their own folder.
func MatchFile(target string, in Searched) FileMatch {
	target = describe.Describer{}.FileOf(strings.ReplaceAll(target, `\`, "/"))
	return func(resolved, relative string) bool {
		if resolved == target {
			return true
		}
		if (in == ByName || in == InFolder && path.IsAbs(relative)) && path.Base(resolved) == path.Base(target) {
			return true
		}
		outside := path.IsAbs(relative) || strings.HasPrefix(relative, "~") || strings.HasPrefix(relative, "..")
		return !outside && strings.HasSuffix(target, "/"+relative)
	}
}
