package changes

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"strings"

	"turns/model"
	"turns/query"
	"turns/query/describe"
	"turns/query/patch"
)

// Of collects the file changes of all calls of a snapshot. turns may be nil. It fails only if ctx
// ends.
func Of(ctx context.Context, s *model.Snapshot, turns *query.TurnIndex) (*History, error) {
	if turns == nil {
		turns = query.NewTurnIndex(s)
	}
	h := &History{Snap: s, Turns: turns, pairs: query.NewPairs(s), folders: map[*model.Session]describe.Describer{}, last: model.CallID(model.NoRow), seed: maphash.MakeSeed()}
	b := builder{History: h, files: map[string]*File{}}
	for _, id := range b.order() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		acts, err := h.acts(ctx, id)
		if err != nil {
			return nil, err
		}
		for n := range acts {
			if err := b.act(ctx, id, n, &acts[n]); err != nil {
				return nil, err
			}
			if acts, err = h.acts(ctx, id); err != nil { // another call may have been read
				return nil, err
			}
		}
	}
	b.finish()
	return h, nil
}

type builder struct {
	*History
	files map[string]*File // by resolved path
	all   []*File
}

// sum identifies a content without storing it. loose is equal for contents that differ only in the
// final newline or in the kind of newlines.
type sum struct {
	exact, loose uint64
	unsure       bool // the final newline was not visible
}

func (b *builder) sum(text string, unsure bool) sum {
	trimmed := strings.TrimSuffix(text, "\n")
	if !strings.Contains(text, "\r") { // one hash serves both
		loose := maphash.String(b.seed, trimmed)
		exact := loose
		if len(trimmed) < len(text) {
			exact = ^loose
		}
		return sum{exact, loose, unsure}
	}
	loose := strings.TrimSuffix(strings.ReplaceAll(trimmed, "\r\n", "\n"), "\r")
	return sum{maphash.String(b.seed, text), maphash.String(b.seed, loose), unsure}
}

// order returns the calls that may touch files, sorted by end: a subagent's call comes between
// those of its parent.
func (b *builder) order() []model.CallID {
	type timed struct {
		id      model.CallID
		time    int64
		arrived model.ID
	}
	s := b.Snap
	var calls []timed
	answered := false
	for i := range s.CallCount() {
		c := s.Call(model.CallID(i))
		answered = answered || c.Result != model.NoID && c.Msg != model.NoID
	}
	last := make([]int64, len(s.Threads()))
	for i := range s.CallCount() {
		id := model.CallID(i)
		c := s.Call(id)
		f, _, _ := describe.FamilyOf(s.Name(c.Tool))
		if c.Msg == model.NoID || c.Flags&model.Carries != 0 || !describe.NamesFiles(f) || answered && c.Pending() {
			continue
		}
		at := c.Msg
		if c.Result != model.NoID {
			at = c.Result
		}
		h := s.HeadRow(at)
		thread := &last[h.Thread]
		*thread = max(*thread, h.Time)
		calls = append(calls, timed{id, *thread, at})
	}
	slices.SortStableFunc(calls, func(x, y timed) int {
		if x.time != 0 && y.time != 0 && x.time != y.time && s.HeadRow(x.arrived).Thread != s.HeadRow(y.arrived).Thread {
			return cmp.Compare(x.time, y.time)
		}
		return cmp.Or(cmp.Compare(x.arrived, y.arrived), cmp.Compare(x.id, y.id))
	})
	ids := make([]model.CallID, len(calls))
	for i := range calls {
		ids[i] = calls[i].id
	}
	return ids
}

// file returns the chain of a path. It makes one if there is none.
func (b *builder) file(path string) *File {
	f, ok := b.files[path]
	if !ok {
		f = &File{key: path}
		b.files[path] = f
		b.all = append(b.all, f)
	}
	return f
}

// add adds a version made by a call.
func (b *builder) add(f *File, v Version, id model.CallID) {
	c := b.Snap.Call(id)
	v.Call, v.Message, v.Path = id, c.Place(), f.key
	v.Pos = b.place(v.Message)
	v.Inherited = b.Snap.HeadRow(v.Message).Flags&model.Inherited != 0
	f.Versions = append(f.Versions, v)
}

// place returns the position of a message. For a message in a subagent's transcript, it is the
// position of the call that started the subagent; -1 if there is none.
func (b *builder) place(id model.ID) int {
	for range 16 {
		if pos := b.Snap.Pos(id); pos >= 0 {
			return pos
		}
		call := b.Snap.Threads()[b.Snap.HeadRow(id).Thread].Call
		if call == model.CallID(model.NoRow) {
			return -1
		}
		if id = b.Snap.Call(call).Place(); id == model.NoID {
			return -1
		}
	}
	return -1
}

// act adds the effect of a call on a file.
func (b *builder) act(ctx context.Context, id model.CallID, n int, a *act) error {
	if a.path == "" || a.path == "/" || a.path == "." {
		return nil
	}
	if a.edit.Within {
		b.touchAll(id, a)
		return nil
	}
	if a.edit.Kind == describe.EditRead {
		return b.read(ctx, id, n, a)
	}
	f := b.file(a.path)
	if a.before != nil {
		b.shows(f, a.before.text, a.before.absent, false, source{kind: fromBefore, call: id, act: n}, id)
	} else if len(f.Versions) == 0 && (a.create || a.edit.Adds) {
		b.shows(f, "", true, false, source{}, id)
	}
	if len(f.Versions) == 0 {
		b.add(f, Version{Op: Start}, id)
	}
	switch a.edit.Kind {
	case describe.EditTouch:
		b.touch(f, id)
		return nil
	case describe.EditDelete:
		return b.delete(ctx, f, id)
	case describe.EditMove:
		return b.move(f, id, a)
	case describe.EditCopy:
		b.copy(f, id, a)
		return nil
	}
	return b.change(ctx, f, id, n, a)
}

// shows compares file content seen in the transcript with the chain of the file. If they differ,
// something outside the session changed the file, and the chain gets a version for that.
func (b *builder) shows(f *File, text string, absent, unsure bool, src source, id model.CallID) {
	v := Version{Op: Outside, State: Broken, Known: true, Absent: absent, src: src, sum: b.sum(text, unsure)}
	if len(f.Versions) == 0 {
		v.Op, v.State = Start, Exact
		b.add(f, v, id)
		return
	}
	last := &f.Versions[len(f.Versions)-1]
	adopt := func() { last.Known, last.Absent, last.src, last.sum = true, absent, src, v.sum }
	switch {
	case last.Known && same(last, &v):
		if last.sum.unsure && !unsure {
			adopt()
		}
	case len(f.Versions) == 1: // the session has not changed it yet
		adopt()
		last.Call, last.Message, last.Pos = id, b.Snap.Call(id).Place(), b.place(b.Snap.Call(id).Place())
	case last.Known:
		b.add(f, v, id)
	default:
		if before := &f.Versions[len(f.Versions)-2]; last.Op == Touch && before.Known && same(before, &v) {
			f.Versions = f.Versions[:len(f.Versions)-1] // it changed nothing
			return
		}
		adopt()
	}
}

// same reports whether two versions have the same content, as far as both are visible.
func same(a, b *Version) bool {
	if a.Absent || b.Absent {
		return a.Absent == b.Absent
	}
	if a.sum.unsure || b.sum.unsure {
		return a.sum.loose == b.sum.loose
	}
	return a.sum.exact == b.sum.exact
}

// read compares the output of a call with the chain.
func (b *builder) read(ctx context.Context, id model.CallID, n int, a *act) error {
	if a.seen == nil {
		return nil
	}
	f := b.file(a.path)
	if a.seen.all {
		text := a.seen.fullText()
		if !a.seen.sure && len(f.Versions) > 1 && b.contained(ctx, f, text) {
			return nil
		}
		b.shows(f, text, false, !a.seen.exact, source{kind: fromSeen, call: id, act: n}, id)
		if last := &f.Versions[len(f.Versions)-1]; last.src.kind == fromSeen {
			last.weak = !a.seen.sure
		}
		return nil
	}
	if len(f.Versions) < 2 || !f.Versions[len(f.Versions)-1].Known {
		return nil
	}
	now, absent, err := b.Content(ctx, f, len(f.Versions)-1)
	if err == ErrUnknown {
		return nil
	} else if err != nil {
		return err
	}
	if absent || !hasLines(now, a.seen) {
		b.add(f, Version{Op: Outside, State: Broken}, id)
	}
	return nil
}

// contained reports whether a text, such as output with a frame around the file, contains the file
// as in the chain.
func (b *builder) contained(ctx context.Context, f *File, text string) bool {
	now, absent, err := b.Content(ctx, f, len(f.Versions)-1)
	if err != nil || absent {
		return false
	}
	now = strings.TrimRight(now, "\n\r ")
	return now != "" && now != strings.TrimRight(text, "\n\r ") && strings.Contains(text, now)
}

// hasLines reports whether a text has the shown lines at their positions.
func hasLines(text string, s *seenText) bool {
	lines := strings.Split(text, "\n")
	for i, line := range s.lines {
		at := s.first - 1 + i
		if at >= len(lines) {
			return strings.TrimSpace(line) == "" && i == len(s.lines)-1
		}
		if strings.TrimRight(lines[at], "\r ") != strings.TrimRight(line, "\r ") && !cutLine(lines[at], line) {
			return false
		}
	}
	return true
}

// cutLine reports whether a tool may have cut a long line.
func cutLine(whole, shown string) bool {
	const long = 200
	return len(shown) > long && len(whole) > long && strings.HasPrefix(whole, shown[:long])
}

// change adds a version that a call wrote or edited.
func (b *builder) change(ctx context.Context, f *File, id model.CallID, n int, a *act) error {
	last := len(f.Versions) - 1
	v := Version{Op: opOf(a.edit.Kind), State: Hunks}
	before, absent, err := "", false, ErrUnknown
	if a.before != nil {
		before, absent, err = a.before.text, a.before.absent, nil
	} else if f.Versions[last].Known {
		if before, absent, err = b.Content(ctx, f, last); err != nil && err != ErrUnknown {
			return err
		}
	}
	known := err == nil
	text, ok := "", false
	switch {
	case a.after != nil:
		text, ok, v.src = a.after.text, true, source{kind: fromAfter, call: id, act: n}
	case a.edit.Kind == describe.EditWrite && len(a.edit.New) <= textMax:
		text, ok, v.src = a.edit.New, true, source{kind: fromWrite, call: id, act: n}
	case known || a.edit.Adds:
		text, ok = a.apply(before, absent)
		v.src = source{kind: fromApply, call: id, act: n}
		if a.before != nil {
			v.src.kind = fromEdit
		}
		v.weak = f.Versions[last].weak
		if !ok && known && a.before == nil && !v.weak { // the file differs from the chain
			v.State = Broken
		}
	}
	if !ok {
		v.src = source{}
		v.Added, v.Removed = a.counts()
		b.add(f, v, id)
		return nil
	}
	v.Known, v.sum = true, b.sum(text, false)
	if known {
		v.State = Exact
		v.Added, v.Removed = lineCounts(before, text)
	} else if v.Added, v.Removed = a.counts(); a.edit.Kind == describe.EditWrite {
		v.State = Exact // the previous content is unknown
	}
	b.add(f, v, id)
	if v.src.kind == fromApply { // read again what the transcript has
		b.kept.put(f, len(f.Versions)-1, text)
	}
	b.kept.drop(f, last)
	return nil
}

func opOf(k describe.EditKind) Op {
	switch k {
	case describe.EditWrite:
		return Write
	case describe.EditPatch:
		return Patch
	}
	return Edit
}

// counts returns the numbers of lines that an act adds and removes, as far as known.
func (a *act) counts() (added, removed int) {
	return patch.Counts(a.changed())
}

// lineCounts returns the numbers of lines that only after or only before has.
func lineCounts(before, after string) (added, removed int) {
	return patch.Lines(before, after)
}

// touch adds a version whose content is unknown until the file is shown again.
func (b *builder) touch(f *File, id model.CallID) {
	if last := &f.Versions[len(f.Versions)-1]; last.Op == Touch && !last.Known {
		return
	}
	b.add(f, Version{Op: Touch, State: Uncertain}, id)
}

// touchAll touches or deletes the files in a folder, or those that match a pattern.
func (b *builder) touchAll(id model.CallID, a *act) {
	for _, f := range b.all {
		if len(f.Versions) == 0 || !within(f.key, a.path) || f.Versions[len(f.Versions)-1].Absent {
			continue
		}
		if a.edit.Kind == describe.EditDelete {
			b.add(f, Version{Op: Delete, Known: true, Absent: true}, id)
		} else {
			b.touch(f, id)
		}
	}
}

func (b *builder) delete(ctx context.Context, f *File, id model.CallID) error {
	last := len(f.Versions) - 1
	if f.Versions[last].Absent && last > 0 {
		return nil
	}
	v := Version{Op: Delete, State: Hunks, Known: true, Absent: true}
	if f.Versions[last].Known {
		before, _, err := b.Content(ctx, f, last)
		if err == nil {
			v.State = Exact
			v.Added, v.Removed = lineCounts(before, "")
		} else if err != ErrUnknown {
			return err
		}
	}
	b.add(f, v, id)
	return nil
}

// move changes the path of a chain.
func (b *builder) move(f *File, id model.CallID, a *act) error {
	if a.to == "" || a.to == a.path {
		return nil
	}
	last := f.Versions[len(f.Versions)-1]
	delete(b.files, f.key)
	f.key = a.to
	if old := b.files[a.to]; old != nil && len(old.Versions) > 1 { // it is overwritten
		b.add(old, Version{Op: Delete, State: Hunks, Known: true, Absent: true}, id)
	}
	b.files[a.to] = f
	v := Version{Op: Rename, Known: last.Known, Absent: last.Absent, sum: last.sum}
	if !v.Known {
		v.State = Hunks
	}
	v.src = source{kind: fromCopy, other: f, index: len(f.Versions) - 1}
	b.add(f, v, id)
	return nil
}

// copy starts or continues a chain with the content of another.
func (b *builder) copy(f *File, id model.CallID, a *act) {
	if a.to == "" || a.to == a.path {
		return
	}
	last := f.Versions[len(f.Versions)-1]
	to := b.file(a.to)
	if len(to.Versions) == 0 {
		b.add(to, Version{Op: Start}, id)
	}
	v := Version{Op: Copy, Known: last.Known, sum: last.sum, src: source{kind: fromCopy, other: f, index: len(f.Versions) - 1}}
	if !v.Known {
		v.State = Uncertain
	}
	b.add(to, v, id)
}

// finish selects the files that the session changed.
func (b *builder) finish() {
	for _, f := range b.all {
		if len(f.Versions) < 2 {
			continue
		}
		if f.Versions[len(f.Versions)-1].Op == Outside && len(f.Versions) == 2 {
			continue
		}
		f.Path = b.Shown(f, f.key)
		b.Files = append(b.Files, f)
	}
	slices.SortStableFunc(b.Files, func(x, y *File) int { return cmp.Compare(x.Versions[1].Call, y.Versions[1].Call) })
}

// Shown returns a resolved path for people: relative to the folder of the session.
func (h *History) Shown(f *File, path string) string {
	return h.describer(f.Versions[len(f.Versions)-1].Message).FileShown(path)
}
