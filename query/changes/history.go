package changes

import (
	"container/list"
	"context"
	"errors"
	"hash/maphash"

	"turns/model"
	"turns/query"
	"turns/query/describe"
)

// Op is the kind of call that made a version.
type Op uint8

// The operations. Start and Outside are not calls of the session.
const (
	Start   Op = iota // the file before the session changed it
	Outside           // the file as found after something else had changed it
	Write
	Edit
	Patch
	Delete
	Rename
	Copy
	Touch // a command that may have changed the file in an unknown way
)

var opNames = [...]string{"start", "outside", "write", "edit", "patch", "delete", "rename", "copy", "touch"}

// String returns the operation as one word.
func (o Op) String() string { return model.NameOf(opNames[:], o, "edit") }

// State is how much is known of a version, or of a chain: the worst state of its versions.
type State uint8

// The states, worst last.
const (
	Exact     State = iota // the whole file before and after is known
	Hunks                  // only the changed lines are known
	Uncertain              // a command may have changed the file
	Broken                 // something else changed the file
)

var stateNames = [...]string{"exact", "hunks", "uncertain", "broken"}

// String returns the state as one word.
func (s State) String() string { return model.NameOf(stateNames[:], s, "exact") }

// Version is a file after a call, or as found.
type Version struct {
	Op      Op
	State   State
	Call    model.CallID // that made it, or found it for Start and Outside
	Message model.ID     // that made the call
	Pos     int          // of that message; for a subagent, of the call that started it
	Path    string       // of the file from here on, resolved
	// Known reports that the content can be rebuilt. Absent reports that the file does not
	// exist.
	Known, Absent bool
	Added         int // lines; 0 if unknown
	Removed       int
	Inherited     bool // the call was copied from another conversation

	src  source
	sum  sum
	weak bool // from lines that may be only a part of the file
}

// File is the chain of versions of one file.
type File struct {
	Path     string    // after the last version, relative to the folder of the session
	Versions []Version // the first is a Start

	key string // resolved path
}

// sourceKind is the way to rebuild the content of a version.
type sourceKind uint8

const (
	noSource   sourceKind = iota
	fromBefore            // the transcript records it, before an act
	fromAfter             // the transcript records it, after an act
	fromSeen              // an act showed it
	fromWrite             // an act wrote all of it
	fromApply             // an act changed the previous version
	fromEdit              // an act changed the recorded content before it
	fromCopy              // another version has it
)

// source is the place of a content in the transcript.
type source struct {
	kind  sourceKind
	call  model.CallID
	act   int // index among the acts of the call
	other *File
	index int // version of other
}

// History has the files that the calls of a snapshot changed. Use it from one goroutine.
type History struct {
	Files []*File // those with a version after the start, in the order of their first change
	Snap  *model.Snapshot
	Turns *query.TurnIndex

	pairs    *query.Pairs
	folders  map[*model.Session]describe.Describer
	last     model.CallID
	lastActs []act
	kept     contentCache
	seed     maphash.Seed
}

// ErrUnknown reports a version whose content is not in the transcript.
var ErrUnknown = errors.New("the transcript does not have the whole file")

// Content returns the text of a version of a file. absent reports that the file does not exist
// in that version. The error is ErrUnknown if the content cannot be rebuilt.
func (h *History) Content(ctx context.Context, f *File, version int) (text string, absent bool, err error) {
	from := version
	for ; from >= 0; from-- {
		v := &f.Versions[from]
		if !v.Known {
			return "", false, ErrUnknown
		}
		if v.Absent {
			break
		}
		var ok bool
		if text, ok = h.kept.get(f, from); ok || v.src.kind != fromApply {
			break
		}
	}
	for i := max(from, 0); i <= version; i++ {
		if text, absent, err = h.next(ctx, f, i, text); err != nil {
			return "", false, err
		}
	}
	return text, absent, nil
}

// next returns the content of a version whose predecessor is before.
func (h *History) next(ctx context.Context, f *File, i int, before string) (text string, absent bool, err error) {
	v := &f.Versions[i]
	if v.Absent {
		return "", true, nil
	}
	if text, ok := h.kept.get(f, i); ok {
		return text, false, nil
	}
	if v.src.kind == fromCopy {
		text, _, err = h.Content(ctx, v.src.other, v.src.index)
		return text, false, err
	}
	acts, err := h.acts(ctx, v.src.call)
	if err != nil {
		return "", false, err
	}
	if v.src.act >= len(acts) {
		return "", false, ErrUnknown
	}
	a := &acts[v.src.act]
	ok := true
	switch v.src.kind {
	case fromBefore:
		text, ok = a.before.text, a.before != nil
	case fromAfter:
		text, ok = a.after.text, a.after != nil
	case fromSeen:
		text, ok = a.seen.fullText(), a.seen != nil
	case fromWrite:
		text = a.edit.New
	case fromEdit:
		if ok = a.before != nil; ok {
			text, ok = a.apply(a.before.text, a.before.absent)
		}
	case fromApply:
		text, ok = a.apply(before, i > 0 && f.Versions[i-1].Absent)
	default:
		ok = false
	}
	if !ok {
		return "", false, ErrUnknown
	}
	h.kept.put(f, i, text)
	return text, false, nil
}

// contentCache caches the contents that were used last.
type contentCache struct {
	at   map[contentKey]*list.Element // of used
	used list.List                    // of keptContent, newest first
	size int
}

type contentKey struct {
	file *File
	at   int
}

type keptContent struct {
	contentKey
	text string
}

// For speed only: cacheBytes limits the size of the cache.
const cacheBytes = 48 << 20

// textMax is the maximum size of a content.
const textMax = 16 << 20

func (c *contentCache) get(f *File, at int) (string, bool) {
	e, ok := c.at[contentKey{f, at}]
	if !ok {
		return "", false
	}
	c.used.MoveToFront(e)
	return e.Value.(keptContent).text, true
}

func (c *contentCache) put(f *File, at int, text string) {
	if c.at == nil {
		c.at = map[contentKey]*list.Element{}
	}
	c.drop(f, at)
	k := keptContent{contentKey{f, at}, text}
	c.at[k.contentKey] = c.used.PushFront(k)
	c.size += len(text)
	for c.size > cacheBytes && c.used.Len() > 1 {
		last := c.used.Back().Value.(keptContent)
		c.drop(last.file, last.at)
	}
}

// drop removes a content that is unlikely to be used again.
func (c *contentCache) drop(f *File, at int) {
	if e, ok := c.at[contentKey{f, at}]; ok {
		c.size -= len(e.Value.(keptContent).text)
		c.used.Remove(e)
		delete(c.at, contentKey{f, at})
	}
}
